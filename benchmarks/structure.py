"""The figures of docs/structure.md: which route to the accelerations is cheapest, by count and by the clock.

    python benchmarks/structure.py [NAME ...]        names of robots in the table below; default all

Robots of the wheel example-robot-data stand on a floating base where they walk. Times are those of one state on one
thread: the recorded program run with NumPy in blocks, and the same program as C, compiled with cc -O2. The fastest of
several runs counts.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from dyncli.algorithms.opcount import count_operations
from dyncli.algorithms.opcount.emit import c_source, identifier
from dyncli.algorithms.opcount.routines import ROUTINES
from dyncli.algorithms.opcount.specialised import specialised_program
from dyncli.algorithms.opcount.timing import seconds_per_state
from dyncli.algorithms.sparsity import factorisations
from dyncli.build import ModelOptions
from dyncli.robot import load_robot
from dyncli.states.sampling import random_state
from dyncli.tree import Tree

SHARE = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix", "share", "example-robot-data", "robots")
ROBOTS = {
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "fixed"),
    "xarm7": ("xarm_description/urdf/xarm7.urdf", "fixed"),
    "allegro": ("allegro_hand_description/urdf/allegro_right_hand.urdf", "fixed"),
    "go2": ("go2_description/urdf/go2.urdf", "floating"),
    "simple_humanoid": ("simple_humanoid_description/urdf/simple_humanoid.urdf", "floating"),
    "g1": ("g1_description/urdf/g1_29dof_rev_1_0.urdf", "floating"),
    "talos": ("talos_data/robots/talos_reduced.urdf", "floating"),
    "human": ("human_description/urdf/human.urdf", "floating"),
    "g1_hands": ("g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf", "floating"),
}
ROUTES = ("aba", "fd-crba", "fd-sparse")
RUNS, CALLS = 5, 4000

LOOP = """
#include <time.h>
double seconds(int calls, const double *q, const double *qd, const double *tau, double *qdd)
{
    const clock_t start = clock();
    int k;
    for (k = 0; k < calls; k++) {
        FUNCTION(q, qd, tau, qdd);
    }
    return (double)(clock() - start) / CLOCKS_PER_SEC / calls;
}
"""


def seconds_in_c(tree: Tree, algorithm: str) -> float:
    """One call of the generated function, compiled with -O2."""
    function = f"{identifier(tree.name)}_{identifier(algorithm)}"
    state = random_state(tree, 1)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "robot.c")
        source.write_text(c_source(tree, [algorithm]) + LOOP.replace("FUNCTION", function))
        flags = ["-std=c99", "-O2", "-DDYN_NO_MAIN", "-shared", "-fPIC"]
        subprocess.run(["cc", *flags, source, "-o", f"{folder}/robot.so", "-lm"], check=True)
        library = ctypes.CDLL(f"{folder}/robot.so")
    library.seconds.restype = ctypes.c_double
    arrays = [(ctypes.c_double * len(block))(*block) for block in (state.q, state.qd, state.tau)]
    out = (ctypes.c_double * tree.nv)()
    return min(library.seconds(CALLS, *arrays, out) for _ in range(RUNS))


def main() -> None:
    """Print a line a robot and route."""
    print("robot              nv  route      structured  specialised   numpy us  ns/op    C us  ns/op")
    for name in sys.argv[1:] or ROBOTS:
        file, root = ROBOTS[name]
        tree = load_robot(next(SHARE.rglob(Path(file).name)), ModelOptions(root=root)).tree
        ways = factorisations(tree)
        print(f"# {name}: factor multiplications {ways.ltl.factor} sparse, {ways.dense.factor} dense")
        for route in ROUTES:
            structured = count_operations(tree, route, "structured")
            program = specialised_program(tree, ROUTINES[route])
            length = len(program.operations)
            numpy = min(seconds_per_state(program) for _ in range(RUNS))
            native = seconds_in_c(tree, route)
            print(
                f"{name:17} {tree.nv:3}  {route:9} {structured.total if structured else 0:11} {length:12} "
                f"{numpy * 1e6:10.2f} {numpy / length * 1e9:6.2f} {native * 1e6:7.2f} {native / length * 1e9:6.2f}"
            )


if __name__ == "__main__":
    main()
