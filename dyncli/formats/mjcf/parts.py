"""The parts of a robot once includes, replicates, frames and attached models are resolved: bodies and what they hold.

Every part knows its element, its values (defaults filled in) and the pose of the frames between it and its body.
"""

from __future__ import annotations

from dyncli.formats.mjcf.defaults import Values
from dyncli.formats.mjcf.element import Element
from dyncli.formats.mjcf.model import Model
from dyncli.formats.mjcf.orientation import ORIGIN, Pose
from dyncli.structs import field, struct


@struct(frozen=False, eq=False)
class Scope:
    """Where names are given: a model, one copy made by a `replicate`, or one attached subtree.

    Names inside get `prefix` and `suffix`. `names` holds what was named directly in here: kind -> name in the file ->
    final name. `outer` is the scope around it; `is_copy` tells the copies of a replicate from models. `born`: how many
    names had been given when the scope began.
    """

    model: Model
    prefix: str = ""
    suffix: str = ""
    outer: Scope | None = None
    is_copy: bool = False
    born: int = 0
    names: dict[str, dict[str, str]] = field(default_factory=dict)

    def final(self, name: str) -> str:
        """The final name of something; what has no name stays without one."""
        return f"{self.prefix}{name}{self.suffix}" if name else ""

    @property
    def depth(self) -> int:
        """How many scopes are around it."""
        return 0 if self.outer is None else 1 + self.outer.depth

    def is_within(self, other: Scope) -> bool:
        """Whether it is the other scope or lies inside of it."""
        scope: Scope | None = self
        while scope is not None and scope is not other:
            scope = scope.outer
        return scope is other

    @property
    def home(self) -> Scope:
        """The innermost model around: itself, unless it is a copy."""
        scope = self
        while scope.is_copy and scope.outer is not None:
            scope = scope.outer
        return scope


@struct(frozen=False, eq=False)
class Part:
    """A joint, geom, site or inertial of a body. `frame`: pose of the innermost frame around it in the body."""

    element: Element
    name: str
    values: Values
    scope: Scope
    frame: Pose

    @property
    def model(self) -> Model:
        """The model whose file says it."""
        return self.scope.model


@struct(frozen=False, eq=False)
class Body:
    """A body; `parent` is None for the world alone.

    `pose`: in the parent body's frame as drawn; `own_pose`: what its own attributes say, frames around it left out.
    """

    element: Element
    name: str
    values: Values
    model: Model
    parent: Body | None
    pose: Pose = ORIGIN
    own_pose: Pose = ORIGIN
    joints: list[Part] = field(default_factory=list)
    geoms: list[Part] = field(default_factory=list)
    sites: list[Part] = field(default_factory=list)
    inertial: Part | None = None

    @property
    def is_static(self) -> bool:
        """Whether no joint moves it against its parent."""
        return not self.joints


@struct(frozen=False, eq=False)
class Parts:
    """The whole robot: bodies parents first, depth first (`bodies[0]` is the world), and the scopes of its names.

    `order`: (kind, final name) of all that was named, numbered as it was met.
    """

    bodies: list[Body]
    scopes: list[Scope]
    order: dict[tuple[str, str], int] = field(default_factory=dict)
