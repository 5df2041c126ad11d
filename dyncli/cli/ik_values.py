"""What the options of `ik` mean: frames, targets, axes, and what to do with the freedom that is left."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dyncli.cli import values
from dyncli.errors import UsageError, nearest
from dyncli.structs import replace, struct

if TYPE_CHECKING:
    from dyncli.algorithms.ik.chain import Array, Chain
    from dyncli.algorithms.ik.closed_form import ClosedForm
    from dyncli.algorithms.ik.problem import Problem
    from dyncli.description import RobotDescription
    from dyncli.spatial import Matrix3, Transform
    from dyncli.targets import PoseBlock
    from dyncli.tasks.ik import CriterionOf
    from dyncli.tree import Frame

AXES = "xyzrpw"
_SHOWN_LEAVES = 12
_POSE_FORM = "X,Y,Z or X,Y,Z,QW,QX,QY,QZ"


@struct
class IkOptions:
    """The options of `ik` as they were written; `start` is --q, `every` --all, `traced` --trace."""

    frame: str | None
    tool: str | None
    target: str | None
    target_rpy: str | None
    target_quat: str | None
    delta: str | None
    targets: str | None
    independent: bool
    rate: float | None
    keep: tuple[str, ...]
    axes: str | None
    start: str | None
    degrees: bool
    method: str
    damping: float | None
    threshold: float
    tol: float
    max_iter: int
    max_step: float | None
    restarts: int
    seed: int
    limits: bool
    free_base: bool
    null: str | None
    branch: str | None
    every: bool
    traced: bool

    def check(self) -> None:
        """UsageError for options that need or exclude one another."""
        turn = self.target_rpy is not None or self.target_quat is not None
        single = self.target is not None or turn
        named = {"--target": single, "--delta": self.delta is not None, "--targets": self.targets is not None}
        sources = [name for name, given in named.items() if given]
        if len(sources) != 1:
            raise UsageError(
                "no target" if not sources else f"{' and '.join(sources)}: targets come from one place",
                hint="give --target X,Y,Z, --target-rpy or --target-quat, --delta DX,DY,DZ or --targets FILE",
            )
        if self.target_rpy is not None and self.target_quat is not None:
            raise UsageError("--target-rpy and --target-quat are two orientations", hint="give one of them")
        for name, given in (("--independent", self.independent), ("--rate", self.rate), ("--keep", self.keep)):
            if given and self.targets is None:
                raise UsageError(f"{name} belongs to --targets")
        if self.independent and self.rate is not None:
            raise UsageError("--rate is about a path; with --independent rows do not follow one another")
        if self.targets is not None and not self.independent and (self.every or self.traced):
            raise UsageError(
                f"{'--all' if self.every else '--trace'} looks at one start, and the rows of a path have many",
                hint="add --independent",
            )
        if self.method == "analytic" and self.null is not None and not self.null.startswith("vector="):
            raise UsageError("--null climbs among infinitely many solutions; a closed form has finitely many")


def only_leaf(description: RobotDescription) -> str:
    """The only link without children. UsageError that lists the leaves if there are several."""
    parents = {joint.parent for joint in description.joints}
    leaves = [link.name for link in description.links if not link.virtual and link.name not in parents]
    if len(leaves) != 1:
        more = f" and {len(leaves) - _SHOWN_LEAVES} more" if len(leaves) > _SHOWN_LEAVES else ""
        shown = ", ".join(leaves[:_SHOWN_LEAVES])
        raise UsageError(f"--frame is needed: the robot has {len(leaves)} leaves", hint=f"one of {shown}{more}")
    return leaves[0]


def tool_pose(text: str | None) -> Transform:
    """`X,Y,Z[,QW,QX,QY,QZ]`: pose of the tool in the frame, the identity if not given."""
    from dyncli.spatial import IDENTITY, Transform

    if text is None:
        return IDENTITY
    numbers = values.numbers(text, "--tool", (3, 7), _POSE_FORM)
    turn = rotation(numbers[3:], "--tool") if len(numbers) == 7 else IDENTITY.rotation
    return Transform(turn, (numbers[0], numbers[1], numbers[2]))


def with_tool(frame: Frame, tool: Transform) -> Frame:
    """The frame with a tool's pose in it."""
    return replace(frame, placement=frame.placement.then(tool))


def rotation(quaternion: Sequence[float], option: str) -> Matrix3:
    """Rotation matrix of a quaternion (w first), which is normalised; UsageError if its norm is off by over 1e-3."""
    from dyncli.spatial import quaternion_to_matrix

    norm = math.sqrt(sum(component * component for component in quaternion))
    if abs(norm - 1.0) > 1e-3:
        raise UsageError(f"{option}: the quaternion has norm {norm:.6g}, expected 1", hint="QW,QX,QY,QZ, w first")
    w, x, y, z = (component / norm for component in quaternion)
    return quaternion_to_matrix(w, x, y, z)


@struct
class Goal:
    """One target as it was written: position (m) and rotation, None where not given."""

    position: tuple[float, float, float] | None
    rotation: Matrix3 | None

    def block(self) -> PoseBlock:
        """The target as a block of one row."""
        import numpy as np

        from dyncli.spatial import IDENTITY3, ZERO3
        from dyncli.targets import PoseBlock

        position = np.array(self.position or ZERO3)[:, None]
        turn: Array = np.array(IDENTITY3 if self.rotation is None else self.rotation)[:, :, None]
        return PoseBlock(1, position, turn, None, {}, (0,))


def single_goal(asked: IkOptions) -> Goal:
    """The target of --target, --target-rpy and --target-quat."""
    from dyncli.targets import rotation_of_rpy

    numbers = [] if asked.target is None else values.numbers(asked.target, "--target", (3, 7), _POSE_FORM)
    turn: Matrix3 | None = rotation(numbers[3:], "--target") if len(numbers) == 7 else None
    if asked.target_quat is not None or asked.target_rpy is not None:
        if turn is not None:
            raise UsageError("--target gives an orientation already", hint="leave --target-rpy and --target-quat out")
        if asked.target_quat is not None:
            turn = rotation(values.numbers(asked.target_quat, "--target-quat", (4,), "QW,QX,QY,QZ"), "--target-quat")
        else:
            angles = values.numbers(asked.target_rpy or "", "--target-rpy", (3,), "ROLL,PITCH,YAW")
            turn = rotation_of_rpy(*(math.radians(x) if asked.degrees else x for x in angles))
    return Goal((numbers[0], numbers[1], numbers[2]) if numbers else None, turn)


def goal_of_delta(text: str, chain: Chain, start: Array) -> Goal:
    """The pose of the frame at `start` (coordinates, 1), moved by a vector of the world."""
    dx, dy, dz = values.numbers(text, "--delta", (3,), "DX,DY,DZ")
    at = chain.kinematics(start)
    x, y, z = at.position[:, 0].tolist()
    first, second, third = (tuple(row) for row in at.rotation[:, :, 0].tolist())
    return Goal((x + dx, y + dy, z + dz), (first, second, third))


def chosen_rows(axes: str | None, *, position: bool, rotation: bool, default: str | None = None) -> tuple[int, ...]:
    """Rows that count: those of --axes, else `default`, else what the target gives. UsageError for what it does not."""
    given = ("xyz" if position else "") + ("rpw" if rotation else "")
    if axes is None:
        return tuple(AXES.index(letter) for letter in default or given)
    unknown = [letter for letter in axes if letter not in AXES]
    if unknown or not axes or len(set(axes)) != len(axes):
        raise UsageError(
            f"--axes {axes!r} is no choice of rows",
            hint=f"letters out of {AXES}, each once: x, y, z in the world; turns r, p, w about the target's axes",
        )
    missing = [letter for letter in axes if letter not in given]
    if missing:
        what = "orientation" if missing[0] in "rpw" else "position"
        raise UsageError(f"--axes {axes}: the target has no {what} for {missing[0]!r}")
    return tuple(sorted(AXES.index(letter) for letter in axes))


def criterion(text: str, problem: Problem, *, degrees: bool) -> CriterionOf:
    """What `--null` climbs."""
    from dyncli.algorithms.ik import nullspace

    name, equals, rest = text.partition("=")
    if text == "limits":
        middle = nullspace.middle_of_limits(problem)
        return lambda target: middle
    if text == "manipulability":
        return lambda target: nullspace.manipulability(problem, target)
    if name == "posture" and equals:
        wanted = nullspace.posture(problem, _posture(rest, problem.chain, degrees=degrees))
        return lambda target: wanted
    raise UsageError(
        f"--null {text!r} is no criterion", hint="limits, manipulability, posture=NAME=VALUE,... or vector=V,..."
    )


def _posture(text: str, chain: Chain, *, degrees: bool) -> dict[int, float]:
    wanted: dict[int, float] = {}
    for part in values.split_list(text):
        name, equals, value = part.rpartition("=")
        if not equals or name not in chain.names:
            raise UsageError(
                f"--null posture: {name or part!r} does not move the frame", hint=nearest(name or part, chain.names)
            )
        at = chain.names.index(name)
        number = values.numbers(value, "--null posture", (1,), "NAME=VALUE")[0]
        wanted[at] = math.radians(number) if degrees and chain.owner[at].type.coordinate_units == ("rad",) else number
    return wanted


def null_vector(text: str | None, chain: Chain) -> Array | None:
    """The vector of `--null vector=V,...`, one number a degree of freedom of the chain; None for other criteria."""
    import numpy as np

    if text is None or not text.startswith("vector="):
        return None
    form = f"{chain.n} numbers, for {', '.join(chain.names)}"
    return np.array(values.numbers(text.removeprefix("vector="), "--null vector", (chain.n,), form))


def branch_words(text: str, form: ClosedForm) -> tuple[str, ...]:
    """The words of `--branch`, e.g. elbow+ and wrist-. UsageError for one that the closed form does not know."""
    words = tuple(values.split_list(text))
    for word in words:
        if word[:-1] not in form.choices or word[-1:] not in ("+", "-"):
            known = ", ".join(f"{name}+ or {name}-" for name in form.choices)
            raise UsageError(f"--branch: {word!r} is no branch of a {form.name}", hint=known)
    return words
