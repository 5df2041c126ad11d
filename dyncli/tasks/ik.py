"""`ik`: joint positions that put a frame on targets, and how good the answer is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from dyncli.algorithms.ik.chain import Array, Indices
from dyncli.algorithms.ik.error import Targets
from dyncli.algorithms.ik.nullspace import Criterion, improve, project
from dyncli.algorithms.ik.path import PathFacts, follow, path_facts, sides
from dyncli.algorithms.ik.problem import Problem
from dyncli.algorithms.ik.restarts import Answers, every_answer, find, polished
from dyncli.algorithms.ik.singularity import objects
from dyncli.algorithms.ik.trace import TraceRow, trace
from dyncli.algorithms.ik.verdict import Verdicts, jacobian_reports, judge
from dyncli.result import Result, Sheet, Vector
from dyncli.states.block import angular
from dyncli.structs import replace, struct
from dyncli.targets import PoseBlock
from dyncli.tree import Tree

CriterionOf = Callable[[Targets], Criterion]
"""A criterion for one target."""

_TRACED = ("iteration", "error", "position_error", "orientation_error", "step", "J_step")
_DAMPED = ("smallest_singular_value", "damping")


@struct
class IkRequest:
    """What is asked beside the problem itself.

    `start` (coordinates of the chain, 1). `is_path`: rows follow one another, else each starts from the start. `every`:
    all distinct solutions. `traced`: each iteration of the run from the start. `criterion`: climbed in the null space.
    `vector` (n of the chain): to be projected onto it. `rate`: rows a second of a path without times.
    `echo`: columns of the targets to put before the answers, out of x, y, z, qw, qx, qy, qz.
    """

    problem: Problem
    start: Array
    is_path: bool = False
    every: bool = False
    traced: bool = False
    criterion: CriterionOf | None = None
    vector: Array | None = None
    rate: float | None = None
    degrees: bool = False
    echo: tuple[str, ...] = ()


@struct
class _Row:
    """The last row of a block of a path: what the next block's first row is compared with."""

    q: Array
    side: str
    time: float


class IkTask:
    """Answers blocks of targets; of a path it remembers the last answer."""

    def __init__(self, request: IkRequest) -> None:
        self.request = request
        self.problem = request.problem
        self.chain = request.problem.chain
        self.tree: Tree = self.chain.tree
        self._last: _Row | None = None
        self._rows = 0

    def answer(self, block: PoseBlock) -> tuple[Result, Verdicts]:
        """The result for a block of targets, and the verdicts on those that are valid."""
        usable = np.array([k for k in range(block.count) if k not in block.invalid], dtype=np.intp)
        result, verdicts = self._answer_usable(block.take(usable))
        if len(usable) == block.count:
            return result, verdicts
        values = _spread(result.values, usable, block.count)
        sheet = replace(result.sheet, rows=_spread(result.sheet.rows, usable, block.count))
        return Result(block.count, values, sheet, block.invalid), verdicts

    def _answer_usable(self, block: PoseBlock) -> tuple[Result, Verdicts]:
        targets = Targets(block.position, block.rotation, self.problem.rows)
        start = self.request.start if self._last is None else self._last.q
        answers = self._answers(targets, start)
        if self.request.criterion is not None:
            answers = self._improved(targets, answers, self.request.criterion)
        verdicts = judge(self.problem, targets, answers)
        values = self._values(verdicts, answers)
        q = self._vector(verdicts.q)
        columns, cells = self._cells(values, verdicts, block.count)
        if self.request.is_path:
            facts = self._path(block, verdicts, answers)
            values |= self._path_values(facts)
            columns += ["step", "branch_changed"]
            cells += [values["step"], values["branch_changed"]]
        sheet = Sheet((*q.columns, *columns), [[*q.leaves, *cells]])
        if self.request.vector is not None:
            values["null_step"] = self._null_steps(verdicts, self.request.vector)
        if self.request.every:
            sheet = self._add_solutions(values, targets, sheet)
        if self.request.traced:
            sheet = self._add_trace(values, targets, sheet)
        self._rows += block.count
        echoed = block.columns(self.request.echo)
        return Result(block.count, {**echoed, **values}, _behind(echoed, sheet)), verdicts

    def summarised(self, values: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
        """What `--summary` keeps the extremes of: every coordinate, the errors, and the steps of a path."""
        for name, leaf in zip(self.tree.coordinates, values["q"], strict=True):
            yield name, "q", leaf
        for name in ("position_error", "orientation_error", "iterations", "restarts", "step"):
            if values.get(name) is not None:
                yield "answer", name, values[name]

    # answers --------------------------------------------------------------------------------------------------------

    def _answers(self, targets: Targets, start: Array) -> Answers:
        if self.request.is_path:
            return follow(self.problem, targets, start)
        return find(self.problem, targets, np.repeat(start, targets.count, axis=1))

    def _improved(self, targets: Targets, answers: Answers, criterion: CriterionOf) -> Answers:
        """The answers that arrived, moved in their null space as far as the criterion rises."""
        q, iterations = answers.q.copy(), answers.iterations.copy()
        for k in np.flatnonzero(answers.found):
            target = targets.take([int(k)])
            moved, steps = improve(self.problem, target, q[:, k : k + 1], criterion(target))
            q[:, k] = moved[:, 0]
            iterations[k] += steps
        return polished(self.problem, targets, replace(answers, q=q, iterations=iterations))

    def _path(self, block: PoseBlock, verdicts: Verdicts, answers: Answers) -> PathFacts:
        """Steps and speeds, the last row of the block before included."""
        q, restarts = verdicts.q, answers.restarts
        side = sides(self.problem, verdicts.branches, verdicts.jacobian)
        times = block.time
        if self.request.rate is not None:
            times = (self._rows + np.arange(block.count)) / self.request.rate
        last, count = self._last, block.count
        if count:
            ended = 0.0 if times is None else float(times[-1])
            self._last = _Row(q[:, -1:], side[-1], ended)
        if last is None:
            return path_facts(self.problem, q, restarts, side, times)
        facts = path_facts(
            self.problem,
            np.concatenate([last.q, q], axis=1),
            np.concatenate([[0], restarts]),
            [last.side, *side],
            None if times is None else np.concatenate([[last.time], times]),
        )
        rates = None if facts.rates is None else facts.rates[:, 1:]
        return PathFacts(facts.step[1:], facts.branch_changed[1:], rates, facts.too_fast[1:])

    # layout ---------------------------------------------------------------------------------------------------------

    def _leaves(self, q: Array) -> list[Array]:
        """All coordinates of the robot, one array each, in the unit asked for."""
        whole = self.chain.embedded(q)
        if self.request.degrees:
            turn = np.array(angular(self.tree)[0])
            whole[turn] = np.degrees(whole[turn])
        return list(whole)

    def _vector(self, q: Array) -> Vector:
        return Vector("q", self.tree.coordinates, self._leaves(q))

    def _values(self, verdicts: Verdicts, answers: Answers) -> dict[str, Any]:
        """The JSON keys of every answer."""
        linear = any(row < 3 for row in self.problem.rows)
        angular_rows = any(row >= 3 for row in self.problem.rows)
        return {
            "converged": verdicts.converged,
            "q": self._leaves(verdicts.q),
            "error": np.hypot(verdicts.position, verdicts.orientation),
            "position_error": verdicts.position if linear else None,
            "orientation_error": verdicts.orientation if angular_rows else None,
            "iterations": answers.iterations,
            "restarts": answers.restarts,
            "reason": objects(reason or None for reason in verdicts.reasons),
            "detail": objects(detail or None for detail in verdicts.details),
            "within_limits": verdicts.within,
            **jacobian_reports(self.problem, verdicts.jacobian).leaves(),
            "branch": objects(verdicts.branches),
        }

    @staticmethod
    def _cells(values: Mapping[str, Any], verdicts: Verdicts, count: int) -> tuple[list[str], list[Any]]:
        columns = ["converged", "position_error", "orientation_error", "iterations", "reason"]
        return columns, [values[name] for name in columns]

    def _path_values(self, facts: PathFacts) -> dict[str, Any]:
        values: dict[str, Any] = {"step": facts.step, "branch_changed": facts.branch_changed}
        if facts.rates is not None:
            values["rates"] = dict(zip(self.chain.names, facts.rates, strict=True))
            values["too_fast"] = objects(facts.too_fast)
        return values

    def _null_steps(self, verdicts: Verdicts, vector: Array) -> list[Array]:
        """The vector's part in the null space of each answer, an array a degree of freedom of the robot."""
        steps = np.zeros((self.tree.nv, len(verdicts.converged)))
        for k in range(steps.shape[1]):
            steps[self.chain.dofs, k] = project(verdicts.jacobian[:, :, k], vector)
        return list(steps)

    def _add_solutions(self, values: dict[str, Any], targets: Targets, sheet: Sheet) -> Sheet:
        """`solutions` of each target; of a single one they are also the rows of text."""
        found = [every_answer(self.problem, targets.take([k]), self.request.start) for k in range(targets.count)]
        judged = [self._judged(targets.take([k] * q.shape[1]), q) for k, q in enumerate(found)]
        values["solutions"] = objects(judged)
        if targets.count != 1 or not judged[0]:
            return sheet
        names = ("branch", "position_error", "orientation_error", "distance")
        rows = [[k + 1, *each["q"], *(each[name] for name in names)] for k, each in enumerate(judged[0])]
        columns = tuple(f"q_{name}" for name in self.tree.coordinates)
        return Sheet(("solution", *columns, *names), rows, labels=1)

    def _judged(self, targets: Targets, q: Array) -> list[dict[str, Any]]:
        """Every solution with its errors, computed on its numbers, and how far it is from the start."""
        at = self.chain.kinematics(q)
        error = targets.error(at)
        labels = [None] * q.shape[1] if self.problem.form is None else self.problem.form.labels(at)
        whole = np.array(self._leaves(q))
        away = np.abs(self.chain.difference(np.repeat(self.request.start, q.shape[1], axis=1), q)).max(axis=0)
        return [
            {
                "q": whole[:, k].tolist(),
                "branch": labels[k],
                "position_error": float(error.position[k]) if targets.position_rows else None,
                "orientation_error": float(error.orientation[k]) if targets.rotation_rows else None,
                "distance": float(away[k]),
            }
            for k in range(q.shape[1])
        ]

    def _add_trace(self, values: dict[str, Any], targets: Targets, sheet: Sheet) -> Sheet:
        """`trace` of each target's run from the start; of a single one it is also the rows of text."""
        traces = [trace(self.problem, targets.take([k]), self.request.start) for k in range(targets.count)]
        values["trace"] = objects([self._trace_values(row) for row in rows] for rows in traces)
        if targets.count != 1:
            return sheet
        columns = (*_TRACED, *_DAMPED, *(f"dq_{name}" for name in self.chain.names))
        rows = [[*(getattr(row, name) for name in (*_TRACED, *_DAMPED)), *row.dq] for row in traces[0]]
        return Sheet(columns, rows, labels=1)

    def _trace_values(self, row: TraceRow) -> dict[str, Any]:
        return {**{name: getattr(row, name) for name in (*_TRACED, *_DAMPED)}, "dq": list(row.dq)}


def _behind(echoed: Mapping[str, Array], sheet: Sheet) -> Sheet:
    """The sheet with the columns of the targets before its results, behind the labels of its rows."""
    at = sheet.labels
    columns = (*sheet.columns[:at], *echoed, *sheet.columns[at:])
    return replace(sheet, columns=columns, rows=[[*row[:at], *echoed.values(), *row[at:]] for row in sheet.rows])


def _spread(template: Any, usable: Indices, count: int) -> Any:
    """A template of the usable states as one of all `count`; the leaves of the others are not read."""
    if isinstance(template, Mapping):
        return {name: _spread(part, usable, count) for name, part in template.items()}
    if isinstance(template, (list, tuple)):
        return [_spread(part, usable, count) for part in template]
    if not isinstance(template, np.ndarray):
        return template
    leaf = np.zeros(count, dtype=template.dtype)
    leaf[usable] = template
    return leaf
