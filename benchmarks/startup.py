"""One state as a whole process: `dyn mass` and `dyn rnea` beside a Python script that does the same with Pinocchio.

    python benchmarks/startup.py [ROBOT.urdf] [--runs 15]

The two run in turn; printed are medians and the ratio pair by pair, so that a drifting machine does not matter. Needs
pin.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

SAMPLE = Path(__file__).parent.parent / "sample_models" / "arm_7r.urdf"

PEER = """
import sys
import numpy as np
import pinocchio as pin
model = pin.buildModelFromUrdf(sys.argv[1])
data = model.createData()
q, zero = pin.neutral(model), np.zeros(model.nv)
if sys.argv[2] == "mass":
    M = pin.crba(model, data, q)
    print(np.triu(M) + np.triu(M, 1).T)
else:
    print(pin.rnea(model, data, q, zero, zero))
"""


def seconds(command: list[str]) -> float:
    """Wall time of a process, s."""
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot", nargs="?", default=str(SAMPLE))
    parser.add_argument("--runs", type=int, default=15)
    chosen = parser.parse_args()
    print(f"{'command':8} {'dyn ms':>8} {'pin ms':>8} {'ratio':>7}")
    for name in ("mass", "rnea"):
        ours = [sys.executable, "-m", "dyncli", name, chosen.robot, "-f", "csv"]
        theirs = [sys.executable, "-c", PEER, chosen.robot, name]
        for command in (ours, theirs):  # bytecode and file cache
            seconds(command)
        pairs = [(seconds(ours), seconds(theirs)) for _ in range(chosen.runs)]
        mine, peer = (1e3 * statistics.median(column) for column in zip(*pairs, strict=True))
        ratio = statistics.median(a / b for a, b in pairs)
        print(f"{name:8} {mine:8.0f} {peer:8.0f} {ratio:7.2f}")


if __name__ == "__main__":
    main()
