"""Inverse kinematics of random reachable poses, beside the Robotics Toolbox's compiled ik_LM and a Pinocchio loop.

    python benchmarks/ik.py [ROBOT ...] [--targets N] [--rounds R]

Targets are the poses at random positions within the limits, starts are other random positions; tolerance 1e-6 m and
rad, limits kept, every solver with its restarts. All contenders solve the same targets in one process, in turns; of
each the round with the least processor time counts, so that a busy machine does not decide. Every answer is checked
here, by one and the same forward kinematics. Ours solves the targets as one batch, the others one after the other.
Needs pin and example-robot-data; roboticstoolbox-python if it is there.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from arms import PANDA, SAMPLES, UR5  # noqa: E402

from dyncli.algorithms.ik.chain import Chain  # noqa: E402
from dyncli.algorithms.ik.error import ALL_ROWS, Targets  # noqa: E402
from dyncli.algorithms.ik.limits import Bounds  # noqa: E402
from dyncli.algorithms.ik.path import follow  # noqa: E402
from dyncli.algorithms.ik.path_geometry import path_of  # noqa: E402
from dyncli.algorithms.ik.problem import Problem  # noqa: E402
from dyncli.algorithms.ik.restarts import find  # noqa: E402
from dyncli.algorithms.ik.settings import Settings  # noqa: E402
from dyncli.robot import load_robot  # noqa: E402

ROBOTS = {
    "arm_6r": (SAMPLES / "arm_6r.urdf", "tool"),
    "arm_7r": (SAMPLES / "arm_7r.urdf", "tool"),
    "ur5": (UR5, "tool0"),
    "panda": (PANDA, "panda_hand"),
}
TOLERANCE = 1e-6
PINOCCHIO_TARGETS = 100
"""The loop in Python takes milliseconds a target."""


@dataclass(frozen=True)
class Subject:
    """One robot with its targets and starts."""

    path: Path
    chain: Chain
    targets: Targets
    starts: np.ndarray

    def solved(self, q: np.ndarray) -> np.ndarray:
        """Which coordinates put the frame on their target, within limits."""
        some = self.targets.take(slice(0, q.shape[1]))
        error = some.error(self.chain.kinematics(q))
        there = (error.position <= TOLERANCE) & (error.orientation <= TOLERANCE)
        return there & Bounds.of(self.chain).contain(q)


Solver = Callable[[], tuple[np.ndarray, np.ndarray]]
"""Coordinates (n, T) and which of them the solver itself calls solved."""


def subject(name: str, count: int, seed: int = 1) -> Subject:
    """A robot with random targets and starts."""
    path, frame = ROBOTS[name]
    tree = load_robot(path).tree
    chain = Chain(tree, tree.frames[frame], tree.neutral)
    rng = np.random.default_rng(seed)
    truth, starts = (chain.random(rng.random((chain.uniforms, count))) for _ in range(2))
    at = chain.kinematics(truth)
    return Subject(path, chain, Targets(at.position, at.rotation, ALL_ROWS), starts)


def ours(case: Subject, *, closed_form: bool = True) -> Solver:
    """This package, all targets as one batch; what depends on the chain alone is made anew each time."""

    def run() -> tuple[np.ndarray, np.ndarray]:
        problem = Problem(case.chain, ALL_ROWS, Settings(tol=TOLERANCE), use_form=closed_form)
        answers = find(problem, case.targets, case.starts)
        return answers.q, answers.found

    return run


def toolbox(case: Subject) -> Solver | None:
    """ik_LM with its restarts on one elementary transform and one turn a joint; None if it is not installed."""
    try:
        import roboticstoolbox as rtb
        from spatialmath import SE3
    except ImportError:
        return None
    path = path_of(case.chain)
    transforms, before = [], np.eye(4)
    for k, joint in enumerate(path.joints):
        here = frame_with_z_along(joint.axis, joint.point)
        transforms.append(rtb.ET.SE3(SE3(np.linalg.inv(before) @ here, check=False)))
        transforms.append(rtb.ET.Rz(jindex=k, qlim=[case.chain.lower[k], case.chain.upper[k]]))
        before = here
    tip = np.eye(4)
    tip[:3, :3], tip[:3, 3] = path.rotation, path.tip
    transforms.append(rtb.ET.SE3(SE3(np.linalg.inv(before) @ tip, check=False)))
    ets = rtb.ETS(transforms)
    wanted = np.tile(np.eye(4), (case.targets.count, 1, 1))
    wanted[:, :3, :3], wanted[:, :3, 3] = case.targets.rotation.transpose(2, 0, 1), case.targets.position.T
    half_square = 0.5 * TOLERANCE**2

    def run() -> tuple[np.ndarray, np.ndarray]:
        starts = np.ascontiguousarray(case.starts.T)
        found = [ets.ik_LM(T, q0=q0, tol=half_square) for T, q0 in zip(wanted, starts, strict=True)]
        return np.array([each.q for each in found]).T, np.array([each.success for each in found], dtype=bool)

    return run


def frame_with_z_along(axis: np.ndarray, point: np.ndarray) -> np.ndarray:
    """A pose with origin `point` whose z axis is `axis`."""
    side = np.eye(3)[np.abs(axis).argmin()]
    x = np.cross(side, axis)
    x /= np.linalg.norm(x)
    pose = np.eye(4)
    pose[:3, 0], pose[:3, 1], pose[:3, 2], pose[:3, 3] = x, np.cross(axis, x), axis, point
    return pose


def pinocchio_loop(case: Subject, count: int, steps: int = 60, tries: int = 60) -> Solver:
    """Damped least squares in Python over Pinocchio's kinematics, from the start and then from random positions."""
    model = pin.buildModelFromUrdf(str(case.path))
    data = model.createData()
    frame = model.getFrameId(case.chain.frame.name)
    own = [model.joints[model.getJointId(name)].idx_q for name in case.chain.names]
    rng = np.random.default_rng(0)
    wanted = [pin.SE3(case.targets.rotation[:, :, k], case.targets.position[:, k]) for k in range(count)]
    low, high = case.chain.lower, case.chain.upper

    def once(target: pin.SE3, start: np.ndarray) -> np.ndarray | None:
        q = pin.neutral(model)
        q[own] = start
        for _ in range(steps):
            pin.framesForwardKinematics(model, data, q)
            e = pin.log6(data.oMf[frame].actInv(target)).vector
            if np.linalg.norm(e[:3]) <= TOLERANCE and np.linalg.norm(e[3:]) <= TOLERANCE:
                return q[own]
            J = pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL)[:, own]
            q[own] += np.clip(J.T @ np.linalg.solve(J @ J.T + 1e-3 * (e @ e) * np.eye(6), e), -1.0, 1.0)
            turns = np.round((q[own] - np.clip(q[own], low, high)) / (2 * math.pi))
            q[own] = np.clip(q[own] - 2 * math.pi * turns, low, high)
        return None

    def run() -> tuple[np.ndarray, np.ndarray]:
        answers, found = [], []
        for k, target in enumerate(wanted):
            q = once(target, case.starts[:, k])
            for _ in range(tries):
                if q is not None:
                    break
                q = once(target, rng.uniform(low, high))
            found.append(q is not None)
            answers.append(case.starts[:, k] if q is None else q)
        return np.array(answers).T, np.array(found)

    return run


def path_speed(case: Subject, rows: int = 2000) -> float:
    """Rows a second along a smooth path, each from the last answer."""
    t = np.linspace(0.0, 4.0, rows)
    middle = np.clip(0.5 * (case.chain.lower + case.chain.upper), -1.0, 1.0) + 0.3
    truth = middle[:, None] + 0.2 * np.sin(np.arange(1, case.chain.n + 1)[:, None] * t)
    at = case.chain.kinematics(np.clip(truth, case.chain.lower[:, None], case.chain.upper[:, None]))
    problem = Problem(case.chain, ALL_ROWS, Settings(tol=TOLERANCE))
    begin = time.process_time()
    follow(problem, Targets(at.position, at.rotation, ALL_ROWS), truth[:, :1])
    return rows / (time.process_time() - begin)


def main() -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="*", metavar="ROBOT", help=f"default: {' '.join(ROBOTS)}")
    parser.add_argument("--targets", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    for name in options.robots or ROBOTS:
        case = subject(name, options.targets)
        few = min(options.targets, PINOCCHIO_TARGETS)
        solvers: dict[str, tuple[Solver | None, int]] = {
            "dyn": (ours(case), options.targets),
            "dyn, numeric": (ours(case, closed_form=False), options.targets),
            "ik_LM": (toolbox(case), options.targets),
            "pinocchio loop": (pinocchio_loop(case, few), few),
        }
        best: dict[str, float] = {}
        verdict: dict[str, tuple[float, int]] = {}
        for _ in range(options.rounds):
            for label, (solver, count) in solvers.items():
                if solver is None:
                    continue
                begin = time.process_time()
                q, claimed = solver()
                took = (time.process_time() - begin) / count
                best[label] = min(took, best.get(label, math.inf))
                right = case.solved(q)
                verdict[label] = (100.0 * right.mean(), int((claimed & ~right).sum()))
        print(f"{name}: {options.targets} targets; a path at {path_speed(case):.0f} rows a second")
        for label, took in best.items():
            solved, wrong = verdict[label]
            print(f"  {label:15} {1e6 * took:9.1f} us a target   {solved:6.2f} % solved   {wrong} wrong claims")
    return 0


if __name__ == "__main__":
    sys.exit(main())
