"""`dyn`: the group of commands, and the one place where errors become messages and exit statuses.

Commands are imported when they run, so `dyn --help` costs click alone. To add one, write `dyncli/cli/NAME.py`
with a click command called `command` and enter its name here.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import NoReturn

import click

from dyncli import __version__
from dyncli.errors import EXIT_INTERNAL, EXIT_INTERRUPTED, EXIT_USAGE, DynError

COMMANDS = {
    "info": "what the file holds: tree, joints, bodies, masses, limits, degrees of freedom",
    "rnea": "joint forces tau, their gravity/Coriolis/inertia split, joint reactions",
    "mass": "mass matrix M, its inverse, factor, eigenvalues, condition number",
    "fd": "joint accelerations qdd, by ABA or by CRBA and a factorisation",
    "sparsity": "structure of M: predicted and observed pattern, fill-in, cost of factorising",
    "opcount": "operations each algorithm needs on this robot, and how they grow",
    "lint": "faults of the model file that make its dynamics wrong or singular",
    "verify": "self-checks of the numbers on this robot, and agreement with other libraries",
    "compare": "two robot files: what differs, in the model and in its dynamics",
    "derivs": "d tau/d(q,qd,qdd), d qdd/d(q,qd,tau), or the transition matrices A, B",
    "ik": "joint positions that put a frame on a target, and how good the answer is",
    "fk": "frame poses, Jacobian, singular values, manipulability",
    "report": "one self-contained HTML page about a robot",
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        """The command of that name, imported now; UsageError with the nearest names if there is none."""
        if cmd_name not in COMMANDS:
            from difflib import get_close_matches

            close = get_close_matches(cmd_name, COMMANDS)
            hint = f" Did you mean {' or '.join(close)}?" if close else f" Commands: {', '.join(COMMANDS)}."
            raise click.UsageError(f"no command {cmd_name!r}.{hint}", ctx)
        command: click.Command = import_module(f"dyncli.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="dyn")
def group() -> None:
    """Rigid-body dynamics of a robot file (URDF or MJCF), for one state or a million.

    MODEL is a path, or - for standard input. Angles are in rad (--degrees for degrees), lengths in m, forces in N and
    N m; every result says its convention and gravity. Exit status: 0 done, 1 the answer is no, 2 wrong command line,
    3 bad model, 4 bad states, 5 the numbers failed, 6 an optional package is missing.

    Shell completion, joint and frame names too: eval "$(_DYN_COMPLETE=bash_source dyn)" (or zsh_source, fish_source).
    """


def run(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit with its status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    debug = "--debug" in arguments
    try:
        status = group.main(args=arguments, prog_name="dyn", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        _leave_closed_pipe()
    except (KeyboardInterrupt, click.Abort):
        _report("interrupted", {"type": "Interrupted", "message": "interrupted"}, arguments)
        status = EXIT_INTERRUPTED
    except click.ClickException as error:
        status = _report_usage(error, arguments)
    except DynError as error:
        if debug:
            raise
        _report("\n".join([f"error: {error.lines()[0]}", *error.lines()[1:]]), error.facts(), arguments)
        status = error.exit_status
    except OSError as error:
        if debug:
            raise
        _report(f"error: {error}", {"type": "OSError", "message": str(error), "exit_status": EXIT_USAGE}, arguments)
        status = EXIT_USAGE
        _drop_unwritten()
    except Exception as error:
        if debug:
            raise
        _report(
            f"error: a fault of dyn itself: {type(error).__name__}: {error}\nrun again with --debug for the traceback",
            {"type": type(error).__name__, "message": str(error), "exit_status": EXIT_INTERNAL},
            arguments,
        )
        status = EXIT_INTERNAL
    sys.exit(status if isinstance(status, int) else 0)


def _report_usage(error: click.ClickException, arguments: list[str]) -> int:
    """A wrong command line, in click's words, with the usage line."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message())
        return EXIT_USAGE
    usage = error.ctx.get_usage() if isinstance(error, click.UsageError) and error.ctx else ""
    message = error.format_message()
    text = f"{usage}\nerror: {message}" if usage else f"error: {message}"
    _report(text, {"type": "UsageError", "message": message, "exit_status": EXIT_USAGE}, arguments)
    return EXIT_USAGE


def _report(text: str, facts: dict[str, object], arguments: list[str]) -> None:
    """Write an error to standard error: text, or one JSON object where JSON was asked for."""
    if _wants_json(arguments):
        import json

        text = json.dumps({"error": facts})
    click.echo(text, err=True)


def _wants_json(arguments: list[str]) -> bool:
    """Whether the command line asks for JSON; decided on its words, since it may not have been parsed."""
    for k, word in enumerate(arguments):
        value = word.partition("=")[2] if word.startswith("--format=") else ""
        if word in ("-f", "--format"):
            value = arguments[k + 1] if k + 1 < len(arguments) else ""
        elif word.startswith("-f") and len(word) > 2:
            value = word[2:]
        if value in ("json", "jsonl"):
            return True
    return False


def _leave_closed_pipe() -> NoReturn:
    """End quietly when the reader of our output has gone."""
    _drop_unwritten()
    sys.exit(0)


def _drop_unwritten() -> None:
    """Point standard output to nothing, so that the flush at exit finds nothing to complain about."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
