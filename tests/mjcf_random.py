"""Random MJCFs that use everything the format has for bodies, for comparing readers on.

Most are sound; some are not, in one place or another, so that refusals are compared too.
"""

from __future__ import annotations

import random

import numpy as np

SHAPES = ["sphere", "capsule", "cylinder", "ellipsoid", "box"]


class RandomModel:
    """Writes one model from a seed; deep nesting is cut off at `DEPTH`."""

    DEPTH = 5

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.count = 0
        self.degrees = self.r.random() < 0.6
        self.classes = ["main"]
        self.meshes: list[str] = []
        self.copied = False
        self.named: dict[str, list[str]] = {kind: [] for kind in ("body", "joint", "site", "geom", "round geom")}

    def text(self) -> str:
        """The model; its sections stand in any order."""
        defaults = self.defaults("main", 0) if self.chance(0.6) else ""
        assets = self.assets()
        bodies = "".join(self.body(1) for _ in range(self.r.choice([1, 1, 2])))
        world = f"<worldbody>{bodies}{self.content(0, in_world=True)}</worldbody>"
        sections = [self.compiler(), defaults, assets, world, self.tendons(), self.equalities()]
        if self.chance(0.3):
            self.r.shuffle(sections)
        return f"<mujoco>{''.join(sections)}</mujoco>"

    # small parts --------------------------------------------------------------------------------------------

    def chance(self, p: float) -> bool:
        return self.r.random() < p

    def name(self, prefix: str) -> str:
        """A new name; no digit ends it, as MuJoCo confuses j1 with suffix 2 and j12."""
        self.count += 1
        return f"{prefix}{self.count}{prefix[0]}"

    def own_name(self, p: float, kind: str) -> str:
        """A name with this probability, seldom one that is there already; what is not copied may be referred to."""
        if not self.chance(p):
            return ""
        known = self.named[kind]
        name = self.r.choice(known) if known and self.chance(0.01) else self.name(kind[0])
        if not self.copied or self.chance(0.1):
            known.append(name)
        return f' name="{name}"'

    def some_name(self, kind: str) -> str:
        return self.r.choice(self.named[kind])

    def vector(self, n: int = 3, size: float = 1.0) -> str:
        return " ".join(f"{self.r.uniform(-size, size):.4g}" for _ in range(n))

    def some(self, p: float, attribute: str, *values: object) -> str:
        return f' {attribute}="{self.r.choice(values)}"' if self.chance(p) else ""

    def orientation(self) -> str:
        angle = 180.0 if self.degrees else 3.0
        kinds = {
            "quat": self.vector(4),
            "axisangle": f"{self.vector()} {self.vector(1, angle)}",
            "euler": self.vector(3, angle),
            "xyaxes": self.vector(6),
            "zaxis": self.r.choice([self.vector(), "0 0 -1", "0 0 2", "0 1 0"]),
        }
        kind = self.r.choice([*kinds, *[""] * 3])
        return f' {kind}="{kinds[kind]}"' if kind else ""

    def pose(self) -> str:
        return self.some(0.7, "pos", self.vector()) + self.orientation()

    # sections -----------------------------------------------------------------------------------------------

    def compiler(self) -> str:
        letters = "".join(self.r.choice("xyzXYZ") for _ in range(3))
        return (
            f'<compiler angle="{"degree" if self.degrees else "radian"}"'
            + self.some(0.3, "eulerseq", letters)
            + self.some(0.3, "inertiafromgeom", "true", "auto")
            + self.some(0.15, "inertiagrouprange", "0 2", "0 1", "0 5")
            + self.some(0.2, "balanceinertia", "true")
            + self.some(0.2, "boundmass", 0.01, 1)
            + self.some(0.2, "boundinertia", 0.001, 0.1)
            + self.some(0.15, "settotalmass", 12)
            + self.some(0.15, "alignfree", "true")
            + self.some(0.2, "fusestatic", "true")
            + self.some(0.2, "fitaabb", "true")
            + "/>"
        )

    def defaults(self, name: str, depth: int) -> str:
        inside = ""
        if self.chance(0.5):
            shape = self.some(0.4, "type", *SHAPES) + self.some(0.6, "size", ".1 .2 .15")
            inside += f"<geom{shape}{self.some(0.5, 'density', 100, 700)}{self.some(0.2, 'mass', 1.5)}/>"
        if self.chance(0.5):
            motion = self.some(0.4, "axis", self.vector()) + self.some(0.2, "type", "slide")
            inside += f"<joint{motion}{self.some(0.5, 'armature', 0.3)}{self.some(0.3, 'damping', '1 2')}/>"
        for _ in range(self.r.choice([0, 1, 2]) if depth < 2 else 0):
            self.classes.append(self.name("c"))
            inside += self.defaults(self.classes[-1], depth + 1)
        return f'<default class="{name}">{inside}</default>'

    def assets(self) -> str:
        found = ""
        for _ in range(self.r.choice([0, 0, 1, 2])):
            self.meshes.append(self.name("m"))
            points = np.random.default_rng(self.count).normal(size=(self.r.choice([4, 6, 12]), 3)) * 0.3
            vertices = " ".join(f"{v:.6g}" for v in points.ravel())
            scale = " ".join(f"{self.r.choice([1, 1, -1]) * self.r.uniform(0.3, 2.0):.3g}" for _ in range(3))
            mode = self.some(0.7, "inertia", "legacy", "exact", "convex", "shell") + self.some(0.4, "scale", scale)
            reference = self.some(0.3, "refpos", self.vector()) + self.some(0.3, "refquat", self.vector(4))
            found += f'<mesh name="{self.meshes[-1]}" vertex="{vertices}"{mode}{reference}/>'
        return f"<asset>{found}</asset>"

    def tendons(self) -> str:
        """Tendons along joints, or sites and round geoms, and motors that pull on them."""
        found = motors = ""
        for _ in range(self.r.choice([0, 0, 1, 2])):
            inside = ""
            if len(self.named["site"]) > 1 and self.chance(0.7):
                inside = self.path() + (f'<pulley divisor="2"/>{self.path()}' if self.chance(0.3) else "")
            elif self.named["joint"]:
                joints = self.r.sample(self.named["joint"], min(len(self.named["joint"]), self.r.choice([1, 2])))
                inside = "".join(f'<joint joint="{joint}" coef="{self.vector(1)}"/>' for joint in joints)
            if not inside:
                continue
            tag, name = "spatial" if "<site" in inside else "fixed", self.name("t")
            passive = self.some(0.8, "stiffness", 1, "1 2") + self.some(0.5, "damping", 1) + self.rest_length()
            found += f'<{tag} name="{name}"{passive}{self.some(0.1, "armature", 0.1)}>{inside}</{tag}>'
            motors += f'<motor tendon="{name}"{self.some(0.5, "damping", 2)}/>' if self.chance(0.2) else ""
        return f"<tendon>{found}</tendon><actuator>{motors}</actuator>"

    def rest_length(self) -> str:
        return self.some(0.3, "springlength", 0.5, "0.1 1")

    def path(self) -> str:
        at = self.some_name("site")
        found = f'<site site="{at}"/>'
        for _ in range(self.r.choice([1, 1, 2])):
            others = [site for site in self.named["site"] if site != at or self.chance(0.1)] or [at]
            if self.named["round geom"] and self.chance(0.7):
                side = f' sidesite="{self.some_name("site")}"' if self.chance(0.5) else ""
                found += f'<geom geom="{self.some_name("round geom")}"{side}/>'
            at = self.r.choice(others)
            found += f'<site site="{at}"/>'
        return found

    def equalities(self) -> str:
        found = ""
        for _ in range(self.r.choice([0, 0, 0, 1])):
            kind = self.r.choice(["weld", "connect", "joint"])
            sides = self.named["joint" if kind == "joint" else "body"]
            if sides:
                noun = "joint" if kind == "joint" else "body"
                names = self.some(1.0, f"{noun}1", *sides) + self.some(0.7, f"{noun}2", *sides)
                anchor = ' anchor="0 0 0"' if kind == "connect" else ""
                found += f"<{kind}{names}{anchor}/>"
        return f"<equality>{found}</equality>"

    # bodies -------------------------------------------------------------------------------------------------

    def body(self, depth: int) -> str:
        inside = []
        attributes = self.own_name(0.8, "body")
        if depth == 1 and self.chance(0.15):
            inside.append(self.r.choice(["<freejoint/>", '<freejoint align="true"/>', '<joint type="free"/>']))
        elif self.chance(0.8):
            inside += (
                [self.joint("ball")] if self.chance(0.15) else [self.joint() for _ in range(self.r.choice([1, 1, 2]))]
            )
        if self.chance(0.3):
            inside.append(self.inertial())
        inside += [self.geom() for _ in range(self.r.choice([1, 1, 2]))]
        attributes += self.pose()
        attributes += self.some(0.2, "childclass", *self.classes) + self.some(0.15, "gravcomp", 0.5, 1)
        return f"<body{attributes}>{''.join(inside)}{self.content(depth)}</body>"

    def content(self, depth: int, in_world: bool = False) -> str:
        found = []
        for _ in range(self.r.choice([0, 1, 1, 2]) if depth < self.DEPTH else 0):
            kind = self.r.choice(["body", "body", "frame", "replicate", "geom", "geom", "site"])
            if kind == "body":
                found.append(self.body(depth + 1))
            elif kind == "geom":
                found.append(self.geom())
            elif kind == "site":
                found.append(f"<site{self.own_name(0.9, 'site')}{self.pose()}/>")
            else:
                inherits = self.some(0.3, "childclass", *self.classes)
                around, self.copied = self.copied, self.copied or kind == "replicate"
                inside = self.content(depth + 1, in_world)
                self.copied = around
                if kind == "frame":
                    found.append(f"<frame{self.pose()}{inherits}>{inside}</frame>")
                else:
                    turn = self.some(0.6, "euler", self.vector(3, 60.0 if self.degrees else 1.0))
                    copies = f'count="{self.r.choice([1, 2, 3])}" sep="{self.r.choice(["", "-"])}"'
                    moved = turn + self.some(0.7, "offset", self.vector())
                    found.append(f"<replicate {copies}{moved}{inherits}>{inside}</replicate>")
        return "".join(found)

    def joint(self, kind: str = "") -> str:
        return (
            "<joint"
            + (self.own_name(0.7, "joint") if kind != "ball" else self.some(0.7, "name", self.name("ball")))
            + (f' type="{kind}"' if kind else self.some(0.7, "type", "hinge", "hinge", "slide"))
            + self.some(0.5, "pos", self.vector())
            + self.some(0.7, "axis", self.vector())
            + self.some(0.3, "range", "-1 1", "0 2", "1 -1")
            + self.some(0.2, "ref", self.vector(1, 2.0))
            + self.some(0.3, "stiffness", 1, "1 2 3")
            + self.some(0.2, "springref", self.vector(1, 2.0))
            + self.some(0.2, "class", *self.classes)
            + "/>"
        )

    def inertial(self) -> str:
        x, y, z = (self.r.uniform(0.2, 1.0) for _ in range(3))
        tensor = f'diaginertia="{y + z:.4g} {x + z:.4g} {x + y:.4g}"{self.orientation()}'
        if self.chance(0.4):
            tensor = f'fullinertia="{y + z:.4g} {x + z:.4g} {x + y:.4g} {self.vector(3, 0.05)}"'
        return f'<inertial pos="{self.vector()}" mass="{self.r.uniform(0.1, 3.0):.3g}" {tensor}/>'

    def geom(self) -> str:
        shape = self.some(0.8, "type", *SHAPES)
        if self.meshes and self.chance(0.25):
            shape = f' mesh="{self.r.choice(self.meshes)}"' + self.some(0.8, "type", "mesh", "mesh", *SHAPES)
        place = self.pose()
        if "capsule" in shape and "mesh" not in shape and self.chance(0.4):
            place = f' fromto="{self.vector(6)}"'
        kind = "round geom" if shape in (' type="sphere"', ' type="cylinder"') else "geom"
        return (
            f"<geom{self.own_name(0.4, kind)}{shape}{place}"
            + f' size="{self.r.uniform(0.02, 0.3):.3g} {self.r.uniform(0.02, 0.3):.3g} {self.r.uniform(0.02, 0.3):.3g}"'
            + self.some(0.3, "mass", 0.5, 1, 2.3)
            + self.some(0.3, "density", 10, 500)
            + self.some(0.2, "group", 0, 1, 2)
            + ("" if '"mesh"' in shape else self.some(0.15, "shellinertia", "true"))
            + self.some(0.2, "class", *self.classes)
            + "/>"
        )
