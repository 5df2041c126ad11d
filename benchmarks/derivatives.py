"""Derivatives in batches beside Pinocchio, and how their cost grows with the robot.

    python benchmarks/derivatives.py [ROBOT ...] [--states N] [--rounds R] [--growth]

First table: microseconds a state of dyn's program and of the loop a Python user writes around Pinocchio, taking turns
in one process, processor time, fastest round. With --growth instead: operations of the closed form, of one tangent pass
for each input (the reference) and of RNEA itself, on chains and on trees of several shapes. Needs the packages pin and
example-robot-data.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pinocchio as pin
from batch import Subject, best_times, joint_order, robots, subject
from chains import tree_urdf

from dyncli.algorithms.align import aligned
from dyncli.algorithms.derivatives.analytic import rnea_derivatives
from dyncli.algorithms.derivatives.dynamics import Dynamics
from dyncli.algorithms.derivatives.methods import Derivative
from dyncli.algorithms.derivatives.tangents import derivatives_by_tangents
from dyncli.algorithms.lump import lumped
from dyncli.algorithms.newton_euler import newton_euler
from dyncli.api import load
from dyncli.engine import compiled
from dyncli.scalars.program import record
from dyncli.tasks.derivs import DerivsTask
from dyncli.tree import Tree

LOOP = 1000
"""States of a loop that calls Pinocchio once a state."""
USUAL = ("arm_6r", "arm_7r", "ur5", "z1", "quadruped", "a1", "humanoid", "g1", "talos")


# Time ------------------------------------------------------------------------------------------------------------


class Ours:
    """`derivs` on a batch, as the command line runs it."""

    def __init__(self, s: Subject, of: str) -> None:
        task = DerivsTask(s.robot, Derivative(Dynamics(s.robot.tree), of))
        q, v = joint_order(s)
        given = (s.q[q], s.v[v], s.a[v] if of == "rnea" else None, s.tau[v] if of == "fd" else None)
        self.blocks = [None if rows is None else list(np.ascontiguousarray(rows)) for rows in given]
        self.states, self.order = s.states, v
        sizes = [None if block is None else len(block) for block in self.blocks]
        self.compiled = compiled(task.for_recording().quantities, sizes)
        self.operations = len(self.compiled.program.operations)
        self.out = np.empty((len(self.compiled.program.outputs), s.states))

    def __call__(self) -> dict:
        """The matrices of all states, into the same memory each time, as Pinocchio's functions do it."""
        return self.compiled.run(self.states, self.blocks, out=self.out)


def pinocchio_loop(s: Subject, of: str) -> Callable[[], None]:
    """One call a state; the matrices stay in Pinocchio's memory."""
    data, model = s.model.createData(), s.model
    third = s.a if of == "rnea" else s.tau
    states = [(s.q[:, k], s.v[:, k], third[:, k]) for k in range(min(LOOP, s.states))]
    differentiate = pin.computeRNEADerivatives if of == "rnea" else pin.computeABADerivatives

    def loop() -> None:
        for state in states:
            differentiate(model, data, *state)

    return loop


def difference(s: Subject, of: str, ours: Ours) -> float:
    """Largest difference from Pinocchio over a few states, relative to the matrix's largest entry."""
    data, found, worst = s.model.createData(), ours(), 0.0
    for k in range(min(5, s.states)):
        if of == "rnea":
            pin.computeRNEADerivatives(s.model, data, s.q[:, k], s.v[:, k], s.a[:, k])
            wanted = {"dtau_dq": data.dtau_dq, "dtau_dqd": data.dtau_dv}
        else:
            pin.computeABADerivatives(s.model, data, s.q[:, k], s.v[:, k], s.tau[:, k])
            wanted = {"dqdd_dq": data.ddq_dq, "dqdd_dqd": data.ddq_dv}
        for name, matrix in wanted.items():
            exact = matrix[np.ix_(ours.order, ours.order)]
            got = np.array([[x if isinstance(x, float) else x[k] for x in row] for row in found[name]])
            worst = max(worst, float(np.abs(got - exact).max() / np.abs(exact).max()))
    return worst


def times(names: Sequence[str], states: int, rounds: int) -> None:
    """Print the table of times."""
    available = robots()
    print("us: microseconds a state; ratio: Pinocchio's loop over it.\n")
    print("| robot | nv | derivatives of | operations | us | pinocchio us | ratio | difference |")
    print("|---|---|---|---|---|---|---|---|")
    for name in names:
        if name not in available:
            continue
        s = subject(name, *available[name], states)
        for of in ("rnea", "fd"):
            ours = Ours(s, of)
            found = {"dyn": (ours, s.states), "loop": (pinocchio_loop(s, of), min(LOOP, s.states))}
            off = difference(s, of, ours)
            best = best_times(found, rounds, time.process_time)
            cells = [name, s.robot.nv, of, ours.operations, f"{best['dyn']:.2f}", f"{best['loop']:.2f}"]
            print(
                "| " + " | ".join(map(str, [*cells, f"{best['loop'] / best['dyn']:.2f}", f"{off:.0e}"])) + " |",
                flush=True,
            )


# Growth ----------------------------------------------------------------------------------------------------------


def operations(tree: Tree) -> tuple[int, int, int]:
    """Of RNEA, the closed form, and tangent passes, each recorded on the tree that suits a program."""
    n = tree.nv
    inputs = [f"x{k}" for k in range(tree.nq + 2 * n)]
    suited = lumped(aligned(tree))

    def flat(matrices: Sequence[Sequence[Sequence]]) -> list:
        return [entry for matrix in matrices for row in matrix for entry in row]

    def split(x: list) -> tuple[list, list, list]:
        return x[: tree.nq], x[tree.nq : tree.nq + n], x[tree.nq + n :]

    once = record(lambda x: newton_euler(suited, *split(x)), inputs)
    closed = record(lambda x: flat(rnea_derivatives(suited, *split(x))[:2]), inputs)
    passes = record(lambda x: flat(derivatives_by_tangents(suited, *split(x))), inputs)
    return len(once.operations), len(closed.operations), len(passes.operations)


def shapes() -> dict[str, list[int]]:
    """Parents of trees: chains, full trees of some branchings, limbs on one body."""
    found = {f"chain {n}": list(range(n)) for n in (6, 12, 24, 48)}
    found |= {f"branching {b}, 48 joints": [(k - 1) // b for k in range(1, 49)] for b in (2, 3, 6)}
    for limbs in (2, 4, 8):
        length = 48 // limbs
        found[f"{limbs} limbs of {length}"] = [
            0 if k % length == 0 else limb * length + k for limb in range(limbs) for k in range(length)
        ]
    return found


def growth() -> None:
    """Print the table of operations."""
    print("Operations of RNEA, of dtau/d(q, qd) in closed form and by one tangent pass an input, on random links.\n")
    print("| tree | pairs | RNEA | closed form | passes | closed / RNEA | passes / RNEA | passes / closed |")
    print("|---|---|---|---|---|---|---|---|")
    folder, chains = Path(tempfile.mkdtemp()), {}
    for name, parents in shapes().items():
        path = folder / "tree.urdf"
        path.write_text(tree_urdf(parents, seed=1))
        tree = load(path).tree
        pairs = sum(len(tree.ancestors(i)) - 1 for i in range(len(tree.bodies)))
        once, closed, passes = operations(tree)
        if name.startswith("chain"):
            chains[tree.nv] = (closed, passes)
        ratios = (f"{a / b:.2f}" for a, b in ((closed, once), (passes, once), (passes, closed)))
        print("| " + " | ".join(map(str, (name, pairs, once, closed, passes, *ratios))) + " |", flush=True)
    sizes = sorted(chains)
    for k, what in enumerate(("closed form", "passes")):
        slopes = [f"{math.log(chains[b][k] / chains[a][k]) / math.log(b / a):.2f}" for a, b in pairwise(sizes)]
        print(f"\nslopes on chains, {what}: {', '.join(slopes)}")


def main() -> None:
    """Print one of the two tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="*", default=USUAL)
    parser.add_argument("--states", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--growth", action="store_true")
    options = parser.parse_args()
    if options.growth:
        growth()
    else:
        times(options.robots, options.states, options.rounds)


if __name__ == "__main__":
    main()
