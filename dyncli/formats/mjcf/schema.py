"""Check an MJCF against its schema, as strictly as MuJoCo 4.0.0, and read the values of its attributes.

`grammar.txt` beside this file holds the schema itself and says how it is written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from dyncli.errors import nearest
from dyncli.formats import xml
from dyncli.formats.mjcf.element import Element, Report, Value
from dyncli.structs import field, struct

_KEYWORDS = {"bool": "true|false", "maybe": "true|false|auto", "switch": "enable|disable"}
_UNCHECKED = ("frame", "replicate")
"""Elements that hold what a body holds and that MuJoCo does not check against the schema."""
_BODIES = ("body", *_UNCHECKED)
_TEXT = ("text", "words")
_REPLICATE = {"count": "int!", "offset": "3", "sep": "text"}
_MAX_INT = 2**31
_GRAMMAR_LINE = re.compile(r"(?P<indent> *)(?P<tags>[\w,]+) (?P<cardinality>[!?*R])(?:  (?P<attributes>.*))?")
_ITEM = re.compile(r"(?:one|some|all)\([^)]*\)|\S+")


@struct
class Rule:
    """`one`, `some` or `all` over bundles of attributes; see the head of `grammar.txt`."""

    kind: str
    bundles: tuple[tuple[str, ...], ...]


@struct(frozen=False)
class Grammar:
    """What an element may hold: attributes by name with the type of their value, rules, elements by tag."""

    cardinality: str = "*"
    attributes: dict[str, str] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    rules: list[Rule] = field(default_factory=list)
    children: dict[str, Grammar] = field(default_factory=dict)

    def add(self, items: Iterable[str], groups: dict[str, Grammar]) -> None:
        """Take in the items of a line: attributes, rules, groups by name."""
        for item in items:
            if item.startswith("+"):
                group = groups[item[1:]]
                self.attributes |= group.attributes
                self.required |= group.required
                self.rules += group.rules
            elif "(" in item:
                kind, bundles = item.rstrip(")").split("(")
                self.rules.append(Rule(kind, tuple(tuple(bundle.split("+")) for bundle in bundles.split())))
            else:
                name, kind = item.split(":")
                self.attributes[name] = kind.rstrip("!")
                if kind.endswith("!"):
                    self.required.add(name)


@cache
def load_grammar() -> Grammar:
    """The grammar of `<mujoco>`."""
    lines: list[str] = []
    for line in files(__package__).joinpath("grammar.txt").read_text("utf-8").splitlines():
        if line.startswith("#") or not line:
            continue
        if line.startswith("group ") or _GRAMMAR_LINE.fullmatch(line):
            lines.append(line)
        else:
            lines[-1] += " " + line.strip()
    groups: dict[str, Grammar] = {}
    top = Grammar()
    open_at = {-2: [top]}
    for line in lines:
        if line.startswith("group "):
            name, items = line.removeprefix("group ").split(" = ")
            groups[name] = Grammar()
            groups[name].add(_ITEM.findall(items), groups)
            continue
        found = _GRAMMAR_LINE.fullmatch(line)
        assert found is not None
        depth = len(found["indent"])
        open_at[depth] = []
        for tag in found["tags"].split(","):
            grammar = Grammar(found["cardinality"])
            grammar.add(_ITEM.findall(found["attributes"] or ""), groups)
            open_at[depth - 2][0].children[tag] = grammar
            open_at[depth].append(grammar)
    root = top.children["mujoco"]
    _close_recursions(root)
    return root


def _close_recursions(root: Grammar) -> None:
    """`default` and `body` hold themselves; `worldbody`, `frame` and `replicate` are bodies of another name."""
    default, body = root.children["default"], root.children["body"]
    default.children["default"] = default
    world = Grammar(children=body.children)
    body.children |= {"body": body}
    for tag in _UNCHECKED:
        body.children[tag] = Grammar(children=body.children)
    replicate = body.children["replicate"]
    replicate.attributes |= body.attributes
    body.children["frame"].attributes |= body.attributes
    replicate.add((f"{name}:{kind}" for name, kind in _REPLICATE.items()), {})
    del root.children["body"]
    root.children["worldbody"] = world


def check(root: Element, report: Report) -> None:
    """Report all that the schema forbids under `root`, and fill in `values` of every element.

    MuJoCo does not hold the schema against what stands inside a frame or replicate: attributes there that do not exist,
    and elements inside those that hold none, have no effect. They are warnings here.
    """
    pending = [(root, load_grammar(), False)]
    while pending:
        element, grammar, lenient = pending.pop()
        lenient = lenient or element.tag in _UNCHECKED
        _check_attributes(element, grammar, lenient, report)
        inside = []
        for child in element.children:
            known = grammar.children.get(child.tag)
            if known is not None:
                inside.append((child, known, lenient))
            elif (lenient and "body" not in grammar.children) or (element is root and child.tag in _BODIES):
                report.warning("unknown-element", child, "stands where it has no effect")
            else:
                report.fatal("unknown-element", child, "unknown element", nearest(child.tag, grammar.children))
        pending.extend(reversed(inside))  # what stands first in the file is looked at and told first
        for tag, count in Counter(child.tag for child in element.children).items():
            if count > 1 and not lenient and tag in grammar.children and grammar.children[tag].cardinality == "?":
                report.fatal("repeated-element", element, f"holds {count} elements <{tag}>, at most one is allowed")


def _check_attributes(element: Element, grammar: Grammar, lenient: bool, report: Report) -> None:
    if element.tag == "worldbody" and element.text:
        report.fatal("unknown-attribute", element, f"cannot have attributes, found {', '.join(element.text)}")
        return
    for name, text in element.text.items():
        kind = grammar.attributes.get(name)
        if kind is not None:
            value = _read(element, name, text, kind, report)
            if value is not None:
                element.values[name] = value
        elif lenient:
            report.warning("unknown-attribute", element, f"attribute {name!r} is unknown here and has no effect")
        else:
            hint = nearest(name, grammar.attributes) or "it has no attributes"
            report.fatal("unknown-attribute", element, f"unknown attribute {name!r}", hint)
    # an empty list of numbers stands for none, as in MuJoCo
    present = {name for name, text in element.text.items() if text.strip() or grammar.attributes.get(name) in _TEXT}
    for name in sorted(grammar.required - present):
        report.fatal("missing-attribute", element, f"the attribute {name!r} is required")
    for rule in grammar.rules:
        complaint = _broken(rule, present)
        if complaint:
            report.fatal("attribute-rule", element, complaint)


def _broken(rule: Rule, present: set[str]) -> str:
    """What breaks a rule over bundles of attributes; empty where it is kept."""
    bundles = ", ".join(" with ".join(bundle) for bundle in rule.bundles)
    touched = sum(any(name in present for name in bundle) for bundle in rule.bundles)
    whole = sum(all(name in present for name in bundle) for bundle in rule.bundles)
    if rule.kind == "one" and touched > 1:
        found = ", ".join(name for bundle in rule.bundles for name in bundle if name in present)
        return f"only one of {bundles} may be given, found {found}"
    if rule.kind == "some" and not whole:
        return f"one of {bundles} must be given"
    if rule.kind == "all" and 0 < touched < len(rule.bundles):
        return f"{bundles} must be given together"
    return ""


def _read(element: Element, name: str, text: str, kind: str, report: Report) -> Value | None:
    """The value of an attribute; None where it is empty or wrong, which is then reported."""
    if kind in _TEXT:
        return text
    shown = f'{name}="{xml.shorten(text)}"'
    words = _KEYWORDS.get(kind, kind if "|" in kind else "")
    if words:
        if text in words.split("|"):
            return text
        report.fatal("bad-keyword", element, f"{shown}: expected {words.replace('|', ', ')}")
        return None
    if not text.strip():
        return None
    try:
        numbers = _span(text) if kind == "span" else xml.parse_floats(text)
    except ValueError as error:
        report.fatal("bad-number", element, f"{shown}: {error}")
        return None
    integer = kind.startswith("int")
    least, most = _counts(kind[3:] if integer else kind)
    if not least <= len(numbers) <= most:
        expected = f"{least}" if least == most else f"{least} to {most}"
        report.fatal("bad-number", element, f"{shown}: expected {expected} numbers, found {len(numbers)}")
        return None
    if not integer:
        return tuple(numbers)
    if not all(re.fullmatch(r"[+-]?\d+", word) and abs(int(word)) < _MAX_INT for word in text.split()):
        report.fatal("bad-number", element, f"{shown}: expected an integer of 32 bits")
        return None
    return tuple(int(word) for word in text.split())


def _span(text: str) -> list[float]:
    """Numbers of which some may be infinite: bounds that bound nothing."""
    infinite = {"inf": float("inf"), "+inf": float("inf"), "-inf": -float("inf")}
    words = text.split()
    return [infinite[word.lower()] if word.lower() in infinite else xml.parse_floats(word)[0] for word in words]


def _counts(kind: str) -> tuple[float, float]:
    """Least and greatest count of numbers that a type allows."""
    if kind == "span":
        return 2, 2
    if kind in ("*", "s"):
        return 1, float("inf")
    least, _, most = kind.partition("..")
    return int(least or 1), int(most or least or 1)
