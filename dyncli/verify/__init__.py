"""Whether dyn's numbers hold on a robot: identities of mechanics, and agreement with other libraries.

Identities are generators of checks over a `Subject` (a tree at random states); each error is relative to the natural
size of its quantity and each bound grows with the robot's size and, where M is solved with, its condition number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dyncli.algorithms.rank import dependent_dofs
from dyncli.robot import Robot
from dyncli.verify import algebra, differentials, fall, mass, motion
from dyncli.verify.budget import mass_budget
from dyncli.verify.subject import Check, Subject

Identity = Callable[[Subject], Iterator[Check]]

IDENTITIES: tuple[Identity, ...] = (
    algebra.spatial_algebra,
    mass.mass_matrix,
    mass.factor_and_inverse,
    motion.inverse_dynamics,
    motion.forward,
    motion.energy,
    motion.momentum,
    differentials.derivatives,
    fall.fall,
)
SAMPLES = 5


def check_identities(robot: Robot, *, samples: int = SAMPLES, seed: int = 0) -> list[Check]:
    """All checks on a robot; those that invert M are left out where it is singular (see `Subject.is_regular`)."""
    subject = Subject.at_random(robot.tree, samples, seed)
    checks = [check for identity in IDENTITIES for check in identity(subject)]
    return [*mass_budget(robot), *checks]


def singular_joints(robot: Robot, *, seed: int = 0) -> list[str]:
    """Degrees of freedom at which the elimination of M stops at a random state; empty where M is regular."""
    subject = Subject.at_random(robot.tree, 1, seed)
    return [robot.tree.dofs[k] for sample in subject.samples for k in dependent_dofs(robot.tree, sample.q)]
