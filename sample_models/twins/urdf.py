"""A sample robot as URDF text."""

from __future__ import annotations

from collections.abc import Iterator

from twins.colours import COLOURS
from twins.model import ORIGIN, Body, Robot, Solid, Vector, heading, text, texts


def write_urdf(robot: Robot) -> str:
    """The whole file: a link, then the joint that carries the next one, depth first."""
    used = {body.material for body in robot.root.walk() if body.solids}
    lines = ['<?xml version="1.0"?>', heading(robot), f'<robot name="{robot.name}">']
    for name in COLOURS:
        if name in used:
            lines.append(f'  <material name="{name}"><color rgba="{COLOURS[name]}"/></material>')
    lines += _branch(robot.root, parent=None)
    return "\n".join([*lines, "</robot>", ""])


def _branch(body: Body, parent: Body | None) -> Iterator[str]:
    yield ""
    if body.note:
        yield f"  <!-- {body.note} -->"
    if parent is not None:
        yield from _joint(body, parent)
    yield from _link(body)
    for child in body.children:
        yield from _branch(child, body)


def _joint(body: Body, parent: Body) -> Iterator[str]:
    joint = body.joint
    assert joint is not None
    yield f'  <joint name="{joint.name}" type="{joint.kind}">'
    yield f'    <parent link="{parent.name}"/>'
    yield f'    <child link="{body.name}"/>'
    yield f"    {_origin(joint.xyz, joint.rpy)}"
    if joint.kind != "fixed":
        yield f'    <axis xyz="{texts(joint.axis)}"/>'
        bounds = dict(zip(("lower", "upper"), joint.limits, strict=True)) if joint.limits else {}
        yield f"    <limit {_attributes({**bounds, 'effort': joint.effort, 'velocity': joint.velocity})}/>"
    passive = {"damping": joint.damping, "friction": joint.friction}
    if any(passive.values()):
        yield f"    <dynamics {_attributes({name: value for name, value in passive.items() if value})}/>"
    if joint.mimic:
        yield f'    <mimic joint="{joint.mimic}"/>'
    yield "  </joint>"


def _link(body: Body) -> Iterator[str]:
    inertial = body.inertial
    if inertial is None:
        yield f'  <link name="{body.name}"/>'
        return
    names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    yield f'  <link name="{body.name}">'
    yield "    <inertial>"
    yield f"      {_origin(inertial.xyz, inertial.rpy)}"
    yield f'      <mass value="{text(inertial.mass)}"/>'
    yield f"      <inertia {_attributes(dict(zip(names, inertial.tensor, strict=True)))}/>"
    yield "    </inertial>"
    for solid in body.solids:
        yield from _shape("visual", solid, f'<material name="{body.material}"/>')
    for solid in body.solids:
        yield from _shape("collision", solid)
    yield "  </link>"


def _shape(role: str, solid: Solid, *extra: str) -> Iterator[str]:
    size = {
        "box": f'size="{texts(solid.size)}"',
        "cylinder": f'radius="{text(solid.size[0])}" length="{text(solid.size[-1])}"',
        "sphere": f'radius="{text(solid.size[0])}"',
    }[solid.shape]
    yield f"    <{role}>"
    yield f"      {_origin(solid.xyz, solid.rpy)}"
    yield f"      <geometry><{solid.shape} {size}/></geometry>"
    yield from (f"      {line}" for line in extra)
    yield f"    </{role}>"


def _origin(xyz: Vector, rpy: Vector) -> str:
    turned = f' rpy="{texts(rpy)}"' if rpy != ORIGIN else ""
    return f'<origin xyz="{texts(xyz)}"{turned}/>'


def _attributes(values: dict[str, float]) -> str:
    return " ".join(f'{name}="{text(value)}"' for name, value in values.items())
