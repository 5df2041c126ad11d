"""Cost of a state in a batch, beside Pinocchio, MuJoCo and the same program compiled by a C compiler.

    python benchmarks/batch.py [ROBOT ...] [--states N] [--rounds R] [--threads T]

All contenders of a table take turns in one process, and the fastest round of each counts; ratios, not times, carry over
to other machines. Needs the packages pin, mujoco and example-robot-data; a C compiler is used when there is one.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from chains import chain_urdf  # noqa: E402

from dyncli.algorithms.crba import crba  # noqa: E402
from dyncli.algorithms.forward import mass_inverse  # noqa: E402
from dyncli.api import load  # noqa: E402
from dyncli.engine import compiled  # noqa: E402
from dyncli.robot import Robot  # noqa: E402
from dyncli.scalars.c_code import c_function, c_helpers  # noqa: E402
from dyncli.tasks.base import Task  # noqa: E402
from dyncli.tasks.fd import FdTask  # noqa: E402
from dyncli.tasks.mass import MassParts, MassTask  # noqa: E402
from dyncli.tasks.rnea import RneaTask  # noqa: E402

LOOP = 2000
"""States of a loop that calls a library once a state from Python."""

SAMPLES = {"arm_6r": False, "arm_7r": False, "quadruped": True, "humanoid": True}
CHAINS = {"chain24": 24, "chain96": 96, "chain192": 192}
MOST_DOFS_OF_MATRICES = 100
"""Degrees of freedom above which M is left out: its list grows with their square, to minutes of recording."""
REAL = {
    "ur5": ("ur_description/urdf/ur5_robot.urdf", False),
    "z1": ("z1_description/urdf/z1.urdf", False),
    "a1": ("a1_description/urdf/a1.urdf", True),
    "g1": ("g1_description/urdf/g1_29dof_rev_1_0.urdf", True),
    "talos": ("talos_data/robots/talos_reduced.urdf", True),
}


@dataclass(frozen=True)
class Subject:
    """One robot with its states, as every library wants them."""

    name: str
    robot: Robot
    model: pin.Model
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray
    mjcf: Path | None

    @property
    def states(self) -> int:
        """Number of states."""
        return self.q.shape[1]


def robots() -> dict[str, tuple[Path, bool]]:
    """URDF file of each robot, and whether its root floats."""
    found = {name: (ROOT / "sample_models" / f"{name}.urdf", floats) for name, floats in SAMPLES.items()}
    folder = Path(tempfile.mkdtemp())
    for name, n in CHAINS.items():
        (folder / f"{name}.urdf").write_text(chain_urdf(n, seed=1))
        found[name] = (folder / f"{name}.urdf", False)
    data = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
    return found | {name: (data / path, floats) for name, (path, floats) in REAL.items() if (data / path).exists()}


def subject(name: str, path: Path, floats: bool, states: int) -> Subject:
    """Load a robot in both libraries, with random states in Pinocchio's order of joints."""
    robot = load(path, root="floating" if floats else "fixed", convention="pinocchio")
    root = [pin.JointModelFreeFlyer()] if floats else []
    model = pin.buildModelFromUrdf(str(path), *root)
    rng = np.random.default_rng(0)
    q = np.asfortranarray(rng.standard_normal((model.nq, states)))
    if floats:
        q[3:7] /= np.linalg.norm(q[3:7], axis=0)
    v, a, tau = (np.asfortranarray(rng.standard_normal((model.nv, states))) for _ in range(3))
    mjcf = path.with_suffix(".xml")
    return Subject(name, robot, model, q, v, a, tau, mjcf if mjcf.exists() else None)


def joint_order(s: Subject) -> tuple[list[int], list[int]]:
    """For each coordinate and each degree of freedom of ours, its index in Pinocchio's (which sorts by name)."""
    q, v = [], []
    for joint in s.robot.tree.joints:
        theirs = s.model.joints[s.model.getJointId("root_joint" if joint.nv == 6 else joint.name)]
        q += range(theirs.idx_q, theirs.idx_q + joint.nq)
        v += range(theirs.idx_v, theirs.idx_v + joint.nv)
    return q, v


# Contenders --------------------------------------------------------------------------------------------------------


class InverseTask(MassTask):
    """The inverse of M alone, as `computeMinverse` gives it."""

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot, MassParts(inverse=True))

    def quantities(self, q: list, *others: object) -> dict:
        """M⁻¹."""
        return {"Minv": mass_inverse(self.tree, crba(self.tree, q))}


class Ours:
    """A task's program on blocks of states, and the same program through a C compiler."""

    def __init__(self, s: Subject, task: Task, needs: str, threads: int) -> None:
        """`needs`: of q, v, a and the forces t those that the task reads."""
        q, v = joint_order(s)
        given = {"q": s.q[q], "v": s.v[v], "a": s.a[v], "t": s.tau[v]}
        self.blocks = [list(np.ascontiguousarray(rows)) if key in needs else None for key, rows in given.items()]
        self.task, self.states, self.threads, self.order = task, s.states, threads, v
        start = time.process_time()
        sizes = [None if block is None else len(block) for block in self.blocks]
        self.compiled = compiled(task.for_recording().quantities, sizes)
        self.compiled.run(1, self.first(1))
        self.preparation = time.process_time() - start
        self.out = np.empty((len(self.compiled.program.outputs), s.states))

    def first(self, count: int) -> list[list[np.ndarray] | None]:
        """The first `count` states."""
        return [None if block is None else [row[:count] for row in block] for block in self.blocks]

    def pays_from(self, microseconds: float) -> float:
        """States from which preparing the program takes less time than it saves, at this time a state."""
        count = min(1000, self.states)
        few = self.first(count)
        start = time.process_time()
        with np.errstate(all="ignore"):
            self.task.quantities(*few)
        direct = (time.process_time() - start) / count
        return self.preparation / (direct - microseconds * 1e-6)

    def __call__(self) -> object:
        """All states, into the same memory each time, as Pinocchio's functions do it."""
        return self.compiled.run(self.states, self.blocks, self.threads, self.out)

    def c(self) -> Callable[[], object] | None:
        """The program as a loop over states in C; None without a compiler."""
        if shutil.which("cc") is None:
            return None
        program = self.compiled.program
        folder = Path(tempfile.mkdtemp())
        loop = (
            "void all(const double *x, double *y, long n)\n"
            f"{{ for (long k = 0; k < n; k++) one(x + k * {len(program.inputs)}, y + k * {len(program.outputs)}); }}\n"
        )
        text = "#include <math.h>\n" + c_helpers(program) + "static " + c_function(program, "one") + loop
        (folder / "program.c").write_text(text)
        flags = ["-O3", "-march=native", "-shared", "-fPIC", "-lm"]
        subprocess.run(["cc", str(folder / "program.c"), "-o", str(folder / "program.so"), *flags], check=True)
        function = ctypes.CDLL(str(folder / "program.so")).all
        x = np.ascontiguousarray(np.array([row for block in self.blocks if block is not None for row in block]).T)
        y = np.empty((self.states, len(program.outputs)))
        pointer = ctypes.POINTER(ctypes.c_double)
        arguments = x.ctypes.data_as(pointer), y.ctypes.data_as(pointer), ctypes.c_long(self.states)
        return lambda: (function(*arguments), x, y)


def contenders(s: Subject, what: str, threads: int) -> tuple[dict[str, tuple[Callable[[], object], int]], Ours]:
    """Each way to compute `what`, with the number of states it does in one call."""
    data, pool = s.model.createData(), pin.ModelPool(s.model, threads)
    out = np.asfortranarray(np.empty((s.model.nv, s.states)))
    loop = min(LOOP, s.states)
    states = [(s.q[:, k], s.v[:, k], s.a[:, k], s.tau[:, k]) for k in range(loop)]
    task, needs = {
        "rnea": (RneaTask(s.robot), "qva"),
        "mass": (MassTask(s.robot, MassParts()), "q"),
        "fd": (FdTask(s.robot), "qvt"),
        "minv": (InverseTask(s.robot), "q"),
    }[what]
    ours = Ours(s, task, needs, threads)
    found: dict[str, tuple[Callable[[], object], int]] = {"dyn": (ours, s.states)}
    if what == "rnea":
        found["pinocchio batch"] = (lambda: pin.rneaInParallel(threads, pool, s.q, s.v, s.a, out), s.states)
        found["pinocchio loop"] = (lambda: [pin.rnea(s.model, data, q, v, a) for q, v, a, _ in states], loop)
    elif what == "fd":
        found["pinocchio batch"] = (lambda: pin.abaInParallel(threads, pool, s.q, s.v, s.tau, out), s.states)
        found["pinocchio loop"] = (lambda: [pin.aba(s.model, data, q, v, tau) for q, v, _, tau in states], loop)
    elif what == "mass":
        found["pinocchio loop"] = (lambda: [pin.crba(s.model, data, q) for q, *_ in states], loop)
    else:
        found["pinocchio loop"] = (lambda: [pin.computeMinverse(s.model, data, q) for q, *_ in states], loop)
    if s.mjcf and what in ("rnea", "fd"):
        found["mujoco loop"] = (mujoco_loop(s.mjcf, what, loop), loop)
    if len(ours.compiled.program.operations) < 6000 and (compiled_c := ours.c()):
        found["same program in C"] = (compiled_c, s.states)
    return found, ours


def mujoco_loop(path: Path, what: str, loop: int) -> Callable[[], object]:
    """MuJoCo's inverse or forward dynamics without contacts, one call a state at a fixed state."""
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mujoco.MjData(model)
    call = mujoco.mj_inverse if what == "rnea" else mujoco.mj_forward
    return lambda: [call(model, data) for _ in range(loop)]


def check(s: Subject, what: str, ours: Ours) -> float:
    """Largest difference from Pinocchio over a few states, relative to the largest number."""
    data, found = s.model.createData(), ours()
    worst = 0.0
    for k in range(min(5, s.states)):
        q, v, a, tau = s.q[:, k], s.v[:, k], s.a[:, k], s.tau[:, k]
        if what in ("rnea", "fd"):
            rows = found["tau" if what == "rnea" else "qdd"]
            expected = (pin.rnea(s.model, data, q, v, a) if what == "rnea" else pin.aba(s.model, data, q, v, tau))[
                ours.order
            ]
            actual = np.array([row if isinstance(row, float) else row[k] for row in rows])
        else:
            M = pin.crba(s.model, data, q) if what == "mass" else pin.computeMinverse(s.model, data, q)
            M = np.triu(M) + np.triu(M, 1).T
            expected = M[np.ix_(ours.order, ours.order)]
            rows = found["M" if what == "mass" else "Minv"]
            actual = np.array([[x if isinstance(x, float) else x[k] for x in row] for row in rows])
        worst = max(worst, float(np.abs(actual - expected).max() / np.abs(expected).max()))
    return worst


def best_times(
    found: dict[str, tuple[Callable[[], object], int]], rounds: int, clock: Callable[[], float]
) -> dict[str, float]:
    """Microseconds a state of each contender: the fastest of `rounds`, all taking turns."""
    best = dict.fromkeys(found, float("inf"))
    for _ in range(rounds):
        for name, (call, states) in found.items():
            start = clock()
            call()
            best[name] = min(best[name], (clock() - start) / states * 1e6)
    return best


OTHERS = ("pinocchio batch", "pinocchio loop", "mujoco loop", "same program in C")
COLUMNS = ("robot", "nv", "what", "operations", "us", *OTHERS, "difference", "recording ms", "pays from")
LEGEND = """us: microseconds a state; then the others' time over ours. difference: from Pinocchio's numbers, relative.
recording ms: what making the program costs; pays from: states from which that is less than it saves."""


def measured(s: Subject, what: str, threads: int, rounds: int) -> list[str]:
    """One line of the table."""
    found, ours = contenders(s, what, threads)
    difference = check(s, what, ours)
    # with one thread the processor's time counts, which other processes disturb less than the wall's
    times = best_times(found, rounds, time.process_time if threads == 1 else time.perf_counter)
    microseconds = times["dyn"]
    length = len(ours.compiled.program.operations)
    ratios = [f"{times[other] / microseconds:.2f}" if other in times else "" for other in OTHERS]
    preparation = f"{ours.preparation * 1e3:.0f}"
    first = [s.name, str(s.robot.nv), what, str(length), f"{microseconds:.2f}"]
    return [*first, *ratios, f"{difference:.0e}", preparation, f"{ours.pays_from(microseconds):.0f}"]


def main() -> None:
    """Print one table."""
    available = robots()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="*", choices=[*available, []], help="default: all")
    parser.add_argument("--what", default="rnea,mass,fd,minv", help="default: %(default)s")
    parser.add_argument("--states", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    print(f"{options.states} states, {options.threads} thread(s), best of {options.rounds}; {os.cpu_count()} cores")
    print(LEGEND, end="\n\n")
    print("| " + " | ".join(COLUMNS) + " |")
    print("|---" * len(COLUMNS) + "|")
    for name in options.robots or available:
        s = subject(name, *available[name], options.states)
        for what in options.what.split(","):
            if what in ("mass", "minv") and s.robot.nv > MOST_DOFS_OF_MATRICES:
                continue
            print("| " + " | ".join(measured(s, what, options.threads, options.rounds)) + " |", flush=True)


if __name__ == "__main__":
    main()
