"""Peak memory of `dyn rnea` on logs of more and more rows, CSV to CSV, with the processes that it forks.

    python benchmarks/memory.py [ROBOT.urdf] [--rows 20000 2000000] [--threads 2]

The log has columns q, qd and qdd of 17 digits, some 400 bytes a row for seven joints.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from stream import SAMPLE, write_log

AT_ONCE = 20_000
SAMPLING = 0.03
"""Seconds between two looks at the memory."""


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
    """Peak memory of a process and those that it starts, MB, and its wall time, s.

    Pages that several of them share count once. Linux alone can tell.
    """
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    most = 0.0
    while process.poll() is None:
        most = max(most, memory(process.pid))
        time.sleep(SAMPLING)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit status {process.returncode}")
    return most, time.perf_counter() - start


def memory(pid: int) -> float:
    """Memory that a process and its children have now, MB."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:  # it has ended
        return 0.0
    own = next(float(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))
    return own / 1024 + sum(memory(int(child)) for child in children)


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
