"""Write every sample model as URDF and MJCF from its one description in `twins/`.

python sample_models/generate.py            writes the files beside this script
python sample_models/generate.py --check    writes nothing; status 1 if a file is not what the description gives
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from twins.arms import arm_6r, arm_7r, cartpole, planar_2r, planar_3r, rail_gripper
from twins.branched import humanoid, quadruped, tree_12
from twins.mjcf import write_mjcf
from twins.urdf import write_urdf

FOLDER = Path(__file__).parent
ROBOTS = (planar_2r, planar_3r, cartpole, arm_6r, arm_7r, rail_gripper, tree_12, quadruped, humanoid)


def main() -> int:
    """Write or check; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the files instead of writing them")
    check = parser.parse_args().check
    stale = []
    for build in ROBOTS:
        robot = build()
        for suffix, write in ((".urdf", write_urdf), (".xml", write_mjcf)):
            path = FOLDER / f"{robot.name}{suffix}"
            content = write(robot)
            if not check:
                path.write_text(content, encoding="utf-8")
            elif not path.is_file() or path.read_text(encoding="utf-8") != content:
                stale.append(path.name)
    if stale:
        sys.stderr.write(f"not as described in twins/: {', '.join(stale)}; run {Path(__file__).name}\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
