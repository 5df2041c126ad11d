"""Other libraries, one adapter each; `PEERS` is the only list of them. None is imported before it is asked for."""

from __future__ import annotations

from importlib import import_module

from dyncli.errors import UsageError, nearest
from dyncli.verify.peers.base import Peer

PEERS = {
    "pinocchio": "PinocchioPeer",
    "mujoco": "MujocoPeer",
    "drake": "DrakePeer",
    "rbdl": "RbdlPeer",
    "modern-robotics": "ModernRoboticsPeer",
    "roboticstoolbox": "RoboticsToolboxPeer",
    "casadi": "CasadiPeer",
}
"""Name on the command line to the class in the module of that name here."""


def peer_class(name: str) -> type[Peer]:
    """The adapter of a library. Raises UsageError for a name that is none."""
    if name not in PEERS:
        raise UsageError(f"no library is called {name!r} here", hint=nearest(name, PEERS))
    module = import_module(f"dyncli.verify.peers.{name.replace('-', '_')}")
    found: type[Peer] = getattr(module, PEERS[name])
    return found
