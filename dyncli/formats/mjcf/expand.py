"""Resolve `frame`, `replicate` and `attach`: from the elements of worldbody to a flat list of bodies.

The walk keeps its own stack: chains of a thousand bodies nest as deep in the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from dyncli.errors import nearest
from dyncli.formats.mjcf.defaults import MAIN, Values
from dyncli.formats.mjcf.element import Element, Report
from dyncli.formats.mjcf.model import Model
from dyncli.formats.mjcf.orientation import ORIGIN, Pose, read_orientation, read_pose
from dyncli.formats.mjcf.parts import Body, Part, Parts, Scope
from dyncli.spatial import ZERO3, Vector3, scale3
from dyncli.structs import replace, struct

MAX_PARTS = 200_000
"""Elements after replication: more than any robot has, and less than what a few nested replicates could ask for."""
WORLD = "world"
_KINDS = {
    **{tag: tag for tag in ("body", "frame", "joint", "geom", "site", "camera", "light")},
    "freejoint": "joint",
}
"""Kinds of things with names of their own, by tag."""


@struct
class _Context:
    """What holds for the elements at one place: where they go and what they inherit.

    `copied`: whether a replicate stands between them and their body. `around`: elements being attached.
    """

    body: Body
    scope: Scope
    frame: Pose = ORIGIN
    childclass: str = MAIN
    copied: bool = False
    around: tuple[Element, ...] = ()


def expand(model: Model, report: Report) -> Parts:
    """All bodies of a model with their joints, geoms, sites and inertials."""
    return _Expansion(model, report).run()


class _Expansion:
    def __init__(self, model: Model, report: Report) -> None:
        self.report = report
        self.model = model
        root = Scope(model)
        self.parts = Parts([Body(model.root, WORLD, {}, model, None)], [root])
        self.taken: dict[str, set[str]] = {"body": {WORLD}}
        self.standing: set[tuple[int, str, str]] = set()
        self.reported: set[tuple[int, str]] = set()
        self.read: set[Element] = set()
        self.pending: list[tuple[Element, _Context]] = []

    def run(self) -> Parts:
        """The walk: what stands first in the file is taken first, so bodies come out depth first."""
        context = _Context(self.parts.bodies[0], self.parts.scopes[0])
        worlds = list(self.model.root.named("worldbody"))
        if sum(replicated_size(world) for world in worlds) > MAX_PARTS:
            self._too_large(worlds[0])
            return self.parts
        self._push([child for world in worlds for child in world.children], context)
        count = 0
        while self.pending:
            element, context = self.pending.pop()
            count += 1
            if count > MAX_PARTS:
                self._too_large(element)
                break
            self._take(element, context)
        return self.parts

    def _too_large(self, element: Element) -> None:
        self.report.fatal("too-large", element, f"replication makes more than {MAX_PARTS} elements of this model")

    def _push(self, elements: list[Element], context: _Context) -> None:
        self.pending.extend((element, context) for element in reversed(elements))

    def _take(self, element: Element, context: _Context) -> None:
        match element.tag:
            case "body":
                self._body(element, context)
            case "frame":
                self._frame(element, context)
            case "replicate":
                self._replicate(element, context)
            case "attach":
                self._attach(element, context)
            case "joint" | "freejoint":
                self._joint(element, context)
            case "geom":
                context.body.geoms.append(self._part(element, context))
            case "site":
                context.body.sites.append(self._part(element, context))
            case "inertial":
                self._inertial(element, context)
            case "camera" | "light":
                self._name(element, context)

    # things in a body ---------------------------------------------------------------------------------------

    def _part(self, element: Element, context: _Context) -> Part:
        model = context.scope.model
        # a freejoint takes no defaults, and an inertial has none
        bare = element.tag in ("freejoint", "inertial")
        values = element.values if bare else model.defaults.resolve(element, context.childclass)
        return Part(element, self._name(element, context), values, context.scope, context.frame)

    def _joint(self, element: Element, context: _Context) -> None:
        if context.body.parent is None:
            self.report.fatal("joint-of-world", element, "the world has no joints")
        elif context.copied:
            self.report.fatal("joint-replicated", element, "a joint cannot be repeated by <replicate> without its body")
        else:
            context.body.joints.append(self._part(element, context))

    def _inertial(self, element: Element, context: _Context) -> None:
        if context.body.parent is None:
            self.report.fatal("inertial-of-world", element, "the world has no inertia")
        elif context.copied:
            self.report.warning("inertial-replicated", element, "inside <replicate> it has no effect, as in MuJoCo")
        else:
            context.body.inertial = self._part(element, context)

    # things that hold others --------------------------------------------------------------------------------

    def _body(self, element: Element, context: _Context) -> None:
        model = context.scope.model
        own = read_pose(element, element.values, model.settings, self.report)
        name = self._name(element, context)
        body = Body(element, name, element.values, model, context.body, context.frame.then(own), own)
        self.parts.bodies.append(body)
        self.read.add(element)
        inside = _Context(body, context.scope, ORIGIN, self._childclass(element, context), False, context.around)
        self._push(element.children, inside)

    def _frame(self, element: Element, context: _Context) -> None:
        pose = context.frame.then(read_pose(element, element.values, context.scope.model.settings, self.report))
        self._name(element, context)
        self.read.add(element)
        self._push(element.children, replace(context, frame=pose, childclass=self._childclass(element, context)))

    def _replicate(self, element: Element, context: _Context) -> None:
        """Push the content once a copy, each in a scope of its own and one step further."""
        if not context.scope.is_copy:
            self._check_written_names(element, context.scope)
        settings = context.scope.model.settings
        (count,) = cast("tuple[int]", element.values.get("count", (0,)))
        if not element.children or count < 1:
            return
        offset = cast("Vector3", element.values.get("offset", ZERO3))
        euler = cast("Vector3", element.values.get("euler", ZERO3))
        separator, width = str(element.values.get("sep", "")), len(str(count))
        childclass = self._childclass(element, context)
        position, copies = ZERO3, []
        for index in range(count):
            # MuJoCo multiplies the angles, which for more than one of them is not the turn repeated
            turn: Values = {"euler": scale3(index, euler)}
            step = Pose(position, read_orientation(element, turn, settings, self.report))
            position = step.then(Pose(offset)).position
            outer = context.scope
            suffix = f"{separator}{index:0{width}}{outer.suffix}"
            scope = Scope(outer.model, outer.prefix, suffix, outer, is_copy=True, born=len(self.parts.order))
            frame = context.frame.then(step)
            copies.append(replace(context, scope=scope, frame=frame, childclass=childclass, copied=True))
        self.parts.scopes += [copy.scope for copy in copies]
        for copy in reversed(copies):
            self._push(element.children, copy)

    def _attach(self, element: Element, context: _Context) -> None:
        """Push the attached body, frame or world of another model (or of this one) in a scope with the prefix."""
        model = self._attached_model(element, context)
        if model is None:
            return
        found = self._attached_content(element, model, context)
        outer = context.scope
        scope = Scope(model, outer.prefix + str(element.values["prefix"]), outer.suffix, outer)
        self.parts.scopes.append(scope)
        own = MAIN if model is not outer.model else context.childclass
        self._push(found, replace(context, scope=scope, childclass=own, around=(*context.around, *found)))

    def _attached_content(self, element: Element, model: Model, context: _Context) -> list[Element]:
        """What an `attach` brings: a body, a frame, or all of a world; nothing where it is wrong, which is reported."""
        kind = next((kind for kind in ("body", "frame") if kind in element.values), "")
        if not kind:
            if model is not context.scope.model:
                return [child for world in model.root.named("worldbody") for child in world.children]
            self.report.fatal("attach", element, "without a model it must name a body or frame of this one")
            return []
        name = str(element.values[kind])
        found = self._find(model, kind, name)
        if found is None:
            where = f"model {element.values['model']!r}" if "model" in element.values else "what stands before it"
            self.report.fatal("attach", element, f"there is no {kind} {name!r} in {where}")
        elif found in context.around or found in _ancestors(element):
            self.report.fatal("attach", element, f"the {kind} {name!r} would hold itself")
        else:
            return [found]
        return []

    def _attached_model(self, element: Element, context: _Context) -> Model | None:
        name = element.values.get("model")
        if not name:
            return context.scope.model
        models = context.scope.model.models
        if str(name) not in models:
            hint = nearest(str(name), models) or "a model is named by <asset><model/></asset>"
            self.report.fatal("attach", element, f"there is no model {name!r}", hint)
            return None
        return models[str(name)]

    def _find(self, model: Model, kind: str, name: str) -> Element | None:
        """The body or frame of that name: in another model anywhere, in this one among those read before."""
        for world in model.root.named("worldbody"):
            if kind == "body" and name == WORLD and model is not self.model:
                return _as_body(world)
            for element in world.walk():
                if element.tag == kind and element.name == name and (model is not self.model or element in self.read):
                    return element
        return None

    # names and classes --------------------------------------------------------------------------------------

    def _childclass(self, element: Element, context: _Context) -> str:
        name = element.values.get("childclass")
        if name is None:
            return context.childclass
        context.scope.model.defaults.of_class(str(name), element)
        return str(name) if str(name) in context.scope.model.defaults else context.childclass

    def _name(self, element: Element, context: _Context) -> str:
        """The final name, which must be the only one of its kind."""
        kind = _KINDS.get(element.tag, "")
        if not element.name or not kind:
            return ""
        final = context.scope.final(element.name)
        taken = self.taken.setdefault(kind, set())
        if final in taken and (id(element), kind) not in self.reported:
            self.report.fatal("duplicate-name", element, f"there are two elements {kind!r} of the name {final!r}")
            self.reported.add((id(element), kind))
        taken.add(final)
        self.parts.order.setdefault((kind, final), len(self.parts.order))
        around: Scope | None = context.scope
        while around is not None:
            self.standing.add((id(around), kind, final))
            around = around.outer
        context.scope.names.setdefault(kind, {})[element.name] = final
        return final

    def _check_written_names(self, replicate: Element, scope: Scope) -> None:
        """Report names in a replicate that stand already before it, or before one in it.

        MuJoCo reads what is to be copied under the names as written, so these must be free until the copies are made.
        """
        pending: list[tuple[Element, tuple[set[tuple[str, str]], ...]]] = [(replicate, ())]
        while pending:
            element, around = pending.pop()
            kind = _KINDS.get(element.tag, "")
            if kind and element.name:
                *outside, own = around
                written = scope.final(element.name)
                stands = (id(scope), kind, written) in self.standing
                if stands or any((kind, element.name) in names for names in outside):
                    message = f"the {kind} {written!r} is to be copied and there is one of this name already"
                    hint = "the name must be new although copies get others: rename it, or write it behind the copies"
                    self.report.fatal("duplicate-name", element, message, hint)
                own.add((kind, element.name))
            inside = (*around, set()) if element.tag == "replicate" else around
            pending.extend((child, inside) for child in reversed(element.children))


def replicated_size(top: Element) -> int:
    """How many elements there are under one, itself included, when replicates are carried out."""
    sizes: dict[int, int] = {}
    for element in reversed(list(top.walk())):
        inside = sum(sizes.pop(id(child)) for child in element.children)
        copies = cast("tuple[int]", element.values.get("count", (1,)))[0] if element.tag == "replicate" else 1
        sizes[id(element)] = 1 + max(0, copies) * inside
    return sizes[id(top)]


def _ancestors(element: Element) -> Iterator[Element]:
    around = element.parent
    while around is not None:
        yield around
        around = around.parent


def _as_body(world: Element) -> Element:
    """The world of a model as a body of that name, for `attach body="world"`."""
    body = Element("body", world.path, world.line, world.parent, {"name": WORLD}, {"name": WORLD})
    body.children = world.children
    return body
