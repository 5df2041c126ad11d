"""Small URDFs written around the part that a test is about, and what the reader says of them."""

from __future__ import annotations

import pytest

from dyncli.description import JointDescription, RobotDescription
from dyncli.errors import Finding, ModelError
from dyncli.formats.load import parse_description

LIMIT = '<limit lower="-1" upper="2" effort="3" velocity="4"/>'
INERTIA = '<inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/>'


def read(body: str, name: str = 'name="r"') -> RobotDescription:
    return parse_description(f"<robot {name}>\n{body}\n</robot>".encode(), "r.urdf")


def joint_with(inner: str, kind: str = "revolute", limit: str = LIMIT) -> RobotDescription:
    """A robot of one joint named hip; `inner` begins on line 2."""
    return read(
        f'<joint name="hip" type="{kind}">{inner}{limit}<parent link="a"/><child link="b"/></joint>'
        '<link name="a"/><link name="b"/>'
    )


def hip(inner: str, kind: str = "revolute", limit: str = LIMIT) -> JointDescription:
    return joint_with(inner, kind, limit).joints[0]


def codes(description: RobotDescription) -> list[str]:
    return [finding.code for finding in description.findings]


def only_finding(description: RobotDescription) -> Finding:
    (finding,) = description.findings
    assert finding.path == "r.urdf"
    assert finding.line is not None
    return finding


def refusal(body: str, name: str = 'name="r"') -> list[str]:
    with pytest.raises(ModelError) as caught:
        read(body, name)
    return caught.value.lines()
