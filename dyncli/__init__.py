"""dyn: rigid-body dynamics of a robot file, at the shell and from Python.

    import dyncli
    robot = dyncli.load("arm.urdf")
    tau = dyncli.rnea(robot, q, qd, qdd)          # (n,) or (..., n)
    M = dyncli.mass_matrix(robot, q)

Public names are looked up on first use, so that importing the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dyncli.lazy import lazy_names

__version__ = "0.1.0"

if TYPE_CHECKING:
    from dyncli.api import (
        Robot,
        coriolis_matrix,
        forward_dynamics,
        forward_dynamics_derivatives,
        frame_poses,
        inverse_mass_matrix,
        jacobian,
        kinetic_energy,
        load,
        mass_matrix,
        potential_energy,
        rnea,
        rnea_derivatives,
    )

__all__ = [
    "Robot",
    "coriolis_matrix",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "frame_poses",
    "inverse_mass_matrix",
    "jacobian",
    "kinetic_energy",
    "load",
    "mass_matrix",
    "potential_energy",
    "rnea",
    "rnea_derivatives",
]


__getattr__ = lazy_names(__name__, dict.fromkeys(__all__, "dyncli.api"))


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
