"""A state said on the command line: `--q 0.1,0.2`, `--q elbow=0.4`, `--q neutral|random|mid|key:NAME|@FILE`.

Everything here is on Python floats, so that a command on one state needs no NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dyncli.errors import StateError, UsageError, nearest
from dyncli.readers.numbers import number
from dyncli.states.block import BLOCKS, Remarks, StateBlock
from dyncli.states.checks import LimitCheck, normalise_quaternions
from dyncli.states.names import Names, listed
from dyncli.tree import Tree

if TYPE_CHECKING:
    from dyncli.states.names import Dependent

AGREES = 1e-6
"""Values of mimicking and locked joints may differ by this much from what the model makes them."""


def inline_state(
    tree: Tree,
    texts: Mapping[str, str | None],
    *,
    degrees: bool = False,
    seed: int = 0,
    remarks: Remarks | None = None,
) -> StateBlock:
    """The one state that the values of `--q`, `--qd`, `--qdd`, `--tau` say, as Python floats.

    `texts`: block (q, qd, qdd, tau) -> value, None or absent where the option was not given: then q is neutral and the
    others are zero (None in the block). `degrees`: values of angles are in degrees.
    Raises UsageError for an unknown name or what is no number; StateError for a wrong count, a value that is not
    finite, a quaternion that is none, or a file that cannot be read.
    """
    remarks = remarks if remarks is not None else Remarks()
    reader = _Reader(tree, degrees=degrees, seed=seed, remarks=remarks)
    values = {block: reader.values(block, text) for block in BLOCKS if (text := texts.get(block)) is not None}
    reader.compare(values)
    if "q" in values:
        normalise_quaternions(tree, values["q"], lambda _: "--q")
        limits = LimitCheck(tree, degrees=degrees)
        limits.look(values["q"], 1)
        if remark := limits.remark():
            remarks.warnings.append(remark)
    return StateBlock(
        1, values.get("q", list(tree.neutral)), qd=values.get("qd"), qdd=values.get("qdd"), tau=values.get("tau")
    )


class _Reader:
    """Reads the values of one state."""

    def __init__(self, tree: Tree, *, degrees: bool, seed: int, remarks: Remarks) -> None:
        self.tree = tree
        self.names = Names(tree)
        self.degrees = degrees
        self.seed = seed
        self.remarks = remarks
        self._dependent: list[tuple[str, Dependent, float]] = []

    def values(self, block: str, text: str) -> list[float]:
        """The numbers of one block."""
        text = text.strip()
        if text.startswith("@"):
            from dyncli.states.table import first_state

            return first_state(self.tree, text[1:], block, degrees=self.degrees, remarks=self.remarks)
        if text in ("neutral", "random", "mid") or text.startswith("key:"):
            return self._word(block, text)
        if "=" in text:
            return self._named(block, text)
        return self._listed(block, text)

    def _word(self, block: str, text: str) -> list[float]:
        if text == "random":
            from dyncli.states.sampling import random_state

            return list(random_state(self.tree, self.seed).given(block) or ())
        if text.startswith("key:") and block in ("q", "qd"):
            from dyncli.states.keyframes import keyframe_values

            return keyframe_values(self.tree, text.removeprefix("key:"), block)
        if text == "neutral":
            return self._rest(block)
        if text == "mid" and block == "q":
            return self._middle()
        raise UsageError(
            f"--{block}: {text!r} is for {'q and qd' if text.startswith('key:') else 'q'} only",
            hint="numbers, NAME=VALUE,..., neutral, random or @FILE",
        )

    def _rest(self, block: str) -> list[float]:
        return list(self.tree.neutral) if block == "q" else [0.0] * self.tree.nv

    def _middle(self) -> list[float]:
        q = list(self.tree.neutral)
        for joint in self.tree.joints:
            if joint.nq == 1 and joint.lower is not None and joint.upper is not None:
                q[joint.index_q] = 0.5 * (joint.lower + joint.upper)
        return q

    def _listed(self, block: str, text: str) -> list[float]:
        words = text.replace(",", " ").split()
        found = [self._number(block, word) for word in words]
        expected = self.names.expected(block)
        if len(found) != len(expected):
            raise StateError(
                f"--{block}: {len(found)} value{'s' * (len(found) != 1)} in {_short(text)}, expected {len(expected)}: "
                f"{listed(expected) or 'the model has no joints that move'}",
                hint="NAME=VALUE,... sets some and leaves the rest neutral",
            )
        turn = self.names.angular(block)
        return [self._radians(value, angular) for value, angular in zip(found, turn, strict=True)]

    def _named(self, block: str, text: str) -> list[float]:
        values = self._rest(block)
        given: set[str] = set()
        for part in split_outside_quotes(text):
            name, equals, word = part.rpartition("=")
            name = _unquoted(name.strip())
            if not equals:
                raise UsageError(
                    f"--{block}: {part!r} in {_short(text)} is not NAME=VALUE",
                    hint="either numbers only, or names only; a name with a comma stands in double quotes",
                )
            value = self._number(block, word.strip(), name)
            if name in given:
                raise UsageError(f"--{block}: {name!r} is given twice")
            given.add(name)
            entry = self.names.entries[block].get(name)
            if entry is not None:
                values[entry.index] = self._radians(value, entry.angular)
            elif (dependent := self.names.dependents[block].get(name)) is not None:
                self._dependent.append((name, dependent, self._radians(value, dependent.angular)))
            else:
                raise self._unknown(block, name)
        return values

    def _unknown(self, block: str, name: str) -> UsageError:
        expected = self.names.expected(block)
        parts = [other for other in expected if other.startswith(f"{name}.")]
        if parts:
            return UsageError(f"--{block}: {name!r} has several values, give them by name: {listed(parts)}")
        what = "coordinate" if block == "q" else "degree of freedom"
        return UsageError(
            f"--{block}: no {what} named {name!r}",
            hint=nearest(name, expected) or "the model has no joints that move",
        )

    def _number(self, block: str, word: str, name: str = "") -> float:
        of = f" of {name!r}" if name else ""
        try:
            value = number(word)
        except ValueError:
            raise UsageError(
                f"--{block}: {word!r}{of} is not a number",
                hint=f"expected numbers for {listed(self.names.expected(block))}, NAME=VALUE,..., or neutral, random, "
                "mid, key:NAME, @FILE",
            ) from None
        if not word:
            raise UsageError(f"--{block}: no value{of}")
        if not math.isfinite(value):
            raise StateError(f"--{block}: the value{of} is {word}, expected a finite number")
        return value

    def _radians(self, value: float, angular: bool) -> float:
        return math.radians(value) if angular and self.degrees else value

    def compare(self, values: Mapping[str, list[float]]) -> None:
        """Warn where the value given for a mimicking or locked joint is not what the model makes it."""
        for name, dependent, value in self._dependent:
            model = dependent.offset
            if dependent.driver is not None:
                model += dependent.multiplier * values[dependent.block][dependent.driver]
            if abs(value - model) > AGREES * max(1.0, abs(model)):
                scale = math.degrees(1.0) if dependent.angular and self.degrees else 1.0
                self.remarks.warnings.append(
                    f"--{dependent.block}: {name!r} {dependent.why} and is {scale * model:.6g}, not {scale * value:.6g}"
                )


def split_outside_quotes(text: str) -> list[str]:
    """Parts between commas that are not inside double quotes; empty parts are left out."""
    parts, current, quoted = [], "", False
    for character in text:
        if character == '"':
            quoted = not quoted
        if character == "," and not quoted:
            parts.append(current.strip())
            current = ""
        else:
            current += character
    if quoted:
        raise UsageError(f"a double quote is not closed in {_short(text)}")
    return [part for part in (*parts, current.strip()) if part]


def _unquoted(name: str) -> str:
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] == '"' else name


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
