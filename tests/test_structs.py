"""Structs behave as dataclasses with the same fields do."""

from __future__ import annotations

import dataclasses
import pickle
from typing import ClassVar

import pytest

from dyncli.structs import FrozenStructError, field, replace, struct


@struct
class Point:
    """A frozen one."""

    x: float
    y: float = 0.0
    tags: list[str] = field(default_factory=list)
    unit: ClassVar[str] = "m"


@struct
class Named(Point):
    """One that inherits fields."""

    name: str = ""


@struct(frozen=False, eq=False)
class Open:
    """One that changes."""

    count: int = 0


@dataclasses.dataclass(frozen=True)
class Reference:
    """The same as Point, by the standard library."""

    x: float
    y: float = 0.0
    tags: list[str] = dataclasses.field(default_factory=list)
    unit: ClassVar[str] = "m"


@pytest.mark.parametrize(
    ("values", "named"), [((1.0,), {}), ((1.0, 2.0), {}), ((), {"y": 3.0, "x": 2.0}), ((1.0, 2.0, ["a"]), {})]
)
def test_values_are_taken_as_a_dataclass_takes_them(values, named):
    ours, theirs = Point(*values, **named), Reference(*values, **named)
    assert (ours.x, ours.y, ours.tags, ours.unit) == (theirs.x, theirs.y, theirs.tags, theirs.unit)
    assert repr(ours) == repr(theirs).replace("Reference", "Point")


@pytest.mark.parametrize(
    ("values", "named"), [((), {}), ((1.0, 2.0, [], 4.0), {}), ((1.0,), {"x": 1.0}), ((1.0,), {"z": 1.0})]
)
def test_wrong_values_are_refused_as_a_dataclass_refuses_them(values, named):
    for made in (Point, Reference):
        with pytest.raises(TypeError):
            made(*values, **named)


def test_equality_is_by_class_and_values():
    assert Point(1.0) == Point(1.0, 0.0)
    assert Point(1.0) != Point(2.0)
    assert Named(1.0) != Point(1.0)
    assert Open(1) != Open(1)
    assert hash(Named(1.0, 2.0, ())) == hash(Named(1.0, 2.0, ()))


def test_defaults_are_not_shared():
    one, other = Point(1.0), Point(1.0)
    one.tags.append("a")
    assert other.tags == []


def test_frozen_structs_do_not_change():
    point = Point(1.0)
    with pytest.raises(FrozenStructError):
        point.x = 2.0
    with pytest.raises(AttributeError):
        del point.x
    changed = Open()
    changed.count = 3
    assert changed.count == 3


def test_replace_and_inheritance():
    assert replace(Named(1.0, name="tool"), y=5.0) == Named(1.0, 5.0, [], "tool")
    assert pickle.loads(pickle.dumps(Named(1.0, 2.0, ["b"], "tool"))) == Named(1.0, 2.0, ["b"], "tool")
