"""What would change the motion of a model and is not used in the dynamics of the open tree: told once a kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from dyncli.formats.mjcf.element import Element, Report
from dyncli.formats.mjcf.model import Model
from dyncli.formats.mjcf.parts import Scope
from dyncli.formats.mjcf.references import Referring
from dyncli.formats.mjcf.robot import Link

_LOOPS = ("connect", "weld")
_SHOWN = 6
_SIDES = tuple(f"{kind}{side}" for kind in ("body", "site", "joint", "tendon") for side in "12")


def find_ignored(
    models: Sequence[Model],
    links: Sequence[Link],
    equalities: Sequence[Referring],
    actuators: int,
    unused: Sequence[str],
    report: Report,
) -> list[str]:
    """Lines for `RobotDescription.ignored`; what is no matter of course is a warning too."""
    root = models[0].root
    lines = _equalities(equalities, report)
    if models[0].options.fluid:
        line = "fluid forces (density, viscosity or wind of <option>) are not used"
        report.warning("fluid-ignored", next(root.named("option"), None), line)
        lines.append(line)
    for code, found, what in (
        ("flex-ignored", _found(models, "flexcomp", "flex"), "deformable bodies (flex) are not used"),
        ("plugin-ignored", _body_plugins(models), "plugins of bodies are not used"),
        ("friction-ignored", _rough_tendons(models), "frictions of tendons are not used"),
    ):
        if found:
            line = f"{len(found)} {what}: {_listed([element.describe() for element in found])}"
            report.warning(code, found[0], line)
            lines.append(line)
    if unused:
        line = f"not used: {_listed(list(unused))}"
        report.warning("tendon-ignored", None, line)
        lines.append(line)
    # contacts and motors are a matter of course in a simulation's file: told on request, no warning
    if any(_collides(link) for link in links):
        lines.append("contacts are not used")
    if actuators:
        noun = "actuator" if actuators == 1 else "actuators"
        lines.append(f"forces of {actuators} {noun} are not used: tau is what acts on the joints")
    return lines


def _equalities(found: Sequence[Referring], report: Report) -> list[str]:
    lines = []
    for code, one, many, chosen in (
        ("loop-ignored", "loop constraint is", "loop constraints are", [r for r in found if r.element.tag in _LOOPS]),
        ("coupling-ignored", "coupling is", "couplings are", [r for r in found if r.element.tag not in _LOOPS]),
    ):
        if chosen:
            names = _listed([_name(referring) for referring in chosen])
            line = f"{len(chosen)} {one if len(chosen) == 1 else many} not used, the tree is computed as open: {names}"
            report.warning(code, chosen[0].element, line)
            lines.append(line)
    return lines


def _name(referring: Referring) -> str:
    """The name of a constraint, or what it holds together."""
    if referring.name:
        return repr(referring.name)
    values, names = referring.element.values, referring.names
    sides = [names.get((side[:-1], str(values[side])), str(values[side])) for side in _SIDES if side in values]
    return f"{referring.element.tag} of {' and '.join(sides)}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _found(models: Sequence[Model], *tags: str) -> list[Element]:
    return [
        element
        for model in models
        for section in model.root.named("worldbody", "deformable")
        for element in section.walk()
        if element.tag in tags
    ]


def _body_plugins(models: Sequence[Model]) -> list[Element]:
    plugins = _found(models, "plugin")
    return [plugin for plugin in plugins if plugin.parent is not None and plugin.parent.tag in ("body", "flexcomp")]


def _rough_tendons(models: Sequence[Model]) -> list[Element]:
    return [
        tendon
        for model in models
        for section in model.root.named("tendon")
        for tendon in section.children
        if any(cast("tuple[float, ...]", model.defaults.resolve(tendon).get("frictionloss", ())))
    ]


def _collides(link: Link) -> bool:
    return any(
        part.values.get("contype", (1,)) != (0,) or part.values.get("conaffinity", (1,)) != (0,)
        for part in link.body.geoms
        if link.parent is not None
    )


def all_models(scopes: Sequence[Scope]) -> list[Model]:
    """The models that a robot is made of, the outermost first, each once."""
    models: list[Model] = []
    for scope in scopes:
        if scope.model not in models:
            models.append(scope.model)
    return models
