"""What the `compiler` and `option` elements of a model say, merged: of two that set an attribute the later one wins."""

from __future__ import annotations

import math
from pathlib import Path
from typing import cast

from dyncli.formats.mjcf.element import Element, Report, Value
from dyncli.spatial import ZERO3, Vector3
from dyncli.structs import struct

EARTH: Vector3 = (0.0, 0.0, -9.81)


@struct
class Settings:
    """Compiler settings that a model's content is read by.

    `main`: the main file of the model, which paths of meshes start from. `inertia_from_geoms`: true, false or auto.
    `fuse_static`, `set_total_mass` and the bounds act on a whole robot: those of the outermost model count.
    """

    main: Path
    degrees: bool = True
    eulerseq: str = "xyz"
    autolimits: bool = True
    inertia_from_geoms: str = "auto"
    inertia_groups: tuple[int, int] = (0, 5)
    balance_inertia: bool = False
    bound_mass: float = 0.0
    bound_inertia: float = 0.0
    set_total_mass: float = -1.0
    fit_bounding_box: bool = False
    align_free: bool = False
    fuse_static: bool = False
    discard_visual: bool = False
    mesh_folder: str = ""
    strip_path: bool = False

    def radians(self, angle: float) -> float:
        """An angle of the file in rad."""
        return math.radians(angle) if self.degrees else angle


@struct
class Options:
    """What `option` says that has a part in the dynamics: gravity (m/s², zero when its flag is off) and switches.

    `springs`, `dampers`: whether these passive forces act. `fluid`: whether the medium has density, viscosity or wind.
    """

    gravity: Vector3 = EARTH
    springs: bool = True
    dampers: bool = True
    fluid: bool = False


def read_settings(root: Element, report: Report) -> Settings:
    """The settings of a model from all its `compiler` elements, wherever they stand."""
    merged: dict[str, Value] = {}
    folder = ""
    for compiler in root.named("compiler"):
        merged |= compiler.values
        # assetdir stands for meshdir too, whichever compiler comes last
        for name in ("assetdir", "meshdir"):
            folder = str(compiler.values.get(name, folder))
        if compiler.values.get("coordinate") == "global":
            message = 'coordinate="global" is a way of writing models that MuJoCo gave up with version 2.3.3'
            report.fatal("global-coordinates", compiler, message, "convert the file with an older MuJoCo")
        if len(str(compiler.values.get("eulerseq", "xyz"))) != 3:
            report.fatal("bad-keyword", compiler, "eulerseq: expected three letters of x, y, z, X, Y, Z")
            merged.pop("eulerseq")

    def on(name: str, otherwise: bool = False) -> bool:
        return merged.get(name, "true" if otherwise else "false") == "true"

    def number(name: str, otherwise: float) -> float:
        return cast("tuple[float]", merged.get(name, (otherwise,)))[0]

    return Settings(
        main=Path(root.path),
        degrees=merged.get("angle", "degree") == "degree",
        eulerseq=str(merged.get("eulerseq", "xyz")),
        autolimits=on("autolimits", True),
        inertia_from_geoms=str(merged.get("inertiafromgeom", "auto")),
        inertia_groups=cast("tuple[int, int]", merged.get("inertiagrouprange", (0, 5))),
        balance_inertia=on("balanceinertia"),
        bound_mass=number("boundmass", 0.0),
        bound_inertia=number("boundinertia", 0.0),
        set_total_mass=number("settotalmass", -1.0),
        fit_bounding_box=on("fitaabb"),
        align_free=on("alignfree"),
        fuse_static=on("fusestatic"),
        discard_visual=on("discardvisual"),
        mesh_folder=folder,
        strip_path=on("strippath"),
    )


def read_options(root: Element) -> Options:
    """The options of a model from all its `option` elements."""
    merged: dict[str, Value] = {}
    flags: dict[str, Value] = {}
    for option in root.named("option"):
        merged |= option.values
        for flag in option.named("flag"):
            flags |= flag.values
    weightless = flags.get("gravity") == "disable"
    fluid = any(any(cast("tuple[float, ...]", merged.get(name, ()))) for name in ("density", "viscosity", "wind"))
    return Options(
        gravity=ZERO3 if weightless else cast("Vector3", merged.get("gravity", EARTH)),
        springs=flags.get("spring") != "disable",
        dampers=flags.get("damper") != "disable",
        fluid=fluid,
    )
