"""A log of states through `dyn rnea`, CSV to CSV as whole processes, beside scripts of other libraries.

    python benchmarks/stream.py [ROBOT.urdf] [--rows 100000] [--runs 7]

The log has columns q, qd and qdd of 17 digits. The programs run in turn, round by round; printed are medians and the
ratios round by round, so a machine that drifts does not matter. Peers: numpy.loadtxt, a loop over pinocchio.rnea,
numpy.savetxt; and, where polars is installed, polars with pinocchio.rneaInParallel. Needs pin.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
from startup import seconds

from dyncli.robot import load_robot
from dyncli.writers.fast import matrix_text

SAMPLE = Path(__file__).parent.parent / "sample_models" / "arm_7r.urdf"

LOOP = """
import sys
import numpy as np
import pinocchio as pin
robot, states, output = sys.argv[1:4]
model = pin.buildModelFromUrdf(robot)
data = model.createData()
n = model.nv
rows = np.loadtxt(states, delimiter=",", skiprows=1)
tau = np.empty((len(rows), n))
for k, row in enumerate(rows):
    tau[k] = pin.rnea(model, data, row[:n], row[n:2 * n], row[2 * n:])
header = ",".join("tau_" + name for name in model.names[1:])
np.savetxt(output, tau, "%.17g", delimiter=",", header=header, comments="")
"""

PARALLEL = """
import sys
import numpy as np
import pinocchio as pin
import polars
robot, states, output, threads = sys.argv[1:5]
model = pin.buildModelFromUrdf(robot)
n = model.nv
rows = polars.read_csv(states).to_numpy().T
q, v, a = (np.asfortranarray(rows[k * n:(k + 1) * n]) for k in range(3))
tau = pin.rneaInParallel(int(threads), pin.ModelPool(model, int(threads)), q, v, a)
polars.from_numpy(np.asarray(tau).T, schema=["tau_" + name for name in model.names[1:]]).write_csv(output)
"""

CORE_ALONE = """
import sys
sys.modules.update(dict.fromkeys(("orjson", "pyarrow")))
from dyncli.__main__ import main
main()
"""
"""`dyn` as if no optional package were there."""


def write_log(path: Path, robot: str, rows: int) -> None:
    """Random states within the limits, q, qd and qdd, as CSV."""
    tree = load_robot(robot).tree
    rng = np.random.default_rng(1)
    limits = [(joint.lower or -1.0, joint.upper or 1.0) for joint in (body.joint for body in tree.bodies)]
    low, high = np.array(limits).T
    q = rng.uniform(low, high, (rows, tree.nv))
    states = np.concatenate([q, rng.normal(size=(rows, 2 * tree.nv))], axis=1)
    columns = ",".join(f"{block}_{name}" for block in ("q", "qd", "qdd") for name in tree.dofs)
    path.write_bytes(columns.encode() + b"\n" + matrix_text(states, b",") + b"\n")


def programs(robot: str, states: Path, output: Path, threads: int) -> dict[str, list[str]]:
    """What is compared, by name."""
    log = [robot, str(states), str(output)]
    dyn = ["rnea", robot, "--states", str(states), "-o", str(output)]
    found = {
        "dyn": [sys.executable, "-m", "dyncli", *dyn, "--threads", str(threads)],
        "dyn, 1 thread": [sys.executable, "-m", "dyncli", *dyn, "--threads", "1"],
        "dyn, core alone": [sys.executable, "-c", CORE_ALONE, *dyn, "--threads", str(threads)],
        "loadtxt + pinocchio": [sys.executable, "-c", LOOP, *log],
    }
    if importlib.util.find_spec("polars"):
        found["polars + pinocchio"] = [sys.executable, "-c", PARALLEL, *log, str(threads)]
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot", nargs="?", default=str(SAMPLE))
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        states, output = Path(folder) / "states.csv", Path(folder) / "tau.csv"
        write_log(states, chosen.robot, chosen.rows)
        commands = programs(chosen.robot, states, output, chosen.threads)
        found: dict[str, list[float]] = {name: [] for name in commands}
        for round in range(chosen.runs + 1):
            for name, command in commands.items():
                taken = seconds(command)
                if round:  # the first one fills the file cache and writes bytecode
                    found[name].append(taken)
        print(f"{chosen.rows} rows of {states.stat().st_size / chosen.rows:.0f} bytes, {chosen.threads} threads")
    peers = [name for name in found if not name.startswith("dyn")]
    print(f"{'':22} {'seconds':>8}  " + "  ".join(f"of {peer:>20}" for peer in peers))
    for name, times in found.items():
        ratios = [statistics.median(a / b for a, b in zip(times, found[peer], strict=True)) for peer in peers]
        print(f"{name:22} {statistics.median(times):8.3f}  " + "  ".join(f"{ratio:23.2f}" for ratio in ratios))


if __name__ == "__main__":
    main()
