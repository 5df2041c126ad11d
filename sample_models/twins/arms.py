"""The arms: planar ones for closed forms, six and seven joints for real work, one on a rail with a gripper."""

from __future__ import annotations

from math import pi

from twins.model import ORIGIN, Body, Joint, Robot, X, Y, Z, box, cylinder, frame

QUARTER = pi / 2


def planar_2r() -> Robot:
    """Two aluminium bars of 0.20 and 0.15 m in the x-y plane."""
    forearm = _bar("forearm", "elbow", at=0.20, length=0.15, mass=0.15, effort=4.0, below=frame("tip", (0.15, 0, 0)))
    upper_arm = _bar("upper_arm", "shoulder", at=0.0, length=0.20, mass=0.32, effort=8.0, below=forearm)
    return Robot(
        "planar_2r",
        "Planar arm, two revolute joints about z: x = 0.20 cos q1 + 0.15 cos(q1 + q2). Weight acts along z, out of the "
        "plane; for a vertical arm give a gravity along -y.",
        Body("base", (cylinder(1.2, 0.04, 0.05, (0, 0, -0.04)),), None, (upper_arm,), "graphite"),
        poses={"bent": (0.0, {"shoulder": 0.5236, "elbow": 0.7854})},
    )


def planar_3r() -> Robot:
    """Three bars: one joint more than the plane needs for a position."""
    hand = _bar("hand", "wrist", at=0.15, length=0.10, mass=0.08, effort=2.0, below=frame("tip", (0.10, 0, 0)))
    forearm = _bar("forearm", "elbow", at=0.20, length=0.15, mass=0.15, effort=4.0, below=hand)
    upper_arm = _bar("upper_arm", "shoulder", at=0.0, length=0.20, mass=0.32, effort=8.0, below=forearm)
    return Robot(
        "planar_3r",
        "Planar arm, three revolute joints about z, links of 0.20, 0.15 and 0.10 m: redundant for a point in the "
        "plane. Weight acts along z, out of the plane; for a vertical arm give a gravity along -y.",
        Body("base", (cylinder(1.2, 0.04, 0.05, (0, 0, -0.04)),), None, (upper_arm,), "graphite"),
        poses={"bent": (0.0, {"shoulder": 0.5236, "elbow": 0.7854, "wrist": 0.2618})},
    )


def _bar(name: str, joint: str, *, at: float, length: float, mass: float, effort: float, below: Body) -> Body:
    return Body(
        name,
        (box(mass, (length, 0.03, 0.02), (length / 2, 0, 0)),),
        Joint(joint, "revolute", (at, 0, 0), Z, (-pi, pi), effort, 6.0),
        (below,),
        "orange" if name == "forearm" else "aluminium",
    )


def arm_6r() -> Robot:
    """An industrial arm whose last three axes meet in one point."""
    flange = Body(
        "flange",
        (cylinder(0.25, 0.03, 0.03, (0.015, 0, 0), "x"),),
        Joint("wrist_yaw", "revolute", (0.06, 0, 0), X, (-6.1, 6.1), 12.0, 7.0, damping=0.05),
        (frame("tool", (0.03, 0, 0), (0, QUARTER, 0), "Tool frame: z points out of the flange"),),
        "orange",
    )
    wrist = Body(
        "wrist",
        (cylinder(0.6, 0.035, 0.08, ORIGIN, "y"), box(0.2, (0.06, 0.04, 0.04), (0.03, 0, 0))),
        Joint("wrist_pitch", "revolute", (0.22, 0, 0), Y, (-2.1, 2.1), 20.0, 5.2, damping=0.1),
        (flange,),
        note="Spherical wrist: the axes of wrist_roll, wrist_pitch and wrist_yaw meet at the origin of this link",
    )
    tube = Body(
        "forearm_tube",
        (cylinder(1.8, 0.045, 0.19, (0.095, 0, 0), "x"),),
        Joint("wrist_roll", "revolute", (0.10, 0, 0.03), X, (-3.0, 3.0), 30.0, 5.2, damping=0.15),
        (wrist,),
        "orange",
    )
    forearm = Body(
        "forearm",
        (cylinder(1.4, 0.05, 0.10, ORIGIN, "y"), box(1.2, (0.12, 0.08, 0.09), (0.04, 0, 0.03))),
        Joint("elbow", "revolute", (0, 0, 0.32), Y, (-1.9, 1.3), 90.0, 3.1, damping=0.8),
        (tube,),
    )
    upper_arm = Body(
        "upper_arm",
        (box(4.2, (0.10, 0.08, 0.36), (0, 0, 0.15)),),
        Joint("shoulder", "revolute", (0.05, 0, 0.19), Y, (-1.9, 1.9), 150.0, 2.6, damping=1.2),
        (forearm,),
        "orange",
    )
    turret = Body(
        "turret",
        (cylinder(4.0, 0.08, 0.16, (0, 0, 0.08)), cylinder(3.0, 0.07, 0.22, (0.05, 0, 0.19), "y")),
        Joint("waist", "revolute", (0, 0, 0.12), Z, (-2.9, 2.9), 150.0, 3.1, damping=1.2),
        (upper_arm,),
    )
    return Robot(
        "arm_6r",
        "Industrial arm, six revolute joints with a spherical wrist: at zero the upper arm stands up and the forearm "
        "points along x.",
        Body("base", (cylinder(6.0, 0.10, 0.12, (0, 0, 0.06)),), None, (turret,), "graphite"),
        poses={"ready": (0.0, {"shoulder": 0.3, "elbow": 0.2, "wrist_pitch": 1.07})},
    )


def arm_7r() -> Robot:
    """A light arm, spherical shoulder, elbow, spherical wrist; each joint turns about its frame's z."""
    to_side, to_front = (-QUARTER, 0.0, 0.0), (QUARTER, 0.0, 0.0)
    flange = Body(
        "flange",
        (cylinder(0.35, 0.035, 0.04, (0, 0, 0.02)),),
        Joint("joint7", "revolute", (0, -0.07, 0), Z, (-3.0, 3.0), 30.0, 3.6, to_front),
        (frame("tool", (0, 0, 0.04)),),
        "orange",
    )
    hand = Body(
        "wrist_pitch_link",
        (cylinder(1.1, 0.045, 0.10), box(0.5, (0.06, 0.05, 0.07), (0, -0.04, 0.01))),
        Joint("joint6", "revolute", (0, 0, 0.18), Z, (-2.0, 2.0), 40.0, 3.6, to_side),
        (flange,),
        note="Wrist: the axes of joint5, joint6 and joint7 meet at the origin of this link",
    )
    forearm = Body(
        "forearm",
        (cylinder(1.6, 0.05, 0.16, (0, 0, 0.09)), box(0.3, (0.05, 0.04, 0.08), (0, 0.05, 0.11))),
        Joint("joint5", "revolute", (0, -0.18, 0), Z, (-2.9, 2.9), 60.0, 2.8, to_front),
        (hand,),
    )
    elbow = Body(
        "elbow_link",
        (cylinder(1.3, 0.055, 0.12), cylinder(1.2, 0.05, 0.14, (0, -0.11, 0.012), "y")),
        Joint("joint4", "revolute", (0, 0, 0.19), Z, (-2.1, 2.1), 110.0, 2.2, to_side),
        (forearm,),
        "orange",
    )
    upper_arm = Body(
        "upper_arm",
        (cylinder(2.6, 0.055, 0.18, (0, 0, 0.09)), box(0.5, (0.06, 0.05, 0.10), (0, -0.055, 0.11))),
        Joint("joint3", "revolute", (0, -0.19, 0), Z, (-2.9, 2.9), 110.0, 2.2, to_front),
        (elbow,),
    )
    shoulder = Body(
        "shoulder_link",
        (cylinder(1.8, 0.06, 0.14), cylinder(1.5, 0.055, 0.15, (0, -0.11, 0.015), "y")),
        Joint("joint2", "revolute", (0, 0, 0.17), Z, (-2.0, 2.0), 180.0, 1.7, to_side),
        (upper_arm,),
        "orange",
        note="Shoulder: the axes of joint1, joint2 and joint3 meet at the origin of this link",
    )
    column = Body(
        "column",
        (cylinder(3.4, 0.065, 0.17, (0, 0, 0.085)),),
        Joint("joint1", "revolute", (0, 0, 0.15), Z, (-2.9, 2.9), 180.0, 1.7),
        (shoulder,),
    )
    return Robot(
        "arm_7r",
        "Light arm, seven revolute joints (spherical shoulder, elbow, spherical wrist): straight up at zero.\n"
        "     Every joint turns about z of its own frame; the frames are turned a quarter about x in between.",
        Body("base", (cylinder(5.0, 0.09, 0.15, (0, 0, 0.075)),), None, (column,), "graphite"),
        poses={"ready": (0.0, {"joint2": 0.5, "joint4": 1.4, "joint6": 1.2})},
    )


def rail_gripper() -> Robot:
    """Five revolute joints on a rail, and two fingers of which one follows the other."""
    wrist = Body(
        "wrist",
        (cylinder(0.8, 0.035, 0.07, (0.01, 0, 0), "y"),),
        Joint("wrist_pitch", "revolute", (0.28, 0, 0), Y, (-2.0, 2.0), 25.0, 4.0, damping=0.1),
        (
            Body(
                "palm",
                (box(0.7, (0.05, 0.12, 0.06), (0.025, 0, 0)),),
                Joint("wrist_roll", "revolute", (0.06, 0, 0), X, (-3.0, 3.0), 15.0, 5.0, damping=0.05),
                (_finger("left", 1, ""), _finger("right", -1, "left_finger_slide"), frame("grasp", (0.11, 0, 0))),
                "orange",
            ),
        ),
    )
    forearm = Body(
        "forearm",
        (box(2.0, (0.30, 0.06, 0.07), (0.12, 0, 0)),),
        Joint("elbow", "revolute", (0, 0, 0.30), Y, (-2.2, 1.4), 80.0, 3.0, damping=0.6),
        (wrist,),
    )
    upper_arm = Body(
        "upper_arm",
        (box(3.6, (0.09, 0.08, 0.34), (0, 0, 0.15)),),
        Joint("shoulder", "revolute", (0, 0, 0.20), Y, (-1.8, 1.8), 140.0, 2.5, damping=1.0),
        (forearm,),
        "orange",
    )
    turret = Body(
        "turret",
        (cylinder(4.0, 0.07, 0.20, (0, 0, 0.10)),),
        Joint("turn", "revolute", (0, 0, 0.06), Z, (-2.9, 2.9), 120.0, 3.0, damping=1.0),
        (upper_arm,),
    )
    carriage = Body(
        "carriage",
        (box(8.0, (0.25, 0.25, 0.06), (0, 0, 0.03)),),
        Joint("rail", "prismatic", (0, 0, 0.08), X, (-0.9, 0.9), 800.0, 1.5, damping=60.0, friction=12.0),
        (turret,),
        "graphite",
    )
    return Robot(
        "rail_gripper",
        "Arm on a linear axis with a two-finger gripper: rail, five revolute joints, and two fingers that move as one",
        Body("base", (box(40.0, (2.2, 0.20, 0.08), (0, 0, 0.04)),), None, (carriage,), "graphite"),
        poses={"open": (0.0, {"shoulder": 0.4, "elbow": 0.3, "left_finger_slide": 0.03, "right_finger_slide": 0.03})},
    )


def _finger(name: str, side: int, follows: str) -> Body:
    """`side`: +1 opens along y, -1 against it."""
    slide = Joint(f"{name}_finger_slide", "prismatic", (0.05, 0, 0), (0, side, 0), (0, 0.04), 40.0, 0.2, mimic=follows)
    return Body(f"{name}_finger", (box(0.09, (0.07, 0.012, 0.025), (0.035, side * 0.006, 0)),), slide)


def cartpole() -> Robot:
    """The textbook's cart and pole."""
    pole = Body(
        "pole",
        (cylinder(0.2, 0.01, 1.0, (0, 0, 0.5)),),
        Joint("hinge", "continuous", (0, 0, 0.06), Y, None, 5.0, 20.0),
        (frame("tip", (0, 0, 1.0)),),
        "orange",
    )
    cart = Body(
        "cart",
        (box(1.0, (0.30, 0.20, 0.12)),),
        Joint("slider", "prismatic", ORIGIN, X, (-2.4, 2.4), 50.0, 5.0),
        (pole,),
    )
    return Robot(
        "cartpole",
        "Cart on a track with a pole that turns about y without end; the pole stands up at zero",
        Body("track", (box(12.0, (5.2, 0.06, 0.04), (0, 0, -0.08)),), None, (cart,), "graphite"),
        poses={"hanging": (0.0, {"hinge": 3.1416}), "leaning": (0.0, {"hinge": 0.2})},
    )
