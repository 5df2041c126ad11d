"""modern_robotics: serial chains by screw axes, from dyn's tree.

Habits: it knows no files and no trees. A tree is taken apart into the chains from the base to each leaf, every body's
inertia given to the first chain that holds it; since inverse dynamics is linear in the inertias, the chains' joint
forces add up to those of the tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dyncli.algorithms.kinematics import body_poses
from dyncli.robot import Robot
from dyncli.structs import struct
from dyncli.verify.peers.base import Peer, Vector, link_frames, spatial_inertia

if TYPE_CHECKING:
    from dyncli.verify.peers.base import Array


@struct
class _Chain:
    """Bodies from the base to a leaf, as modern_robotics wants them.

    `homes`: pose of each body's frame in the one before, at zero, the last one twice; `inertias`: 6x6 about the body
    frames; `screws`: columns of axes in the world at zero.
    """

    bodies: list[int]
    homes: list[Array]
    inertias: list[Array]
    screws: Array
    world_homes: list[Array]


class ModernRoboticsPeer(Peer):
    """Chains of screw axes."""

    name = "modern-robotics"
    package = "modern_robotics"

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot)
        import modern_robotics

        self._mr: Any = modern_robotics
        self._chains = self._take_apart()

    @classmethod
    def version(cls) -> str:
        """Version of the wheel."""
        from importlib.metadata import version

        import modern_robotics  # noqa: F401 - the name of the distribution alone does not say that it imports

        return version("modern_robotics")

    def mass(self, q: Vector) -> Array:
        """Sum of the chains' mass matrices."""
        import numpy as np

        M = np.zeros((self.tree.nv, self.tree.nv))
        for chain in self._chains:
            k = chain.bodies
            own = self._mr.MassMatrix(self._own(chain, q), chain.homes, chain.inertias, chain.screws)
            M[np.ix_(self._dofs(k), self._dofs(k))] += own
        return M

    def bias(self, q: Vector, v: Vector) -> Array:
        """Inverse dynamics without acceleration."""
        return self.torques(q, v, [0.0] * self.tree.nv)

    def torques(self, q: Vector, v: Vector, a: Vector) -> Array:
        """Sum of the chains' inverse dynamics."""
        import numpy as np

        tau = np.zeros(self.tree.nv)
        gravity = np.array(self.tree.gravity, float)
        for chain in self._chains:
            states = (self._own(chain, x) for x in (q, v, a))
            tau[self._dofs(chain.bodies)] += self._mr.InverseDynamics(
                *states, gravity, np.zeros(6), chain.homes, chain.inertias, chain.screws
            )
        return tau

    def accelerations(self, q: Vector, v: Vector, tau: Vector) -> Array:
        """Its forward dynamics of a serial chain; of a tree, its M and bias solved."""
        import numpy as np

        if len(self._chains) > 1:
            return np.array(np.linalg.solve(self.mass(q), np.asarray(tau) - self.bias(q, v)))
        (chain,) = self._chains
        states = (self._own(chain, x) for x in (q, v, tau))
        found = np.empty(self.tree.nv)
        gravity = np.array(self.tree.gravity, float)
        found[self._dofs(chain.bodies)] = self._mr.ForwardDynamics(
            *states, gravity, np.zeros(6), chain.homes, chain.inertias, chain.screws
        )
        return found

    def frames(self, q: Vector) -> Mapping[str, tuple[Array, Array]]:
        """Product of exponentials, then the link's place on its body."""
        where: dict[int, Array] = {}
        for chain in self._chains:
            angles = self._own(chain, q)
            for i, body in enumerate(chain.bodies):
                if body not in where:
                    where[body] = self._mr.FKinSpace(chain.world_homes[i], chain.screws[:, : i + 1], angles[: i + 1])
        poses = {}
        for name, body, rotation, origin in link_frames(self.tree):
            T = where[body]
            poses[name] = (T[:3, :3] @ rotation, T[:3, :3] @ origin + T[:3, 3])
        return poses

    def _take_apart(self) -> list[_Chain]:
        import numpy as np

        tree = self.tree
        homes = [_homogeneous(pose) for pose in body_poses(tree, [0.0] * tree.nq)]
        given: set[int] = set()
        chains = []
        leaves = sorted(set(range(len(tree.bodies))) - set(tree.parents))
        for leaf in leaves:
            bodies = tree.ancestors(leaf)[::-1]
            world_homes = [homes[i] for i in bodies]
            before = [np.eye(4), *world_homes[:-1]]
            steps = [np.linalg.inv(T) @ U for T, U in zip(before, world_homes, strict=True)]
            inertias = [np.zeros((6, 6)) if i in given else spatial_inertia(tree.bodies[i]) for i in bodies]
            given.update(bodies)
            screws = np.array([self._screw(i, homes[i]) for i in bodies]).T
            chains.append(_Chain(bodies, [*steps, np.eye(4)], inertias, screws, world_homes))
        return chains

    def _screw(self, i: int, home: Array) -> Array:
        """Axis of a joint in the world at zero: angular, then linear velocity of the world's origin."""
        import numpy as np

        joint = self.tree.bodies[i].joint
        axis = home[:3, :3] @ np.array(joint.axis, float)
        if joint.type.name == "prismatic":
            return np.concatenate([np.zeros(3), axis])
        return np.concatenate([axis, np.cross(home[:3, 3], axis)])

    def _dofs(self, bodies: list[int]) -> list[int]:
        return [self.tree.bodies[i].joint.index_v for i in bodies]

    def _own(self, chain: _Chain, x: Vector) -> Array:
        import numpy as np

        return np.array([x[k] for k in self._dofs(chain.bodies)], float)


def _homogeneous(pose: Any) -> Array:
    import numpy as np

    T = np.eye(4)
    T[:3, :3], T[:3, 3] = pose.rotation, pose.translation
    return T
