"""Robots with branches: an upper body on a table, a quadruped, a humanoid.

Left and right are mirror images in the x-z plane: `side` is +1 on the left (y up to the left), -1 on the right.
"""

from __future__ import annotations

from math import cos

from twins.model import ORIGIN, Body, Joint, Robot, Vector, X, Y, Z, box, cylinder, sphere, tilted_cylinder


def _limb(name: str, *segments: Body) -> Body:
    """Bodies hung one on the other, outermost last; names and joints get the limb's name in front."""
    below: tuple[Body, ...] = ()
    for body in reversed(segments):
        assert body.joint is not None
        joint = Joint(**{**vars(body.joint), "name": f"{name}_{body.joint.name}"})
        below = (Body(f"{name}_{body.name}", body.solids, joint, below, body.material, body.note),)
    return below[0]


def _mirrored(limits: tuple[float, float], side: int) -> tuple[float, float]:
    """Limits of a joint about x or z on the given side."""
    return limits if side > 0 else (-limits[1], -limits[0])


def tree_12() -> Robot:
    """Torso of two joints that carries a neck of two and two arms of four."""
    neck = Body(
        "neck",
        (cylinder(0.4, 0.03, 0.06, (0, 0, 0.03)),),
        Joint("neck_yaw", "revolute", (0, 0, 0.36), Z, (-1.5, 1.5), 10.0, 4.0),
        (
            Body(
                "head",
                (sphere(1.8, 0.085, (0.01, 0, 0.08)),),
                Joint("neck_pitch", "revolute", (0, 0, 0.06), Y, (-0.7, 0.8), 10.0, 4.0),
                material="orange",
            ),
        ),
        note="Neck",
    )
    chest = Body(
        "chest",
        (box(7.0, (0.16, 0.28, 0.30), (0, 0, 0.18)),),
        Joint("torso_pitch", "revolute", (0, 0, 0.08), Y, (-0.4, 1.1), 150.0, 2.5),
        (neck, _short_arm("left", 1), _short_arm("right", -1)),
    )
    waist = Body(
        "waist",
        (cylinder(1.5, 0.06, 0.08, (0, 0, 0.04)),),
        Joint("torso_yaw", "revolute", (0, 0, 0.70), Z, (-2.4, 2.4), 120.0, 2.5),
        (chest,),
        "orange",
        note="Torso",
    )
    return Robot(
        "tree_12",
        "Branched tree of 12 joints: torso 2, then neck 2 and two arms of 4 on the second joint of the torso",
        Body("base", (cylinder(20.0, 0.15, 0.70, (0, 0, 0.35)),), None, (waist,), "graphite"),
        poses={"reach": (0.0, {"left_shoulder_pitch": -0.9, "left_elbow": -0.8, "right_elbow": -0.5})},
    )


def _short_arm(name: str, side: int) -> Body:
    return _limb(
        name,
        Body(
            "shoulder",
            (cylinder(0.9, 0.04, 0.08, (0, side * 0.03, 0), "y"),),
            Joint("shoulder_pitch", "revolute", (0, side * 0.16, 0.28), Y, (-2.6, 1.2), 40.0, 4.0),
            note=f"{name.capitalize()} arm",
        ),
        Body(
            "upper_arm_mount",
            (tilted_cylinder(0.8, 0.035, 0.09, (0, side * 0.02, -0.03), (side * 0.4, 0, 0)),),
            Joint("shoulder_roll", "revolute", (0, side * 0.08, 0), X, _mirrored((-0.2, 1.8), side), 40.0, 4.0),
            material="orange",
        ),
        Body(
            "upper_arm",
            (cylinder(1.3, 0.035, 0.18, (0, 0, -0.10)),),
            Joint("shoulder_yaw", "revolute", (0, side * 0.03, -0.06), Z, _mirrored((-1.4, 1.4), side), 25.0, 4.0),
        ),
        Body(
            "forearm",
            (cylinder(0.9, 0.03, 0.22, (0, 0, -0.12)),),
            Joint("elbow", "revolute", (0, 0, -0.21), Y, (-2.3, 0.1), 25.0, 5.0),
            (),
            "orange",
        ),
    )


def quadruped() -> Robot:
    """Twelve joints under a floating trunk."""
    corners = {"front_left": (0.19, 1), "front_right": (0.19, -1), "rear_left": (-0.19, 1), "rear_right": (-0.19, -1)}
    stand = {f"{leg}_{joint}": q for leg in corners for joint, q in (("thigh_pitch", 0.8), ("knee", -1.6))}
    trunk = Body(
        "trunk",
        (box(6.0, (0.36, 0.16, 0.10)), box(0.6, (0.06, 0.10, 0.07), (0.21, 0, 0.02))),
        None,
        tuple(_leg(name, x, side) for name, (x, side) in corners.items()),
        "graphite",
    )
    return Robot(
        "quadruped",
        "Quadruped with three joints a leg; the trunk is free (URDF: load with a floating root)",
        trunk,
        floating=True,
        poses={"stand": (round(0.4 * cos(0.8) + 0.02, 4), stand)},
    )


def _leg(name: str, x: float, side: int) -> Body:
    hip, thigh, shank = (
        Body(
            "hip",
            (cylinder(0.65, 0.045, 0.05, (0, side * 0.02, 0), "y"),),
            Joint("hip_roll", "revolute", (x, side * 0.05, 0), X, _mirrored((-0.6, 0.9), side), 24.0, 20.0),
            note=f"{name.replace('_', ' ').capitalize()} leg",
        ),
        Body(
            "thigh",
            (cylinder(0.6, 0.04, 0.04, (0, side * -0.01, 0), "y"), box(0.4, (0.035, 0.025, 0.20), (0, 0, -0.10))),
            Joint("thigh_pitch", "revolute", (0, side * 0.085, 0), Y, (-1.2, 2.8), 24.0, 20.0),
            material="orange",
        ),
        Body(
            "shank",
            (cylinder(0.17, 0.012, 0.19, (0, 0, -0.095)),),
            Joint("knee", "revolute", (0, 0, -0.20), Y, (-2.6, 0.1), 36.0, 16.0),
        ),
    )
    foot = Body("foot", (sphere(0.06, 0.02),), Joint("foot_mount", "fixed", (0, 0, -0.20)), (), "graphite")
    return _limb(name, hip, thigh, shank, foot)


def humanoid() -> Robot:
    """Thirty joints under a floating pelvis: legs of 6, waist 2, neck 2, arms of 7."""
    neck = Body(
        "neck",
        (cylinder(0.5, 0.03, 0.06, (0, 0, 0.03)),),
        Joint("neck_yaw", "revolute", (0, 0, 0.37), Z, (-1.4, 1.4), 12.0, 6.0),
        (
            Body(
                "head",
                (sphere(2.2, 0.09, (0.01, 0, 0.09)),),
                Joint("neck_pitch", "revolute", (0, 0, 0.07), Y, (-0.7, 0.8), 12.0, 6.0),
                material="orange",
            ),
        ),
        note="Neck and head",
    )
    torso = Body(
        "torso",
        (box(11.0, (0.16, 0.30, 0.32), (0, 0, 0.18)), box(3.0, (0.08, 0.20, 0.20), (-0.11, 0, 0.20))),
        Joint("waist_pitch", "revolute", (0, 0, 0.07), Y, (-0.4, 1.2), 200.0, 6.0),
        (neck, _long_arm("left", 1), _long_arm("right", -1)),
    )
    waist = Body(
        "waist",
        (cylinder(1.2, 0.05, 0.06, (0, 0, 0.03)),),
        Joint("waist_yaw", "revolute", (0, 0, 0.06), Z, (-2.2, 2.2), 120.0, 8.0),
        (torso,),
        "graphite",
        note="Waist and torso",
    )
    crouch = {"hip_pitch": -0.35, "knee": 0.7, "ankle_pitch": -0.35, "elbow": -0.6}
    return Robot(
        "humanoid",
        "Humanoid, 30 revolute joints: legs of 6, waist 2, neck 2, arms of 7; the pelvis is free (URDF: load with a "
        "floating root)",
        Body(
            "pelvis",
            (box(6.0, (0.12, 0.20, 0.10)),),
            None,
            (_long_leg("left", 1), _long_leg("right", -1), waist),
            "graphite",
        ),
        floating=True,
        poses={
            "crouch": (
                round(0.19 + 0.67 * cos(0.35), 4),
                {f"{side}_{joint}": q for side in ("left", "right") for joint, q in crouch.items()},
            )
        },
    )


def _long_leg(name: str, side: int) -> Body:
    return _limb(
        name,
        Body(
            "hip_yaw_link",
            (cylinder(1.3, 0.045, 0.06, (0, 0, -0.02)),),
            Joint("hip_yaw", "revolute", (0, side * 0.09, -0.06), Z, _mirrored((-0.8, 0.8), side), 90.0, 10.0),
            note=f"{name.capitalize()} leg",
        ),
        Body(
            "hip_roll_link",
            (cylinder(1.4, 0.045, 0.10, ORIGIN, "x"),),
            Joint("hip_roll", "revolute", (0, 0, -0.06), X, _mirrored((-0.4, 0.8), side), 140.0, 10.0),
            material="orange",
        ),
        Body(
            "thigh",
            (cylinder(1.2, 0.05, 0.09, ORIGIN, "y"), box(3.0, (0.10, 0.09, 0.30), (0.01, side * 0.01, -0.17))),
            Joint("hip_pitch", "revolute", ORIGIN, Y, (-1.9, 0.9), 180.0, 12.0),
        ),
        Body(
            "shank",
            (cylinder(2.6, 0.045, 0.30, (0, 0, -0.15)),),
            Joint("knee", "revolute", (0, 0, -0.34), Y, (-0.1, 2.4), 200.0, 14.0),
        ),
        Body(
            "ankle",
            (cylinder(0.5, 0.03, 0.06, ORIGIN, "y"),),
            Joint("ankle_pitch", "revolute", (0, 0, -0.33), Y, (-0.9, 0.7), 90.0, 10.0),
            material="orange",
        ),
        Body(
            "foot",
            (box(0.9, (0.22, 0.09, 0.04), (0.03, 0, -0.03)),),
            Joint("ankle_roll", "revolute", (0, 0, -0.02), X, _mirrored((-0.4, 0.4), side), 60.0, 10.0),
            material="graphite",
        ),
        Body("sole", (), Joint("sole_mount", "fixed", (0.03, 0, -0.05))),
    )


def _long_arm(name: str, side: int) -> Body:
    canted: Vector = (side * 0.2, 0.0, 0.0)
    return _limb(
        name,
        Body(
            "shoulder",
            (cylinder(0.9, 0.04, 0.07, (0, side * 0.03, 0), "y"),),
            Joint("shoulder_pitch", "revolute", (0, side * 0.18, 0.29), Y, (-2.8, 1.4), 60.0, 8.0, canted),
            note=f"{name.capitalize()} arm",
        ),
        Body(
            "shoulder_roll_link",
            (cylinder(0.8, 0.04, 0.08, (0, 0, -0.01), "x"),),
            Joint("shoulder_roll", "revolute", (0, side * 0.08, 0), X, _mirrored((-0.4, 2.2), side), 60.0, 8.0),
            material="orange",
        ),
        Body(
            "upper_arm",
            (cylinder(1.4, 0.035, 0.18, (0, 0, -0.08)),),
            Joint("shoulder_yaw", "revolute", (0, 0, -0.06), Z, _mirrored((-1.8, 1.8), side), 40.0, 8.0),
        ),
        Body(
            "forearm",
            (cylinder(0.6, 0.03, 0.08, ORIGIN, "y"), cylinder(0.4, 0.028, 0.14, (0.01, 0, -0.08))),
            Joint("elbow", "revolute", (0, 0, -0.19), Y, (-2.3, 0.1), 40.0, 8.0),
            material="orange",
        ),
        Body(
            "wrist_yaw_link",
            (cylinder(0.35, 0.028, 0.06, (0, 0, -0.02)),),
            Joint("wrist_yaw", "revolute", (0, 0, -0.17), Z, _mirrored((-1.8, 1.8), side), 15.0, 10.0),
        ),
        Body(
            "wrist_roll_link",
            (cylinder(0.25, 0.025, 0.05, ORIGIN, "x"),),
            Joint("wrist_roll", "revolute", (0, 0, -0.06), X, _mirrored((-0.6, 0.6), side), 10.0, 10.0),
            material="orange",
        ),
        Body(
            "hand",
            (box(0.45, (0.03, 0.08, 0.12), (0, 0, -0.08)),),
            Joint("wrist_pitch", "revolute", ORIGIN, Y, (-0.9, 0.9), 10.0, 10.0),
        ),
        Body("palm", (), Joint("palm_mount", "fixed", (0, 0, -0.10))),
    )
