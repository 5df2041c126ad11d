"""Manipulability over the workspace of the robot's tips: where they get, and how well they move there."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dyncli.errors import ModelError
from dyncli.info import leaves
from dyncli.report.text import drawable
from dyncli.robot import Robot
from dyncli.structs import struct
from dyncli.tree import Frame, Tree

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dyncli.algorithms.ik.chain import Chain

    Array = NDArray[np.float64]

SAMPLES = 40_000
"""Random positions of a chain."""
CELLS = 30
"""Cells along the longer side of the workspace."""
MOST_TIPS = 6
GENERIC = 1e-9
"""A singular value below this share of the largest is zero."""
VIEWS = (("from the side", 0, 2), ("from above", 0, 1), ("from the front", 1, 2))
"""Name of a view and the world axes that it shows, across and up."""
SHOWN_VIEWS = 2
AXES = "xyz"


@struct
class View:
    """Cells seen along one axis of the world.

    `cells`: (column, row) -> greatest manipulability found there, as a share of the greatest of all; `low`: corner of
    cell (0, 0), m; `cell`: side of a cell, m; `across`, `up`: letters of the axes.
    """

    name: str
    across: str
    up: str
    low: tuple[float, float]
    cell: float
    columns: int
    rows: int
    cells: dict[tuple[int, int], float]


@struct
class Workspace:
    """A tip's workspace in the world frame, the base at rest.

    `joints`: degrees of freedom that move it; `directions`: how many directions it can move in almost everywhere;
    `greatest`: the greatest manipulability found, in `unit` (empty where units mix); `box`: ends of x, y and z, m.
    """

    frame: str
    joints: tuple[str, ...]
    directions: int
    greatest: float
    unit: str
    box: tuple[tuple[float, float], ...]
    views: tuple[View, ...]


@struct
class NoWorkspace:
    """A tip without one, and why."""

    frame: str
    why: str


def workspaces(robot: Robot) -> tuple[list[Workspace | NoWorkspace], int]:
    """The workspaces of up to `MOST_TIPS` tips, those that most joints move, and how many tips are left out."""
    found = tips(robot)
    counts = {frame.name: len(_moving(robot.tree, frame)) for frame in found}
    chosen = sorted(found, key=lambda frame: -counts[frame.name])[:MOST_TIPS]
    return [_workspace(robot.tree, frame) for frame in found if frame in chosen], len(found) - len(chosen)


def tips(robot: Robot) -> list[Frame]:
    """Where the chains of the robot end: of each body that carries no other one the link farthest from its joint."""
    tree = robot.tree
    ends = set(leaves(robot))
    frames: list[Frame] = []
    for i, body in enumerate(tree.bodies):
        if i in tree.parents:
            continue
        own = [frame for frame in tree.frames.values() if frame.body == i and frame.kind == "link"]
        candidates = [frame for frame in own if frame.name in ends] or own
        if candidates and body.joint.type.name != "floating":
            frames.append(max(candidates, key=lambda frame: math.hypot(*frame.placement.translation)))
    return frames


def _moving(tree: Tree, frame: Frame) -> set[int]:
    """Degrees of freedom that move a frame, the base's left out."""
    carriers = (tree.bodies[i].joint for i in tree.ancestors(frame.body))
    return {k for joint in carriers if joint.type.name != "floating" for k in joint.dofs}


def _workspace(tree: Tree, frame: Frame) -> Workspace | NoWorkspace:
    """Positions of a frame at random positions of its chain, and the manipulability of its origin there.

    Manipulability is the product of the singular values of the Jacobian's linear rows, over the directions in which the
    frame can move at all: √det J Jᵀ where these are three. Source: Yoshikawa (1985).
    """
    import numpy as np

    from dyncli.algorithms.ik.chain import Chain

    try:
        chain = Chain(tree, frame, tree.neutral)
    except ModelError as error:
        return NoWorkspace(frame.name, error.findings[0].message)
    uniforms = np.random.Generator(np.random.PCG64(0)).random((chain.uniforms, SAMPLES))
    with np.errstate(all="ignore"):
        at = chain.kinematics(chain.random(uniforms))
    J = np.moveaxis(at.jacobian[:3], 2, 0)
    points = at.position
    if not drawable((float(np.abs(points).max()), float(np.abs(J).max(initial=0.0)))):
        return NoWorkspace(frame.name, "its positions are no numbers that could be drawn")
    values = np.linalg.svd(J, compute_uv=False)
    directions = int((values > GENERIC * values.max(initial=0.0)).sum(axis=1).max(initial=0))
    if not directions:
        return NoWorkspace(frame.name, "its joints turn it on the spot")
    measure = np.prod(values[:, :directions], axis=1)
    box = tuple((float(row.min()), float(row.max())) for row in points)
    views = [_view(name, across, up, points, measure) for name, across, up in VIEWS]
    # a workspace in a plane is a line from two sides
    wide = [view for view in views if min(view.columns, view.rows) > 1] or views
    best = float(measure.max())
    return Workspace(
        frame.name, chain.names, directions, best, _unit(chain, directions), box, tuple(wide[:SHOWN_VIEWS])
    )


def _unit(chain: Chain, directions: int) -> str:
    """Unit of a product of that many singular values; none where a joint slides, since metres and ratios mix."""
    if any(unit != "rad/s" for joint in chain.joints for unit in joint.type.velocity_units):
        return ""
    return ("m", "m²", "m³")[directions - 1]


def _view(name: str, across: int, up: int, points: Array, measure: Array) -> View:
    import numpy as np

    plane = points[[across, up]]
    low, high = plane.min(axis=1), plane.max(axis=1)
    cell = float(max(high - low)) / CELLS or 1.0
    places = np.floor((plane - low[:, None]) / cell).astype(int).clip(0, CELLS - 1)
    shares = measure / (float(measure.max()) or 1.0)
    cells: dict[tuple[int, int], float] = {}
    for column, row, share in zip(*places.tolist(), shares.tolist(), strict=True):
        cells[column, row] = max(cells.get((column, row), 0.0), share)
    columns, rows = (int(line.max()) + 1 for line in places)
    return View(name, AXES[across], AXES[up], (float(low[0]), float(low[1])), cell, columns, rows, cells)
