"""What a joint is once its attributes are worked out, and which joints a body may have."""

from __future__ import annotations

import math
from typing import cast

from dyncli.formats.mjcf.element import Report
from dyncli.formats.mjcf.parts import Body, Part
from dyncli.spatial import ZERO3, Vector3, rotate, scale3
from dyncli.structs import struct

TYPES = {"free": "floating", "ball": "ball", "slide": "prismatic", "hinge": "revolute"}
"""MJCF's joint types by the names of the description; a hinge without limits is continuous."""
DOFS = {"floating": 6, "ball": 3, "prismatic": 1, "revolute": 1, "continuous": 1}
COORDINATES = {"floating": 7, "ball": 4, "prismatic": 1, "revolute": 1, "continuous": 1}
MAX_DOFS = 6
TOO_SHORT = 1e-7
"""An axis of at most this length has no direction, as in MuJoCo."""
UP: Vector3 = (0.0, 0.0, 1.0)


@struct
class Joint:
    """A joint of a body. `anchor` (m) and `axis` (unit vector) are in the body frame as drawn.

    `name` is empty until `names` gives one to what the file leaves unnamed.

    `damping`, `stiffness`: as in `JointDescription`; `spring_damper`: time constant (s) and damping ratio that stand
    for both, or None.
    """

    name: str
    type: str
    anchor: Vector3
    axis: Vector3
    lower: float | None
    upper: float | None
    effort: float | None
    reference: float
    spring_reference: float
    stiffness: tuple[float, ...]
    damping: tuple[float, ...]
    friction: float
    armature: float
    spring_damper: tuple[float, float] | None
    motor_carries_weight: bool
    part: Part

    @property
    def named(self) -> bool:
        """Whether the file names it."""
        return bool(self.part.name)

    @property
    def dofs(self) -> int:
        """Degrees of freedom."""
        return DOFS[self.type]

    @property
    def coordinates(self) -> int:
        """Numbers in qpos."""
        return COORDINATES[self.type]


def joint_type(part: Part) -> str:
    """The type of a joint, limits not looked at."""
    return "floating" if part.element.tag == "freejoint" else TYPES[str(part.values.get("type", "hinge"))]


def compile_joint(part: Part, report: Report) -> Joint:
    """Work out a joint; what is wrong with it is reported."""
    values, settings = part.values, part.model.settings
    kind = joint_type(part)
    anchor, axis = ZERO3, UP
    if kind in ("prismatic", "revolute"):
        axis = _axis(part, report)
    if kind != "floating":
        anchor = part.frame.transform().point_to_parent(cast("Vector3", values.get("pos", ZERO3)))
    limits = None if kind == "floating" else _range(part, "limited", "range", report)
    if limits is not None:
        lower, upper = limits
        if kind == "ball" and lower:
            report.fatal("joint-range", part.element, f"the range of a ball joint starts at 0, found {lower:g}")
        elif kind != "ball" and not lower < upper:
            message = f"the range {lower:g} {upper:g} is empty: the first must be smaller than the second"
            report.fatal("joint-range", part.element, message)
        if kind == "ball":
            limits = None  # an angle of turn, which no coordinate of a ball joint is
        elif kind == "revolute":
            limits = (settings.radians(lower), settings.radians(upper))
    elif kind == "revolute":
        kind = "continuous"
    angular = kind in ("revolute", "continuous")
    one_dof = angular or kind == "prismatic"
    reference, rest = _number(part, "ref"), _number(part, "springref")
    return Joint(
        name=part.name,
        type=kind,
        anchor=anchor,
        axis=axis,
        lower=_finite(limits[0]) if limits else None,
        upper=_finite(limits[1]) if limits else None,
        effort=_effort(part, report) if one_dof else None,
        reference=(settings.radians(reference) if angular else reference) if one_dof else 0.0,
        spring_reference=(settings.radians(rest) if angular else rest) if one_dof else 0.0,
        stiffness=polynomial(part.values.get("stiffness", ())),
        damping=polynomial(part.values.get("damping", ())),
        friction=max(0.0, _number(part, "frictionloss")),
        armature=_number(part, "armature"),
        spring_damper=_spring_damper(part, report),
        motor_carries_weight=values.get("actuatorgravcomp") == "true",
        part=part,
    )


def check_joints(body: Body, joints: list[Joint], at_top: bool, report: Report) -> None:
    """Report sets of joints that one body cannot have; `at_top`: whether the body hangs on the world."""
    if body.values.get("mocap") == "true" and (joints or not at_top):
        report.fatal("mocap", body.element, "a mocap body must be a fixed child of the world")
    if not joints:
        return
    types = [joint.type for joint in joints]
    if "floating" in types and not at_top:
        report.fatal("free-joint", body.element, "a free joint can only stand in a body at the top level")
    dofs = sum(joint.dofs for joint in joints)
    if dofs > MAX_DOFS:
        report.fatal(
            "too-many-joints", body.element, f"its joints have {dofs} degrees of freedom, at most 6 are allowed"
        )
    if "ball" in types and any(kind not in ("prismatic", "floating") for kind in types[types.index("ball") + 1 :]):
        report.fatal("ball-then-rotation", body.element, "after a ball joint no other joint of the body may turn it")


def polynomial(numbers: object) -> tuple[float, ...]:
    """Coefficients of a spring or damper without the zeros at the end; empty where it does nothing."""
    coefficients = list(cast("tuple[float, ...]", numbers))
    while coefficients and not coefficients[-1]:
        coefficients.pop()
    return tuple(coefficients)


def _axis(part: Part, report: Report) -> Vector3:
    x, y, z = axis = rotate(part.frame.rotation(), cast("Vector3", part.values.get("axis", UP)))
    length = math.sqrt(x * x + y * y + z * z)
    if length <= TOO_SHORT:
        report.fatal("axis-zero", part.element, "the axis has no length and so no direction")
        return UP
    return scale3(1.0 / length, axis) if abs(length - 1.0) > 1e-15 else axis


def _range(part: Part, switch: str, name: str, report: Report) -> tuple[float, float] | None:
    """The range of a joint where it limits: by its switch, or by being there (`autolimits`)."""
    limits = cast("tuple[float, float]", part.values.get(name, (0.0, 0.0)))
    limited = part.values.get(switch, "auto")
    if limited == "auto":
        if not part.model.settings.autolimits and any(limits):
            message = f"has {name} but not {switch}, and autolimits is off"
            report.fatal("limits", part.element, message, f"give {switch}, or leave the {name} out")
        limited = "true" if limits[0] < limits[1] else "false"
    return limits if limited == "true" else None


def _effort(part: Part, report: Report) -> float | None:
    """What actuators together may do on the joint: the greater bound of `actuatorfrcrange`."""
    limits = _range(part, "actuatorfrclimited", "actuatorfrcrange", report)
    if limits is None:
        return None
    if not limits[0] < limits[1]:
        report.fatal("joint-range", part.element, f"actuatorfrcrange {limits[0]:g} {limits[1]:g} is empty")
    return _finite(max(abs(limit) for limit in limits))


def _spring_damper(part: Part, report: Report) -> tuple[float, float] | None:
    time, ratio = cast("tuple[float, float]", part.values.get("springdamper", (0.0, 0.0)))
    if not (time or ratio):
        return None
    if time <= 0.0 or ratio <= 0.0:
        report.fatal("springdamper", part.element, f"springdamper {time:g} {ratio:g}: both must be positive")
        return None
    return time, ratio


def _number(part: Part, name: str) -> float:
    return cast("tuple[float]", part.values.get(name, (0.0,)))[0]


def _finite(limit: float) -> float | None:
    return limit if math.isfinite(limit) else None
