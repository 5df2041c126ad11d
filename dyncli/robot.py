"""A robot: what its file said, the options it was built with, and the tree that the algorithms run on."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path

from dyncli.build import ModelOptions, Payload, build_tree
from dyncli.description import RobotDescription
from dyncli.engine import Engine
from dyncli.errors import Finding
from dyncli.formats.load import load_description
from dyncli.spatial import Symmetric3, Vector3
from dyncli.structs import replace, struct
from dyncli.tree import Tree


@struct
class Robot:
    """An immutable robot; `with_payload` and `locked` return new ones."""

    description: RobotDescription
    options: ModelOptions

    @cached_property
    def tree(self) -> Tree:
        """The tree with fixed joints merged into the bodies that carry them."""
        return build_tree(self.description, self.options)

    @cached_property
    def unmerged_tree(self) -> Tree:
        """The same robot with fixed joints kept as joints of no degree of freedom, for their reactions."""
        return build_tree(self.description, replace(self.options, merge_fixed=False))

    @cached_property
    def engines(self) -> dict[Hashable, Engine]:
        """Recursions that `dyncli.api` has run on this robot, by name and options: a cache, no part of its value."""
        return {}

    @property
    def name(self) -> str:
        """The robot's name in its file."""
        return self.description.name

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self.tree.nq

    @property
    def nv(self) -> int:
        """Number of degrees of freedom."""
        return self.tree.nv

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the reader found odd about the file."""
        return self.description.findings

    def with_payload(
        self, link: str, mass: float, center: Vector3 = (0.0, 0.0, 0.0), tensor: Symmetric3 = (0.0,) * 6
    ) -> Robot:
        """This robot with a mass (kg) added to a link: `center` in the link frame (m), `tensor` about it (kg m²)."""
        payload = Payload(link, mass, center, tensor)
        return _checked(replace(self, options=replace(self.options, payloads=(*self.options.payloads, payload))))

    def locked(self, values: Mapping[str, float | None]) -> Robot:
        """This robot with joints welded at a value (rad, m; None: neutral) and left out of q."""
        return _checked(replace(self, options=replace(self.options, lock={**self.options.lock, **values})))


def _checked(robot: Robot) -> Robot:
    """The robot, built at once so that an unknown name is an error here and not later."""
    _ = robot.tree
    return robot


def load_robot(
    path: str | PathLike[str],
    options: ModelOptions | None = None,
    *,
    restrict: str | PathLike[str] | None = None,
    xacro: bool = False,
    xacro_args: Mapping[str, str] | None = None,
) -> Robot:
    """Read a robot file (`-`: standard input) and build its tree.

    `restrict`: folder outside of which nothing is read; `xacro`: expand the file first, with `xacro_args`.
    Raises ModelError with every problem of the file, UsageError for options that name nothing in it.
    """
    folder = None if restrict is None else Path(restrict)
    description = load_description(path, restrict=folder, xacro=xacro, xacro_args=xacro_args)
    return _checked(Robot(description, options or ModelOptions()))
