"""Joint types: one record each, and the only place that knows a joint kind.

A joint type answers a fixed list of questions. To add one, write a subclass of `base.JointType` that answers them in a
module here and enter it in `_TYPES`; nothing else changes.

    names      coordinate_suffixes, velocity_suffixes ("" for one-dof joints: the joint's own name)
    units      coordinate_units, velocity_units ("rad", "m", "" for quaternions; "rad/s", "m/s")
    sizes      nq, nv
    passive    to_joint_axes, from_joint_axes, deflection: springs and dampers are stated in the joint frame's axes
    motion     transform(axis, q): pose of the moved frame in the joint frame
               subspace(axis, q): nv columns in the moved frame, S
               subspace_rate(axis, q, v): Ṡ, column by column, None where S is constant
               stages: groups of velocities in the order in which they move the frame, each fixed in the frame it moves
               unfolded(axis): simpler joints in a row that do the same
               rotor_drift(v, u): what turning axes add to the rate of u where armature multiplies it
    manifold   integrate(q, v): where q goes in unit time at velocity v; difference(q0, q1): the v that leads there
               position_rate(q, v): dq/dt; velocity_of_rate(q, rate): its inverse
               bracket(u, v): how small steps along u and v fail to commute
               tangent(q): the nv directions of q (nq numbers each) that unit velocities move it in
    values     neutral(), normalised(q), from_uniform(u, lower, upper)

Two conventions exist for joints with quaternions or in the plane (see `dyncli.tree`): `mujoco` (quaternion w first,
linear velocity in the axes of the joint frame) and `pinocchio` (quaternion w last, velocities in body axes).
q is a sequence of nq scalars of any kind, v of nv; lengths in m, angles in rad.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dyncli.joints.ball import Ball
from dyncli.joints.base import Z_AXIS, Coordinates, JointType
from dyncli.joints.floating import FloatingInBodyAxes, FloatingInWorldAxes
from dyncli.joints.one_dof import Fixed, Prismatic, Revolute
from dyncli.joints.planar import PlanarInBodyAxes, PlanarInJointAxes, plane_axes
from dyncli.joints.rotation import rotation_about

_TYPES: dict[str, dict[str, JointType]] = {
    "mujoco": {
        "ball": Ball(scalar_last=False),
        "floating": FloatingInWorldAxes(),
        "planar": PlanarInJointAxes(),
    },
    "pinocchio": {
        "ball": Ball(scalar_last=True),
        "floating": FloatingInBodyAxes(),
        "planar": PlanarInBodyAxes(),
    },
}
for _of_convention in _TYPES.values():
    _of_convention |= {
        "revolute": Revolute(),
        "continuous": Revolute("continuous"),
        "prismatic": Prismatic(),
        "fixed": Fixed(),
    }

CONVENTIONS = tuple(_TYPES)

__all__ = [
    "CONVENTIONS",
    "Z_AXIS",
    "Ball",
    "Coordinates",
    "Fixed",
    "FloatingInBodyAxes",
    "FloatingInWorldAxes",
    "JointType",
    "PlanarInBodyAxes",
    "PlanarInJointAxes",
    "Prismatic",
    "Revolute",
    "all_joint_types",
    "coordinates_from_quaternion_first",
    "joint_type",
    "plane_axes",
    "rotation_about",
]


def joint_type(name: str, convention: str) -> JointType:
    """The record of a joint type (`revolute`, `ball`...) in a convention (`mujoco` or `pinocchio`)."""
    return _TYPES[convention][name]


def all_joint_types() -> list[JointType]:
    """Every record once, for tests that hold for all of them."""
    return list({id(record): record for of_convention in _TYPES.values() for record in of_convention.values()}.values())


def coordinates_from_quaternion_first(kind: JointType, values: Sequence[Any]) -> list[Any]:
    """Coordinates in the order of `kind` from a list whose quaternion has w first (how descriptions keep them)."""
    at = kind.quaternion_at
    if at is None or kind.coordinate_suffixes[at] == "qw":
        return list(values)
    w, *rest = values[at:]
    return [*values[:at], *rest, w]
