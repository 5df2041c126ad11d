"""Peak memory of `dyn rnea` on logs of more and more rows, CSV to CSV, each as a whole process.

    python benchmarks/memory.py [ROBOT.urdf] [--rows 20000 2000000] [--threads 2]

The log has columns q, qd and qdd of 17 digits, some 400 bytes a row for seven joints.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from stream import SAMPLE, write_log

AT_ONCE = 20_000


def write_long_log(path: Path, robot: str, rows: int) -> None:
    """The same rows again and again, as many as are asked for."""
    write_log(path, robot, min(rows, AT_ONCE))
    header, _, body = path.read_bytes().partition(b"\n")
    lines = body.splitlines(keepends=True)
    with path.open("wb") as file:
        file.write(header + b"\n")
        for _ in range(rows // len(lines)):
            file.write(body)
        file.writelines(lines[: rows % len(lines)])


def peak(command: list[str]) -> tuple[float, float]:
    """Peak resident memory of a process, MB, and its wall time, s."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")
    return usage.ru_maxrss / 1024, time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot", nargs="?", default=str(SAMPLE))
    parser.add_argument("--rows", type=int, nargs="+", default=[20_000, 2_000_000])
    parser.add_argument("--threads", type=int, default=2)
    chosen = parser.parse_args()
    print(f"{'rows':>10} {'file MB':>9} {'peak MB':>9} {'more than the first':>20} {'seconds':>9} {'rows/s':>12}")
    first: float | None = None
    with tempfile.TemporaryDirectory() as folder:
        states, output = Path(folder) / "states.csv", Path(folder) / "tau.csv"
        for rows in chosen.rows:
            write_long_log(states, chosen.robot, rows)
            dyn = ["rnea", chosen.robot, "--states", str(states), "-o", str(output), "--threads", str(chosen.threads)]
            used, seconds = peak([sys.executable, "-m", "dyncli", *dyn])
            first = used if first is None else first
            size = states.stat().st_size / 1e6
            print(f"{rows:10} {size:9.0f} {used:9.0f} {used - first:20.0f} {seconds:9.2f} {rows / seconds:12.0f}")


if __name__ == "__main__":
    main()
