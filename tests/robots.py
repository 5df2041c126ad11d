"""Small robots put together by hand, for tests of names and files rather than of dynamics."""

from __future__ import annotations

from dyncli.build import ModelOptions, build_tree
from dyncli.description import (
    JointDescription,
    KeyframeDescription,
    LinkDescription,
    MimicDescription,
    RobotDescription,
)
from dyncli.tree import Tree


def robot(
    *joints: JointDescription, format: str = "urdf", keyframes: tuple[KeyframeDescription, ...] = ()
) -> RobotDescription:
    """Links named after the joints that move them, on a base."""
    links = (LinkDescription("base_link"), *(LinkDescription(joint.child) for joint in joints))
    return RobotDescription("hand-made", format, "hand-made", links, joints, keyframes=keyframes)


def joint(name: str, type: str = "revolute", parent: str = "base_link", **more: object) -> JointDescription:
    """A joint that moves the link `NAME_link`."""
    return JointDescription(name, type, parent, f"{name}_link", **more)  # type: ignore[arg-type]


def two_joints(**options: object) -> Tree:
    """`shoulder` (±2 rad) and `elbow` (-0.5 to 2.5 rad)."""
    shoulder = joint("shoulder", lower=-2.0, upper=2.0)
    elbow = joint("elbow", parent="shoulder_link", lower=-0.5, upper=2.5)
    return build_tree(robot(shoulder, elbow), ModelOptions(**options))  # type: ignore[arg-type]


def gripper(**options: object) -> Tree:
    """`rail` (m), `wrist`, `left` (m) and `right` that mimics it with multiplier -1 and offset 0.01."""
    return build_tree(
        robot(
            joint("rail", "prismatic", lower=0.0, upper=1.0),
            joint("wrist", "continuous", "rail_link"),
            joint("left", "prismatic", "wrist_link", lower=0.0, upper=0.1),
            joint("right", "prismatic", "wrist_link", mimic=MimicDescription("left", -1.0, 0.01)),
        ),
        ModelOptions(**options),  # type: ignore[arg-type]
    )


def floating(convention: str = "auto") -> Tree:
    """`root` (floating) with a `leg`."""
    return build_tree(robot(joint("leg")), ModelOptions(root="floating", convention=convention))


def free_body(**options: object) -> Tree:
    """An MJCF with a floating `body`, a ball `hip` and a `knee`, and keyframes `home` and `short`."""
    home = KeyframeDescription(
        "home", (1.0, 2.0, 3.0, 0.6, 0.8, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.5), tuple(map(float, range(10)))
    )
    return build_tree(
        robot(
            joint("body", "floating"),
            joint("hip", "ball", "body_link"),
            joint("knee", "revolute", "hip_link"),
            format="mjcf",
            keyframes=(home, KeyframeDescription("short", (1.0, 2.0))),
        ),
        ModelOptions(**options),  # type: ignore[arg-type]
    )
