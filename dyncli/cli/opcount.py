"""`dyn opcount`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from dyncli.cli import values
from dyncli.cli.options import ModelChoice, OutputChoice, model_options, output_options
from dyncli.errors import UsageError, nearest

if TYPE_CHECKING:
    from dyncli.robot import Robot

LONGEST_CHAIN = 2000
MOST_BRANCHES = 20


@click.command("opcount")
@model_options
@output_options
@click.option(
    "--algorithm",
    multiple=True,
    metavar="NAME,...",
    help="rnea, crba, aba, fd-crba, fd-sparse, minv, mass-rnea, rnea-derivs, fd-derivs, fk, jacobian (default: these), "
    "rnea-derivs-fast, minv-aba, rnea-screw, mass-rnea-screw.",
)
@click.option(
    "--model",
    "counting",
    multiple=True,
    metavar="NAME,...",
    help="dense, structured, specialised (default: all; with --chain dense).",
)
@click.option(
    "--chain", metavar="N,N,...", help="Count on serial chains of N revolute joints instead; slopes, ratios to ABA."
)
@click.option("--time", "timed", is_flag=True, help="Also the measured seconds a state of each specialised program.")
@click.option("--crossover", is_flag=True, help="From how many joints on ABA beats the routes through M.")
@click.option(
    "--branching",
    multiple=True,
    metavar="B,...",
    help="With --crossover: bodies that each body of a tree carries (1: a chain; default 1,2).",
)
@click.option("--emit", type=click.Choice(["c"]), help="Write the specialised programs as C99 to -o FILE.")
@click.option("--plot", metavar="FILE", help="With --chain: operations over joints as .svg or .png.")
def command(
    model: ModelChoice,
    output: OutputChoice,
    *,
    algorithm: tuple[str, ...],
    counting: tuple[str, ...],
    chain: str | None,
    timed: bool,
    crossover: bool,
    branching: tuple[str, ...],
    emit: str | None,
    plot: str | None,
) -> int:
    """Operations of each algorithm on this robot for one state, in three models, and how they grow.

    dense: plain 6x6 matrices, nothing exploited, multiplications alone. structured: the zero blocks of spatial algebra
    skipped. specialised: this robot's own program, with its zeros, ones and repeated terms gone, exactly its length.
    """
    modes = [name for name, on in (("--chain", chain), ("--crossover", crossover), ("--emit", emit)) if on]
    if len(modes) > 1:
        raise UsageError(f"{' and '.join(modes)} are different answers", hint="ask for one of them")
    _belongs("--plot", plot is not None, "--chain", chain is not None)
    _belongs("--branching", bool(branching), "--crossover", crossover)
    if timed and (crossover or emit):
        raise UsageError(f"--time does not go with {modes[0]}")
    algorithms, models = _algorithms(algorithm), _models(counting)
    sizes = _numbers(chain, "--chain", LONGEST_CHAIN) if chain is not None else []
    branchings = _numbers(",".join(branching) or "1,2", "--branching", MOST_BRANCHES)
    robot = model.load()
    if emit:
        return _emit(robot, algorithms, output)
    from dyncli.cli.opcount_tables import answer_chains, answer_crossovers, answer_robot

    if sizes:
        return answer_chains(robot, sizes, algorithms, models or ["dense"], output, model.session, timed, plot)
    if crossover:
        if algorithms:
            raise UsageError("--crossover compares aba, fd-crba and fd-sparse; --algorithm has no part in it")
        return answer_crossovers(robot, models, branchings, output, model.session)
    return answer_robot(robot, algorithms, models, output, model.session, timed=timed)


def _belongs(option: str, given: bool, to: str, there: bool) -> None:
    if given and not there:
        raise UsageError(f"{option} belongs to {to}", hint=f"add {to}")


def _algorithms(texts: Sequence[str]) -> list[str]:
    from dyncli.algorithms.opcount import ALGORITHMS

    return _known(values.names(texts), ALGORITHMS, "--algorithm")


def _models(texts: Sequence[str]) -> list[str]:
    from dyncli.algorithms.opcount import MODELS

    return _known(values.names(texts), MODELS, "--model")


def _known(names: Sequence[str], known: Sequence[str], option: str) -> list[str]:
    """The names, each once. Raises UsageError for one that does not exist."""
    for name in names:
        if name not in known:
            raise UsageError(f"{option}: there is no {name!r}", hint=nearest(name, known))
    return list(dict.fromkeys(names))


def _numbers(text: str, option: str, most: int) -> list[int]:
    """Ascending whole numbers from 1 to `most`, each once."""
    found = set()
    for word in text.replace(",", " ").split():
        if not (word.isascii() and word.isdigit() and 1 <= int(word) <= most):
            raise UsageError(f"{option}: {word!r} in {text!r}", hint=f"expected whole numbers from 1 to {most}")
        found.add(int(word))
    if not found:
        raise UsageError(f"{option}: {text!r} holds no number", hint="for example 6,12,24")
    return sorted(found)


def _emit(robot: Robot, algorithms: Sequence[str], output: OutputChoice) -> int:
    """The C file, whole or not at all."""
    from dyncli.algorithms.opcount.emit import c_source
    from dyncli.algorithms.opcount.routines import ROUTINES
    from dyncli.writers.target import open_target

    if output.format is not None:
        raise UsageError(f"-f {output.format} does not go with --emit c")
    for name in algorithms:
        if name not in ROUTINES:
            raise UsageError(f"--emit c: {name} is counted on plain matrices only, there is no program of it")
    usual = [name for name in ("rnea", "crba", "aba") if not (ROUTINES[name].free_joints and robot.tree.couples)]
    source = c_source(robot.tree, algorithms or usual)
    target = open_target(output.path)
    target.write(source.encode())
    target.commit()
    return 0
