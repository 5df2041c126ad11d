"""`dyn ik`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from dyncli.algorithms.ik.settings import DEFAULT_RESTARTS, METHODS
from dyncli.cli import values
from dyncli.cli.completion import frames
from dyncli.cli.ik_values import (
    AXES,
    IkOptions,
    branch_words,
    chosen_rows,
    criterion,
    goal_of_delta,
    null_vector,
    only_leaf,
    single_goal,
    tool_pose,
)
from dyncli.cli.options import ModelChoice, OutputChoice, model_options, output_options
from dyncli.errors import EXIT_ANSWER_IS_NO, UsageError
from dyncli.structs import replace

if TYPE_CHECKING:
    from dyncli.algorithms.ik.chain import Array, Chain
    from dyncli.algorithms.ik.verdict import Verdicts
    from dyncli.cli.session import Session
    from dyncli.robot import Robot
    from dyncli.targets import PoseBlock
    from dyncli.tasks.ik import IkTask

TOLD_ROWS = 20
"""How many targets that were not reached are named before the rest is only counted."""
_POSITIVE = click.FloatRange(min=0.0, min_open=True)


@click.command("ik")
@model_options
@output_options
@click.option(
    "--frame", metavar="NAME", shell_complete=frames, help="Link, body or site to place (default: the only leaf)."
)
@click.option(
    "--tool", metavar="X,Y,Z[,QW,QX,QY,QZ]", help="A point and orientation fixed in the frame, placed instead."
)
@click.option("--target", metavar="X,Y,Z[,QW,QX,QY,QZ]", help="Where to: m, world axes; quaternion w first.")
@click.option("--target-rpy", metavar="R,P,Y", help="Orientation by turns about the fixed x, y, z axes in that order.")
@click.option("--target-quat", metavar="QW,QX,QY,QZ", help="Orientation by a quaternion. Alone: orientation only.")
@click.option("--delta", metavar="DX,DY,DZ", help="From where the frame is at --q, m, world axes.")
@click.option(
    "--targets", metavar="FILE", help="Rows of targets, each started from the last answer; - for standard input."
)
@click.option("--independent", is_flag=True, help="With --targets: every row from --q, all as one batch.")
@click.option("--rate", type=_POSITIVE, metavar="HZ", help="Rows a second of --targets, for joint speeds.")
@click.option("--keep", multiple=True, metavar="COLS", help="Columns of --targets to pass through unchanged.")
@click.option(
    "--axes", metavar=f"[{AXES}]", help="Parts that count: world x, y, z; turns r, p, w about the target's axes."
)
@click.option("--q", "start", metavar="VALUE", help="The start: numbers, NAME=VALUE,..., neutral, random, mid, @FILE.")
@click.option("--degrees", is_flag=True, help="Angles of --q, --target-rpy and the answer in degrees.")
@click.option(
    "--method",
    type=click.Choice([*METHODS, "analytic"]),
    default="adaptive",
    show_default=True,
    help="dls: fixed damping; pinv: none; adaptive: near singularities; analytic: a closed form where there is one.",
)
@click.option(
    "--damping",
    type=click.FloatRange(min=0.0),
    metavar="L",
    help="Lambda, squared in the formula: of dls (0.05), or the largest of adaptive (0.2).",
)
@click.option(
    "--threshold",
    type=_POSITIVE,
    default=0.1,
    show_default=True,
    metavar="S",
    help="Adaptive: damping starts below this singular value.",
)
@click.option("--tol", type=_POSITIVE, default=1e-6, show_default=True, metavar="M", help="Tolerance, m and rad.")
@click.option("--max-iter", type=click.IntRange(min=0), default=100, show_default=True, help="Iterations of a run.")
@click.option(
    "--max-step", type=_POSITIVE, help="Largest change of a joint in a step (adaptive: 1; else none), rad or m."
)
@click.option(
    "--restarts",
    type=click.IntRange(min=0),
    default=DEFAULT_RESTARTS,
    show_default=True,
    help="Random starts to try if the run from --q fails.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of random starts.")
@click.option("--limits/--no-limits", default=True, help="Keep joint limits (default).")
@click.option("--free-base", is_flag=True, help="Let floating joints move; else they stay where --q puts them.")
@click.option(
    "--null",
    "null",
    metavar="limits|manipulability|posture=NAME=VALUE,...|vector=V,...",
    help="Use of the freedom that is left: a criterion to climb, or a vector to project onto it.",
)
@click.option(
    "--branch", metavar="LABEL", help="Fixed choice among closed-form branches, e.g. elbow+ or shoulder+,wrist-."
)
@click.option("--all", "every", is_flag=True, help="Every distinct solution found, nearest first.")
@click.option("--trace", "traced", is_flag=True, help="Each iteration of the run from --q.")
@click.option("--summary", is_flag=True, help="Extremes of joints, errors and steps over all rows.")
def command(model: ModelChoice, output: OutputChoice, *, summary: bool, **options: object) -> int:
    """Joint positions that put a frame on a target, and how good the answer is.

    The verdict is computed on the numbers printed; exit status 1 where a target is not reached. The run from --q counts
    first; where it fails the closed form or random starts follow, and the nearest solution they find is returned.
    Whether the arm collides with itself or the world is NOT checked.
    """
    from dyncli.cli.chain import tell_remarks
    from dyncli.states import Remarks, inline_state
    from dyncli.targets import PoseTable, given_parts

    asked = IkOptions(**options)  # type: ignore[arg-type]
    asked.check()
    robot, session = model.load(degrees=asked.degrees), model.session
    remarks = Remarks()
    said = {} if asked.start is None else {"q": asked.start}
    state = inline_state(robot.tree, said, degrees=asked.degrees, seed=asked.seed, remarks=remarks)
    tell_remarks(remarks, session)
    chain = _chain(robot, asked, state.q, session)
    if asked.targets is None:
        start = _own(chain, state.q)
        goal = single_goal(asked) if asked.delta is None else goal_of_delta(asked.delta, chain, start)
        rows = chosen_rows(
            asked.axes,
            position=goal.position is not None,
            rotation=goal.rotation is not None,
            default=None if asked.delta is None else "xyz",
        )
        given = given_parts(
            position=goal.position is not None,
            rotation=goal.rotation is not None and (asked.delta is None or any(row >= 3 for row in rows)),
        )
        task = _task(chain, asked, rows, state.q, echo=given if output.echo else ())
        return _answer(task, [goal.block()], robot, asked, output, session, summary=summary)
    from dyncli.readers import open_table
    from dyncli.states.names import listed

    with open_table(asked.targets) as table:
        poses = PoseTable(
            table, keep=values.names(asked.keep), degrees=asked.degrees, coordinates=robot.tree.coordinates
        )
        if poses.skipped:
            session.notice(f"{asked.targets}: columns that are not needed are skipped: {listed(poses.skipped, 6)}")
        rows = chosen_rows(asked.axes, position=poses.has_position, rotation=poses.has_rotation)
        task = _task(chain, asked, rows, state.q, echo=poses.given if output.echo else ())
        return _answer(task, poses, robot, asked, output, session, summary=summary)


def _chain(robot: Robot, asked: IkOptions, q: Sequence[float], session: Session) -> Chain:
    """The chain of the frame, told on standard error where it was chosen or is not what a user might think."""
    from dyncli.algorithms.ik.chain import Chain

    name = asked.frame
    if name is None:
        name = only_leaf(robot.description)
        session.notice(f"frame {name!r}, the only leaf")
    frame = values.find_frame(robot.tree, name, "--frame")
    chain = Chain(robot.tree, frame, q, tool=tool_pose(asked.tool), free_base=asked.free_base, limits=asked.limits)
    if not chain.n:
        hint = "--free-base lets the base move" if chain.locked_base else "a frame behind a moving joint"
        raise UsageError(f"no joint moves frame {name!r}", hint=hint)
    if chain.locked_base:
        session.notice(f"{', '.join(chain.locked_base)} stays where --q puts it; --free-base lets it move")
    unlimited = [
        joint.name
        for joint, low, high in zip(chain.owner, chain.lower, chain.upper, strict=True)
        if joint.type.name in ("revolute", "prismatic") and math.isinf(low) and math.isinf(high)
    ]
    if unlimited and asked.limits:
        session.notice(f"no limits, so unlimited: {', '.join(dict.fromkeys(unlimited))}")
    return chain


def _own(chain: Chain, q: Sequence[float]) -> Array:
    """The chain's coordinates of a start, (coordinates, 1)."""
    import numpy as np

    return np.array(q, dtype=np.float64)[chain.coordinates, None]


def _task(
    chain: Chain, asked: IkOptions, rows: tuple[int, ...], q: Sequence[float], *, echo: tuple[str, ...]
) -> IkTask:
    """The task that the options ask for; `echo`: columns of the targets to put before the answers."""
    from dyncli.algorithms.ik.problem import Problem
    from dyncli.algorithms.ik.settings import Settings
    from dyncli.tasks.ik import IkRequest, IkTask

    analytic = asked.method == "analytic"
    settings = Settings(
        method="adaptive" if analytic else asked.method,
        damping=asked.damping,
        threshold=asked.threshold,
        tol=asked.tol,
        max_iter=asked.max_iter,
        max_step=asked.max_step,
        limits=asked.limits,
        seed=asked.seed,
    )
    problem = Problem(chain, rows, settings, asked.restarts, analytic)
    if analytic:
        problem.closed_form()
    if asked.branch is not None:
        problem = replace(problem, branch=branch_words(asked.branch, problem.closed_form()))
    vector = null_vector(asked.null, chain)
    climbed = asked.null is not None and vector is None
    return IkTask(
        IkRequest(
            problem,
            _own(chain, q),
            is_path=asked.targets is not None and not asked.independent,
            every=asked.every,
            traced=asked.traced,
            criterion=criterion(asked.null or "", problem, degrees=asked.degrees) if climbed else None,
            vector=vector,
            rate=asked.rate,
            degrees=asked.degrees,
            echo=echo,
        )
    )


def _notes(task: IkTask, asked: IkOptions) -> list[str]:
    """What stands above a table."""
    problem, chain = task.problem, task.chain
    parts = "".join(AXES[row] for row in problem.rows)
    limits = "within limits" if asked.limits else "limits ignored"
    lines = [
        f"frame {chain.frame.name}, rows {parts}, tolerance {asked.tol:g} m and rad, {limits}; method {asked.method}"
    ]
    if problem.form is not None:
        lines.append(f"closed form: {problem.form.name}, true to {problem.form.deviation:.1e}")
    return lines


def _answer(
    task: IkTask,
    blocks: Iterable[PoseBlock],
    robot: Robot,
    asked: IkOptions,
    output: OutputChoice,
    session: Session,
    *,
    summary: bool,
) -> int:
    """Answer every block, write the results, tell what was not reached; 1 if anything was not."""
    from dyncli.cli.chain import header_notes, open_output
    from dyncli.result import Header, model_facts
    from dyncli.summary import Summary

    notes = [*header_notes(robot.tree, degrees=asked.degrees), *_notes(task, asked)]
    header = Header(
        "ik", model_facts(robot.tree, robot.description, degrees=asked.degrees), tuple(notes), tuple(session.warnings)
    )
    missed = _Missed(asked.targets, session)
    with open_output(header, output) as writer:
        sink = Summary(task) if summary else writer
        for block in blocks:
            result, verdicts = task.answer(block)
            sink.write(result, block.kept)
            missed.look(block, verdicts)
        if isinstance(sink, Summary):
            sink.hand_to(writer)
        said = len(session.warnings)
        missed.finish()
        facts = {"converged": missed.rows - missed.count, "rows": missed.rows}
        extra = {"summary": {**sink.values(), **facts}} if isinstance(sink, Summary) else {}
        writer.close(session.warnings[said:], extra)
    return EXIT_ANSWER_IS_NO if missed.count else 0


class _Missed:
    """Names the targets that were not reached on standard error: the first ones each, the rest as a count."""

    def __init__(self, path: str | None, session: Session) -> None:
        self.path, self.session = path, session
        self.rows = self.count = 0

    def look(self, block: PoseBlock, verdicts: Verdicts) -> None:
        """Tell what a block did not reach."""
        answered = iter(range(len(verdicts.converged)))
        for k in range(block.count):
            if k in block.invalid:
                self._tell(block.lines[k], f"no answer: {block.invalid[k]}")
            elif not verdicts.converged[at := next(answered)]:
                self._tell(block.lines[k], f"not converged: {verdicts.reasons[at]}: {verdicts.details[at]}")
        self.rows += block.count

    def _tell(self, line: int, text: str) -> None:
        self.count += 1
        if self.count <= TOLD_ROWS:
            self.session.notice(text if self.path is None else f"{self.path}:{line}: {text}")

    def finish(self) -> None:
        """The count of those that were not named."""
        if self.count > TOLD_ROWS:
            self.session.notice(f"{self.count - TOLD_ROWS} more targets were not reached")
