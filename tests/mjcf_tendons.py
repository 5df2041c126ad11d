"""Random MJCFs with tendons that bend around spheres and cylinders, from without and within."""

from __future__ import annotations

import random

BALL = '<geom size=".05" pos=".1 .05 .02" mass="1"/>'


def wrapping_model(seed: int) -> str:
    """Bodies on joints of several types, with sites and solids on each and on the world, and tendons along them."""
    r = random.Random(seed)
    sites: list[str] = []
    solids: list[str] = []

    def vector(size: float) -> str:
        return " ".join(f"{r.uniform(-size, size):.4g}" for _ in range(3))

    def holds() -> str:
        """Sites and a solid, with a site in it and one beside it."""
        found = ""
        for _ in range(2):
            sites.append(f"s{len(sites)}")
            found += f'<site name="{sites[-1]}" pos="{vector(1.0)}"/>'
        solids.append(f"g{len(solids)}")
        center, radius = vector(0.4), r.uniform(0.05, 0.4)
        shape = r.choice([f'type="sphere" size="{radius:.3g}"', f'type="cylinder" size="{radius:.3g} .4"'])
        turn = r.choice(["", f' zaxis="{vector(1.0)}"', f' euler="{vector(90.0)}"'])
        for offset in (0.0, 1.0):
            sites.append(f"s{len(sites)}")
            place = " ".join(f"{float(x) + offset * r.uniform(-0.6, 0.6):.4g}" for x in center.split())
            found += f'<site name="{sites[-1]}" pos="{place}"/>'
        return found + f'<geom name="{solids[-1]}" pos="{center}" {shape}{turn} mass=".5"/>'

    def path() -> str:
        last = r.choice(sites)
        found = f'<site site="{last}"/>'
        for _ in range(r.choice([1, 1, 2, 3])):
            if r.random() < 0.8:
                side = f' sidesite="{r.choice(sites)}"' if r.random() < 0.6 else ""
                found += f'<geom geom="{r.choice(solids)}"{side}/>'
            last = r.choice([site for site in sites if site != last])
            found += f'<site site="{last}"/>'
        return found

    def passive() -> str:
        rest = r.choice(["", f' springlength="{r.uniform(0, 2):.3g}"'])
        return f'stiffness="{r.uniform(1, 9):.3g}" damping="{r.uniform(1, 9):.3g}"{rest}'

    joints = ["", f'<joint axis="{vector(1.0)}" pos="{vector(0.2)}"/>', '<joint type="slide"/>', '<joint type="ball"/>']
    chain = ""
    for depth in range(3):
        joint = r.choice(joints) if depth else r.choice(joints[1:])
        chain = f'<body pos="{vector(0.6)}">{joint}{BALL}{holds()}{chain}</body>'
    free = f"<body><freejoint/>{BALL}{holds()}</body>"
    world = f"{chain}{free}{holds()}"
    tendons = ""
    for _ in range(3):
        second = f'<pulley divisor="{r.uniform(1, 3):.3g}"/>{path()}' if r.random() < 0.4 else ""
        tendons += f"<spatial {passive()}>{path()}{second}</spatial>"
    return f"<mujoco><worldbody>{world}</worldbody><tendon>{tendons}</tendon></mujoco>"
