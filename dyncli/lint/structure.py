"""Rules on the tree: what moves nothing, moves twice, or does not move."""

from __future__ import annotations

import math
from collections.abc import Iterator

from dyncli.algorithms.crba import crba
from dyncli.algorithms.kinematics import body_poses
from dyncli.algorithms.rank import dependent_dofs
from dyncli.description import JointDescription, LinkDescription
from dyncli.errors import Finding
from dyncli.lint.model import Model, listed
from dyncli.spatial import Transform, cross3, dot3, rotate, subtract3

COINCIDENT = 1e-9
GOLDEN = 0.6180339887498949
TURNING = ("revolute", "continuous")


def massless_branches(model: Model) -> Iterator[Finding]:
    """Joints with nothing of mass behind them; one finding a branch, at the joint nearest to the base."""
    tree = model.tree
    empty = _without_inertia(model)
    if not empty:
        return
    if len(empty) == tree.nv and not model.total_mass:
        names = [tree.bodies[i].joint.name for i in dict.fromkeys(tree.dof_body)]
        message = f"no link has mass: the mass matrix is zero for all joints ({listed(names)})"
        yield model.finding("massless-branch", "error", model.description.links[0], message)
        return
    idle = [i for i, body in enumerate(tree.bodies) if set(body.joint.dofs) & empty]
    for i in idle:
        parent = tree.bodies[i].parent
        if parent in idle:
            continue
        behind = [j for j in range(i, len(tree.bodies)) if i in tree.ancestors(j)]
        links = [name for j in behind for name in _links_of(model, j)]
        joint = tree.bodies[i].joint
        with_it = [tree.bodies[j].joint.name for j in behind[1:]]
        more = f" (with joint{'s' if len(with_it) > 1 else ''} {listed(with_it)})" if with_it else ""
        message = (
            f"joint {joint.name!r}{more} moves only {listed(links)}, which "
            f"{'have' if len(links) > 1 else 'has'} no inertia along it: the mass matrix is singular and forward "
            "dynamics has no answer"
        )
        yield model.finding("massless-branch", "error", _described(model, joint.name), message)


def dependent_joints(model: Model) -> Iterator[Finding]:
    """Degrees of freedom that the others already give: M is singular at every pose though no branch is massless."""
    if any(link.inertial and link.inertial.mass < 0.0 for link in model.description.links):
        return
    everywhere = (set(dependent_dofs(model.tree, _ordinary_pose(model, seed))) for seed in (0, 1))
    dependent = set.intersection(*everywhere) - _without_inertia(model)
    for i, names in _by_joint(model, dependent).items():
        joint = model.tree.bodies[i].joint
        message = (
            f"{', '.join(names)}: adds no motion to what the joints behind it give, so the mass matrix is singular"
        )
        yield model.finding("singular-mass-matrix", "error", _described(model, joint.name), message)


def massless_links(model: Model) -> Iterator[Finding]:
    """Moving bodies without mass whose branch has some."""
    tree = model.tree
    empty = _without_inertia(model)
    for body in tree.bodies:
        link = model.links.get(body.link)
        if link is None or link.virtual or set(body.joint.dofs) & empty:
            continue
        if body.inertia.mass == 0.0 and not any(body.inertia.rotational) and not body.joint.armature:
            message = f"moved by joint {body.joint.name!r}, mass 0: only what lies behind it has inertia"
            # a link without inertial is a frame on purpose, a mass that is written as 0 may be one that is missing
            severity = "warning" if link.inertial else "note"
            yield model.finding("massless-link", severity, link, message)


def coincident_axes(model: Model) -> Iterator[Finding]:
    """Turning joints of one parent, or one behind the other, about the same line in the same direction."""
    tree = model.tree
    poses = body_poses(tree, tree.neutral)
    turning = [i for i, body in enumerate(tree.bodies) if body.joint.type.name in TURNING and not body.joint.mimics]
    for j in turning:
        for i in turning:
            behind = tree.bodies[j].parent == i
            beside = i < j and tree.bodies[j].parent == tree.bodies[i].parent
            if (behind or beside) and _same_line(model, i, poses[i], j, poses[j], same_origin=beside):
                first, second = tree.bodies[i].joint.name, tree.bodies[j].joint.name
                how = "turns about the axis of" if behind else "has origin and axis of"
                message = f"{how} joint {first!r}, {'which carries it' if behind else 'its sibling'}"
                yield model.finding("coincident-axes", "note", _described(model, second), message)
                break


def mass_budget(model: Model) -> Iterator[Finding]:
    """Where the mass of the links goes once fixed joints are merged."""
    tree = model.tree
    welded = tree.fixed_inertia.mass
    moving = sum(body.inertia.mass for body in tree.bodies)
    if not welded or not tree.bodies or abs(welded) < 1e-3 * abs(moving):
        return
    names = [link.name for link in model.description.links if link.inertial and not model.moves(link)]
    carried = [link for link in model.description.links if link.inertial and model.moves(link)]
    message = (
        f"of {moving + welded:.6g} kg in {len(names) + len(carried)} links {welded:.6g} kg are welded to the world "
        f"({listed(names)}); {moving:.6g} kg of {len(carried)} links move as {len(tree.bodies)} bodies"
    )
    yield model.finding("mass-budget", "note", model.description.links[0], message)


def no_gravity(model: Model) -> Iterator[Finding]:
    """A world without weight, or a free base whose weight is carried."""
    root = model.description.links[0]
    if not any(model.tree.gravity):
        yield model.finding("no-gravity", "note", root, "gravity is 0, 0, 0: nothing weighs")
        return
    for joint in model.description.joints:
        link = model.links[joint.child]
        if joint.type == "floating" and joint.parent == root.name and link.gravity_compensation:
            share = link.gravity_compensation
            message = f"the free base carries {share:g} of its weight (gravcomp), which --passive alone counts"
            yield model.finding("no-gravity", "note", link, message)


def _without_inertia(model: Model) -> set[int]:
    """Degrees of freedom that move no mass, rotor or tensor at all."""
    return {k for k, row in enumerate(crba(model.tree, _ordinary_pose(model, 0))) if row[k] == 0.0}


def _ordinary_pose(model: Model, seed: int) -> list[float]:
    """A pose that nothing singles out, within the limits; the same on every machine."""
    q: list[float] = []
    count = 1 + 7 * seed
    for joint in model.tree.joints:
        uniforms = [math.modf((count + k) * GOLDEN)[0] for k in range(joint.type.uniforms)]
        count += joint.type.uniforms
        q += joint.type.from_uniform(uniforms, joint.lower, joint.upper)
    return q


def _by_joint(model: Model, dofs: set[int]) -> dict[int, list[str]]:
    """Names of degrees of freedom by the body whose joint owns them."""
    grouped: dict[int, list[str]] = {}
    for k in sorted(dofs):
        grouped.setdefault(model.tree.dof_body[k], []).append(repr(model.tree.dofs[k]))
    return grouped


def _links_of(model: Model, body: int) -> list[str]:
    return [frame.name for frame in model.tree.frames.values() if frame.body == body and frame.kind == "link"]


def _described(model: Model, joint: str) -> JointDescription | LinkDescription:
    """What the file says about a joint; the root link for the joint that --root adds."""
    return model.joints.get(joint) or model.description.links[0]


def _same_line(model: Model, i: int, at_i: Transform, j: int, at_j: Transform, *, same_origin: bool) -> bool:
    """Whether two axes point the same way along the same line (for siblings from the same point)."""
    a = rotate(at_i.rotation, model.tree.bodies[i].joint.axis)
    b = rotate(at_j.rotation, model.tree.bodies[j].joint.axis)
    offset = subtract3(at_j.translation, at_i.translation)
    if dot3(a, b) < 1.0 - COINCIDENT:
        return False
    return math.hypot(*(offset if same_origin else cross3(a, offset))) < COINCIDENT
