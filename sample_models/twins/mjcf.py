"""A sample robot as MJCF text, equal to its URDF in every number that has a part in the dynamics.

Euler angles are declared as fixed axes x, y, z, so that they are URDF's rpy. Inertia comes from `inertial` alone and
geoms are for the eye: they neither weigh nor touch. What MJCF cannot say (velocity limits) is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from twins.colours import COLOURS
from twins.model import ORIGIN, Body, Inertial, Joint, Robot, Solid, Vector, heading, text, texts


def write_mjcf(robot: Robot) -> str:
    """The whole file; joints come in the order of the URDF."""
    used = {body.material for body in robot.root.walk() if body.solids}
    return "\n".join(
        [
            heading(robot),
            f'<mujoco model="{robot.name}">',
            '  <compiler angle="radian" eulerseq="XYZ" inertiafromgeom="false"/>',
            '  <option gravity="0 0 -9.81"/>',
            "",
            "  <default>",
            '    <geom contype="0" conaffinity="0"/>',
            "  </default>",
            "",
            "  <asset>",
            *(f'    <material name="{name}" rgba="{COLOURS[name]}"/>' for name in COLOURS if name in used),
            "  </asset>",
            "",
            "  <worldbody>",
            *_body(robot.root, robot.floating, indent="    "),
            "  </worldbody>",
            *_equality(robot.root),
            *_keyframes(robot),
            "</mujoco>",
            "",
        ]
    )


def _body(body: Body, floating: bool, indent: str) -> Iterator[str]:
    inner = indent + "  "
    joint = body.joint
    if body.note:
        yield f"{indent}<!-- {body.note} -->"
    place = _place(joint.xyz, joint.rpy) if joint else ""
    if not body.solids and not body.children:
        yield f'{indent}<body name="{body.name}"{place}/>'
        return
    yield f'{indent}<body name="{body.name}"{place}>'
    if floating:
        yield f'{inner}<freejoint name="root"/>'
    elif joint is not None and joint.kind != "fixed":
        yield inner + _joint(joint)
    if body.inertial is not None:
        yield inner + _inertial(body.inertial)
    for solid in body.solids:
        yield inner + _geom(solid, body.material)
    for child in body.children:
        yield from _body(child, False, inner)
    yield f"{indent}</body>"


def _joint(joint: Joint) -> str:
    parts = [f'name="{joint.name}"']
    if joint.kind == "prismatic":
        parts.append('type="slide"')
    parts.append(f'axis="{texts(joint.axis)}"')
    if joint.limits:
        parts.append(f'range="{texts(joint.limits)}"')
    parts.append(f'actuatorfrcrange="{text(-joint.effort)} {text(joint.effort)}"')
    if joint.damping:
        parts.append(f'damping="{text(joint.damping)}"')
    if joint.friction:
        parts.append(f'frictionloss="{text(joint.friction)}"')
    return f"<joint {' '.join(parts)}/>"


def _inertial(inertial: Inertial) -> str:
    mass = f'<inertial pos="{texts(inertial.xyz)}" mass="{text(inertial.mass)}"'
    if any(inertial.tensor[3:]):
        return f'{mass} fullinertia="{texts(inertial.tensor)}"/>'
    turned = f' euler="{texts(inertial.rpy)}"' if inertial.rpy != ORIGIN else ""
    return f'{mass}{turned} diaginertia="{texts(inertial.tensor[:3])}"/>'


def _geom(solid: Solid, material: str) -> str:
    # MJCF sizes are half lengths; a radius stays what it is.
    size = {
        "box": tuple(edge / 2 for edge in solid.size),
        "cylinder": (solid.size[0], solid.size[-1] / 2),
        "sphere": solid.size,
    }[solid.shape]
    return f'<geom type="{solid.shape}" size="{texts(size)}"{_place(solid.xyz, solid.rpy)} material="{material}"/>'


def _place(xyz: Vector, rpy: Vector) -> str:
    moved = f' pos="{texts(xyz)}"' if xyz != ORIGIN else ""
    turned = f' euler="{texts(rpy)}"' if rpy != ORIGIN else ""
    return moved + turned


def _equality(root: Body) -> Iterator[str]:
    """What URDF says by mimic: a constraint here, so both joints keep their coordinate."""
    pairs = [(body.joint.name, body.joint.mimic) for body in root.walk() if body.joint and body.joint.mimic]
    if pairs:
        yield "\n  <equality>"
        for follower, leader in pairs:
            yield f'    <joint joint1="{follower}" joint2="{leader}" polycoef="0 1 0 0 0"/>'
        yield "  </equality>"


def _keyframes(robot: Robot) -> Iterator[str]:
    if not robot.poses:
        return
    moving = [body.joint for body in robot.root.walk() if body.joint and body.joint.kind != "fixed"]
    yield "\n  <keyframe>"
    for name, (height, values) in robot.poses.items():
        root = (0.0, 0.0, height, 1.0, 0.0, 0.0, 0.0) if robot.floating else ()
        qpos = root + tuple(values.get(joint.name, 0.0) for joint in moving)
        yield f'    <key name="{name}" qpos="{texts(qpos)}"/>'
    yield "  </keyframe>"
