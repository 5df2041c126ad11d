"""`dyn derivs`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from dyncli.cli import values
from dyncli.cli.options import (
    ModelChoice,
    OutputChoice,
    StateChoice,
    model_options,
    passive_option,
    run_options,
    state_options,
    wrench_options,
)
from dyncli.cli.values import WrenchText
from dyncli.errors import UsageError, nearest

if TYPE_CHECKING:
    from dyncli.tree import Tree

SUBJECTS = ("rnea", "fd", "step", "continuous")
METHODS = ("analytic", "dual", "reverse", "complex", "central", "forward")
INTEGRATORS = ("semi-implicit", "explicit", "implicit", "rk4")


@click.command("derivs")
@model_options
@state_options("qd", "qdd", "tau")
@run_options
@wrench_options
@passive_option
@click.option("--of", type=click.Choice(SUBJECTS), default="rnea", show_default=True, help="What is differentiated.")
@click.option("--method", type=click.Choice(METHODS), default="analytic", show_default=True, help="How.")
@click.option("--step", type=float, metavar="H", help="Step of complex, central and forward.")
@click.option("--dt", type=float, metavar="H", help="Time step of --of step, s.")
@click.option(
    "--integrator",
    type=click.Choice(INTEGRATORS),
    default="semi-implicit",
    show_default=True,
    help="Of --of step. rk4 is of fourth order on the manifold; damping is explicit except in implicit.",
)
@click.option(
    "--direction",
    "directions",
    multiple=True,
    metavar="dq=...,dqd=...",
    help="The derivative along it, in one pass: dq, dqd, dqdd (dtau) as numbers or NAME=VALUE. The rest is zero.",
)
@click.option("--compare", is_flag=True, help="Every method's error against the complex step, time and operations.")
@click.option("--sweep", is_flag=True, help="Error against step size, 1e-1 to 1e-15 (and 1e-30 for complex).")
@click.option("--plot", metavar="FILE", help="With --sweep: the curves as .svg or .png.")
def command(
    model: ModelChoice,
    states: StateChoice,
    output: OutputChoice,
    wrenches: list[WrenchText],
    *,
    passive: bool,
    of: str,
    method: str,
    step: float | None,
    dt: float | None,
    integrator: str,
    directions: tuple[str, ...],
    compare: bool,
    sweep: bool,
    plot: str | None,
) -> int:
    """Derivatives of tau or qdd, or the matrices A and B of one time step.

    Columns for q are in the tangent space: nv of them, also where q holds quaternions. It differentiates exactly what
    rnea and fd compute with the same options; Coulomb friction counts as constant.
    """
    from dyncli.algorithms.derivatives.dynamics import Dynamics
    from dyncli.algorithms.derivatives.methods import Derivative
    from dyncli.cli.chain import answer_states, tell_passive
    from dyncli.tasks.derivs import DerivsTask

    _check(of, method, step, dt, compare=compare, sweep=sweep, directions=directions, plot=plot)
    robot = model.load(degrees=states.degrees)
    tree = robot.tree
    dynamics = Dynamics(tree, tuple(text.on(tree) for text in wrenches), passive)
    derivative = Derivative(dynamics, of, method, step, 0.0 if dt is None else dt, integrator)
    direction = _direction(tree, directions, "dqdd" if of == "rnea" else "dtau") if directions else None
    task = DerivsTask(robot, derivative, direction=direction)
    tell_passive(robot, model.session, passive=passive)
    stuck = [body.joint.name for body in tree.bodies if body.joint.friction] if passive else []
    if stuck:
        named = ", ".join(stuck[:5]) + ("..." if len(stuck) > 5 else "")
        model.session.warn(f"Coulomb friction is not differentiable, its derivative counts as 0 (joints {named})")
    if compare or sweep:
        from dyncli.cli.derivs_methods import answer_compare, answer_sweep

        if compare:
            return answer_compare(task, states, output, model.session)
        return answer_sweep(task, states, output, model.session, plot)
    return answer_states(task, states, output, model.session)


def _check(
    of: str,
    method: str,
    step: float | None,
    dt: float | None,
    *,
    compare: bool,
    sweep: bool,
    directions: Sequence[str],
    plot: str | None,
) -> None:
    """Options that need or exclude one another."""
    if of == "step" and dt is None:
        raise UsageError("--of step needs the time step: --dt H, in s")
    if dt is not None and of != "step":
        raise UsageError(f"--dt belongs to --of step, not to --of {of}")
    if dt is not None and not dt > 0.0:
        raise UsageError(f"--dt {dt:g}: a time step is greater than 0")
    if step is not None and not (compare or sweep) and method not in ("complex", "central", "forward"):
        raise UsageError(f"--step belongs to the methods complex, central and forward, not to {method}")
    if step is not None and not step > 0.0:
        raise UsageError(f"--step {step:g}: a step is greater than 0")
    if compare and sweep:
        raise UsageError("--compare and --sweep are two tables", hint="ask for one of them")
    if directions and (compare or sweep):
        raise UsageError(
            "--direction gives numbers along one direction; --compare and --sweep are about whole matrices"
        )
    if plot is not None and not sweep:
        raise UsageError("--plot draws what --sweep finds", hint="add --sweep")


def _direction(tree: Tree, texts: Sequence[str], third: str) -> tuple[list[float], list[float], list[float]]:
    """`dq=...,dqd=...`: three vectors of nv; a part is a list of numbers in model order or NAME=VALUE,... ."""
    names = ("dq", "dqd", third)
    found: dict[str, list[float]] = {name: [0.0] * tree.nv for name in names}
    for text in texts:
        parts = re.split(r"(?:^|,)\s*(dq|dqd|dqdd|dtau)\s*=", text)
        if parts[0].strip() or len(parts) < 3:
            raise UsageError(f"--direction {text!r} does not begin with dq=, dqd= or {third}=")
        for name, part in zip(parts[1::2], parts[2::2], strict=True):
            if name not in found:
                raise UsageError(f"--direction: there is no {name} here", hint=f"one of {', '.join(names)}")
            found[name] = _vector(tree, name, part)
    return found["dq"], found["dqd"], found[third]


def _vector(tree: Tree, name: str, text: str) -> list[float]:
    if "=" not in text:
        return values.numbers(text, f"--direction {name}", (tree.nv,), f"{tree.nv} numbers, one a degree of freedom")
    entries = [0.0] * tree.nv
    for part in values.split_list(text):
        dof, _, value = part.rpartition("=")
        if dof not in tree.dofs:
            raise UsageError(f"--direction {name}: no degree of freedom {dof!r}", hint=nearest(dof, tree.dofs))
        entries[tree.dofs.index(dof)] = values.numbers(value, f"--direction {name}", (1,), "NAME=VALUE")[0]
    return entries
