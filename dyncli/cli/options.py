"""Options that commands share, as decorators; each group of options reaches the command as one object.

    @click.command()
    @model_options
    @state_options("qd", "qdd")
    @output_options
    def command(model: ModelChoice, states: StateChoice, output: OutputChoice, ...)

Parsing of the little languages inside values (`LINK:MASS,...`, `FRAME@world:...`) is in `dyncli.cli.values`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from dyncli.cli import values
from dyncli.cli.completion import frames, joints
from dyncli.cli.session import Session
from dyncli.errors import UsageError
from dyncli.structs import replace, struct

if TYPE_CHECKING:
    from dyncli.build import ModelOptions
    from dyncli.robot import Robot

FORMATS = ("table", "csv", "tsv", "json", "jsonl", "npz", "yaml", "parquet", "arrow")


@struct
class ModelChoice:
    """Which model file, and how it is to be understood."""

    path: str
    options: ModelOptions
    xacro: bool
    xacro_args: dict[str, str]
    restrict: str | None
    session: Session

    def load(self, *, degrees: bool = False) -> Robot:
        """Read and build the robot, telling its findings on standard error; `degrees`: locked angles are in degrees."""
        from dyncli.robot import load_robot

        options = replace(self.options, lock_degrees=degrees)
        robot = load_robot(self.path, options, restrict=self.restrict, xacro=self.xacro, xacro_args=self.xacro_args)
        self.session.tell_findings(robot.description.findings)
        return robot


@struct
class StateChoice:
    """Where the states come from: inline values, random samples or a file."""

    inline: dict[str, str | None]
    samples: int | None
    seed: int
    path: str | None
    degrees: bool
    fill_missing: bool
    ignore_extra: bool
    keep: tuple[str, ...]
    differentiate: str | None


@struct
class OutputChoice:
    """Format and place of the results, and for many states what computes them."""

    format: str | None
    path: str | None
    precision: int
    echo: bool
    color: str
    threads: int | None
    cluster: str | None


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _grouped(options: list[Decorator], build: Callable[[dict[str, Any]], dict[str, Any]]) -> Decorator:
    """A decorator that adds options and hands the callback what `build` makes of their values."""

    def decorate(callback: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(callback)
        def wrapper(**arguments: Any) -> Any:
            return callback(**build(arguments))

        decorated: Callable[..., Any] = wrapper
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


def _chosen(arguments: dict[str, Any], path: str) -> ModelChoice:
    """What the options that shape the model say about `path`; takes them out of `arguments`."""
    from dyncli.build import ModelOptions

    take = arguments.pop
    session = Session(quiet=take("quiet"), strict=take("strict"), verbose=take("verbose"))
    take("debug")
    options = ModelOptions(
        root=take("root"),
        convention=take("convention"),
        gravity=values.vector3(take("gravity"), "--gravity"),
        lock=values.locks(take("lock")),
        payloads=tuple(values.payload(text) for text in take("payload")),
        mimic=take("mimic"),
        armature=take("armature"),
    )
    return ModelChoice(
        path, options, take("xacro"), values.xacro_arguments(take("xacro_arg")), take("restrict"), session
    )


def _model(arguments: dict[str, Any]) -> dict[str, Any]:
    model = _chosen(arguments, arguments.pop("model_path"))
    return {**arguments, "model": model}


def _models(arguments: dict[str, Any]) -> dict[str, Any]:
    paths = arguments.pop("model_paths")
    first = _chosen(arguments, paths[0])
    return {**arguments, "models": tuple(replace(first, path=path) for path in paths)}


_SHAPING: list[Decorator] = [
    click.option(
        "--root",
        type=click.Choice(["fixed", "floating"]),
        help="URDF: weld the root link (default) or let it float.",
    ),
    click.option(
        "--convention",
        type=click.Choice(["auto", "mujoco", "pinocchio"]),
        default="auto",
        help="Coordinates of floating, ball and planar joints; auto: URDF as Pinocchio, MJCF as MuJoCo.",
    ),
    click.option(
        "--gravity", metavar="X,Y,Z", help="m/s², world frame; default 0,0,-9.81 (URDF) or the file's (MJCF)."
    ),
    click.option(
        "--lock",
        multiple=True,
        metavar="NAME[=VALUE],...",
        shell_complete=joints,
        help="Weld joints at a value (default neutral).",
    ),
    click.option(
        "--payload",
        multiple=True,
        metavar="LINK:MASS[,X,Y,Z[,IXX,IYY,IZZ,IXY,IXZ,IYZ]]",
        help="Add a mass to a link: centre of mass in the link frame, tensor about it. Repeatable.",
    ),
    click.option("--mimic/--no-mimic", default=True, help="Honour <mimic> (default), or treat each joint as free."),
    click.option("--armature/--no-armature", default=True, help="Rotor inertia in M, as the file says (default)."),
    click.option("--xacro", is_flag=True, help="Expand the file with xacro first (evaluates expressions)."),
    click.option("--xacro-arg", multiple=True, metavar="NAME:=VALUE", help="Argument for xacro. Repeatable."),
    click.option("--restrict", metavar="DIR", help="Refuse to read any file outside DIR."),
    click.option("--strict", is_flag=True, help="Warnings are errors."),
    click.option("-q", "--quiet", is_flag=True, help="No warnings or notes on standard error."),
    click.option("-v", "--verbose", is_flag=True, help="Every finding of the model file, notes too."),
    click.option("--debug", is_flag=True, help="Show tracebacks."),
]

model_options = _grouped([click.argument("model_path", metavar="MODEL"), *_SHAPING], _model)


def models_options(count: int, metavar: str) -> Decorator:
    """Options for a command on several models, `count` or (-1) any number: they reach it as `models`."""
    return _grouped([click.argument("model_paths", metavar=metavar, nargs=count, required=True), *_SHAPING], _models)


_STATE_HELP = {
    "q": "Position: numbers in model order, NAME=VALUE,..., neutral, random, mid, key:NAME or @FILE.",
    "qd": "Velocity, as --q.",
    "qdd": "Acceleration, as --q.",
    "tau": "Joint forces, as --q.",
}


def state_options(*blocks: str) -> Decorator:
    """Options for states; `blocks`: which of qd, qdd, tau the command takes beside q."""
    names = ("q", *blocks)

    def build(arguments: dict[str, Any]) -> dict[str, Any]:
        take = arguments.pop
        model = arguments.get("model")
        if arguments["states_path"] == "-" and model is not None and model.path == "-":
            raise UsageError("MODEL and --states both read standard input", hint="give one of them as a file")
        states = StateChoice(
            inline={name: take(name) for name in names},
            samples=take("samples"),
            seed=take("seed"),
            path=take("states_path"),
            degrees=take("degrees"),
            fill_missing=take("fill_missing"),
            ignore_extra=take("ignore_extra"),
            keep=values.names(take("keep")),
            differentiate=take("differentiate"),
        )
        return {**arguments, "states": states}

    return _grouped(
        [
            *(
                click.option(f"--{name}", name, metavar="VALUE", shell_complete=joints, help=_STATE_HELP[name])
                for name in names
            ),
            click.option(
                "--states",
                "states_path",
                metavar="FILE",
                help="Many states: CSV, TSV, JSON, JSONL, YAML, NPY, NPZ, Parquet, Arrow (also .gz, .zst), a folder of "
                "such files, or - for standard input.",
            ),
            click.option("--samples", type=click.IntRange(min=1), metavar="N", help="N random states."),
            click.option("--seed", type=int, default=0, show_default=True, help="Seed of random states."),
            click.option(
                "--degrees", is_flag=True, help="Angles of q, qd, qdd in degrees, in and out; torques stay per rad."
            ),
            click.option(
                "--keep", multiple=True, metavar="COLS", help="Columns of the states to pass through unchanged."
            ),
            click.option("--fill-missing", is_flag=True, help="Missing columns count as neutral or zero."),
            click.option("--ignore-extra", is_flag=True, help="Columns that fit nothing are ignored."),
            click.option("--differentiate", metavar="central|savgol:W", help="qd and qdd from q and the time column."),
        ],
        build,
    )


def _output(arguments: dict[str, Any]) -> dict[str, Any]:
    take = arguments.pop
    output = OutputChoice(
        take("format"),
        take("output_path"),
        take("precision"),
        take("echo"),
        take("color"),
        take("threads", None),
        take("cluster", None),
    )
    return {**arguments, "output": output}


_MANY: list[Decorator] = [
    click.option("--threads", type=click.IntRange(min=1), metavar="N", help="Cores for many states (default: all)."),
    click.option(
        "--cluster",
        metavar="ADDRESS|local[:N]",
        help="Compute on a Dask cluster: its scheduler, or N processes here. Every worker reads --states by itself.",
    ),
]


def output_options_with(*formats: str, many: bool = False) -> Decorator:
    """Options for the output of a command that knows `formats` beside the usual ones; `many`: for many states."""
    return _grouped(
        [
            click.option(
                "-f",
                "--format",
                type=click.Choice([*FORMATS, *formats]),
                help="Default: a table on a terminal, CSV into a pipe.",
            ),
            click.option(
                "-o",
                "--output",
                "output_path",
                metavar="FILE",
                help="Write to FILE, whole or not at all; format from its suffix.",
            ),
            click.option(
                "--precision", type=click.IntRange(1, 17), default=6, show_default=True, help="Digits in tables."
            ),
            click.option(
                "--echo", is_flag=True, help="Put the input columns before the results, so that commands chain."
            ),
            click.option(
                "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colours in tables."
            ),
            *(_MANY if many else []),
        ],
        _output,
    )


output_options = output_options_with()
run_options = output_options_with(many=True)


def _wrenches(arguments: dict[str, Any]) -> dict[str, Any]:
    take = arguments.pop
    said = [(text, 1.0) for text in take("wrench")] + [(text, -1.0) for text in take("tip_wrench")]
    return {**arguments, "wrenches": [values.wrench(text, sign) for text, sign in said]}


_WRENCH_FORM = "FRAME@world|local:FX,FY,FZ,NX,NY,NZ"
wrench_options = _grouped(
    [
        click.option(
            "--wrench",
            multiple=True,
            shell_complete=frames,
            metavar=_WRENCH_FORM,
            help="Force and moment that act ON the robot at the frame's origin, in world axes or its own. Repeatable.",
        ),
        click.option(
            "--tip-wrench",
            multiple=True,
            shell_complete=frames,
            metavar=_WRENCH_FORM,
            help="Likewise, what the robot applies to its environment.",
        ),
    ],
    _wrenches,
)

passive_option = click.option(
    "--passive/--no-passive",
    default=False,
    help="Add damping, springs and gravity compensation (and Coulomb friction to rnea). Default: no.",
)
