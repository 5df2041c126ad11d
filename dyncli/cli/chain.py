"""From options to an exit status: opens states and output, runs a task, tells what happened."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from dyncli.cli.options import OutputChoice, StateChoice
from dyncli.cli.session import Session
from dyncli.errors import EXIT_ANSWER_IS_NO, StateError, UsageError
from dyncli.result import Header, model_facts
from dyncli.run import Answering, run

if TYPE_CHECKING:
    from dyncli.readers import Table
    from dyncli.robot import Robot
    from dyncli.run import Invalid
    from dyncli.states import Remarks, States
    from dyncli.tasks.base import Task
    from dyncli.tree import Tree
    from dyncli.writers import Writer
    from dyncli.writers.part_files import PartFiles

TOLD_ROWS = 20
"""How many rows without an answer are named before the rest is only counted."""


def answer_states(
    task: Task, states: StateChoice, output: OutputChoice, session: Session, *, summary: bool = False
) -> int:
    """Run a task on the states that were asked for; 1 if a row has no answer, else 0."""
    with open_states(task.tree, states, ("q", *task.needs), session) as found:
        return _answer(task, found, states, output, session, summary=summary)


def _answer(
    task: Task,
    found: States,
    states: StateChoice,
    output: OutputChoice,
    session: Session,
    *,
    summary: bool,
) -> int:
    header = Header(
        task.command,
        model_facts(task.tree, task.robot.description, degrees=states.degrees),
        tuple(header_notes(task.tree, degrees=states.degrees) + task.notes()),
        tuple(session.warnings),
    )
    teller = InvalidRows(found.place, session)
    with _opened(header, output, summary=summary) as writer:
        from dyncli.summary import Summary

        sink = Summary(task) if summary else writer
        if output.cluster is None:
            one_state = states.path is None and states.samples is None
            answering = Answering(task, sink, echo=output.echo, degrees=states.degrees, one_state=one_state)
            cores = 1 if one_state else output.threads or usable_cores()
            if cores == 1:
                outcome = run(answering, found, sink, on_invalid=teller.tell)
            else:
                from dyncli.forks import run_on_cores

                outcome = run_on_cores(answering, found, sink, cores=cores, on_invalid=teller.tell)
        else:
            from dyncli.cli.on_cluster import answer_on_cluster

            outcome = answer_on_cluster(output.cluster, task, found, states, output, sink, teller.tell)
        if isinstance(sink, Summary):
            sink.hand_to(writer)
        said = len(session.warnings)
        tell_remarks(found.remarks, session)
        teller.finish()
        extra = {"summary": sink.values()} if isinstance(sink, Summary) else {}
        writer.close(session.warnings[said:], extra)
    return EXIT_ANSWER_IS_NO if outcome.invalid else 0


def _opened(header: Header, output: OutputChoice, *, summary: bool) -> Writer | PartFiles:
    """The writer of the output; a cluster may fill a folder."""
    if output.cluster is not None and not summary:
        from dyncli.cli.on_cluster import open_part_files
        from dyncli.writers.part_files import names_folder

        if names_folder(output.path):
            return open_part_files(header, output)
    return open_output(header, output)


@contextmanager
def open_states(tree: Tree, choice: StateChoice, needs: Sequence[str], session: Session) -> Iterator[States]:
    """The states that were asked for; a line of progress is shown while they pass and a person watches."""
    from dyncli import states

    inline = {name: text for name, text in choice.inline.items() if text is not None}
    _check_sources(choice, inline)
    if choice.samples is not None:
        samples = states.SampledStates(tree, choice.samples, choice.seed, needs)
        with _progress(samples, lambda: None, session) as found:
            yield found
    elif choice.path is None:
        remarks = states.Remarks()
        state = states.inline_state(tree, inline, degrees=choice.degrees, seed=choice.seed, remarks=remarks)
        tell_remarks(remarks, session)
        yield states.GivenStates([state], remarks)
    else:
        from dyncli.readers import open_table

        with open_table(choice.path) as table:
            log = _states_of(table, tree, choice, needs)
            tell_remarks(log.remarks, session)
            with _progress(log, table.fraction, session) as found:
                yield found


def _check_sources(choice: StateChoice, inline: Mapping[str, str]) -> None:
    """States come from one place."""
    if choice.path is not None and choice.samples is not None:
        raise UsageError("--states and --samples are two sources of states", hint="give one of them")
    if inline and (choice.path is not None or choice.samples is not None):
        given = ", ".join(f"--{name}" for name in inline)
        source = "--states" if choice.path is not None else "--samples"
        raise UsageError(f"{given} with {source}: the states come from one place", hint=f"leave {given} out")
    if choice.differentiate is not None and choice.path is None:
        raise UsageError("--differentiate is for the rows of a log", hint="give it with --states")


def _states_of(table: Table, tree: Tree, choice: StateChoice, needs: Sequence[str]) -> States:
    """The states in a table, with rates where they are made of its positions."""
    from dyncli.states import table_states

    how = None
    if choice.differentiate is not None:
        from dyncli.states import differentiate

        how = differentiate.scheme(choice.differentiate)
        needs = differentiate.needed_blocks(needs)
    log = table_states(tree, table, needs, timed=how is not None, **how_to_read(choice))
    return log if how is None else differentiate.DifferentiatedStates(tree, log, how, table.path)


def how_to_read(choice: StateChoice) -> dict[str, Any]:
    """How the columns of a table are to be understood: arguments of `table_states`."""
    return {
        "fill_missing": choice.fill_missing,
        "ignore_extra": choice.ignore_extra,
        "keep": choice.keep,
        "degrees": choice.degrees,
    }


@contextmanager
def _progress(states: States, fraction: Callable[[], float | None], session: Session) -> Iterator[States]:
    """The states, watched by a line of progress where a person reads along."""
    if not sys.stderr.isatty() or session.quiet:
        yield states
        return
    from dyncli.cli.progress import Progress

    progress = Progress(fraction)
    states.watcher, session.before_saying = progress.advance, progress.wipe
    try:
        yield states
    finally:
        progress.wipe()


def tell_remarks(remarks: Remarks, session: Session) -> None:
    """Tell and clear what was found about the states."""
    for text in remarks.notices:
        session.notice(text)
    for text in remarks.warnings:
        session.warn(text, StateError)
    remarks.notices.clear()
    remarks.warnings.clear()


def output_format(output: OutputChoice) -> str:
    """The format that was asked for, by name, by suffix or by where the output goes."""
    from dyncli.writers import format_of

    return output.format or format_of(output.path, on_terminal=sys.stdout.isatty())


def open_output(header: Header, output: OutputChoice) -> Writer:
    """The writer that the options ask for."""
    from dyncli.writers import open_writer

    to_terminal = output.path is None and sys.stdout.isatty()
    return open_writer(
        output_format(output),
        output.path,
        header,
        precision=output.precision,
        color=wants_color(output.color, on_terminal=to_terminal),
        width=terminal_width() if to_terminal else None,
    )


def usable_cores() -> int:
    """Cores that this process may use."""
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def wants_color(choice: str, *, on_terminal: bool) -> bool:
    """--color, then NO_COLOR and FORCE_COLOR, then whether a terminal reads along."""
    import os

    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or on_terminal


def terminal_width() -> int:
    """Columns of the terminal."""
    import shutil

    return shutil.get_terminal_size().columns


_CONVENTION_SAYS = {
    "mujoco": "quaternions w first; linear velocity in world axes, angular in body axes",
    "pinocchio": "quaternions w last; linear and angular velocity in body axes",
}


def header_notes(tree: Tree, *, degrees: bool) -> list[str]:
    """Convention, gravity and units: what every result must say."""
    gravity = ", ".join(f"{component:g}" for component in tree.gravity)
    unit = "deg (torques per rad)" if degrees else "rad"
    notes = [f"gravity ({gravity}) m/s², world axes; angles in {unit}"]
    if any(joint.nq > 1 for joint in tree.joints):
        notes.append(f"convention {tree.convention}: {_CONVENTION_SAYS[tree.convention]}")
    if tree.locked:
        notes.append("locked: " + ", ".join(tree.locked))
    return notes


def tell_passive(robot: Robot, session: Session, *, passive: bool, friction_left_out: bool = False) -> None:
    """Say which passive forces the file has and whether they are in the numbers."""
    tree = robot.tree
    joints = [body.joint for body in tree.bodies]
    damping = any(joint.damping for joint in joints) or any(t.damping for t in tree.transmissions)
    springs = any(joint.stiffness for joint in joints) or any(t.stiffness for t in tree.transmissions)
    carried = any(body.compensated for body in tree.bodies)
    friction = any(joint.friction for joint in joints)
    kinds = {"damping": damping, "springs": springs, "gravity compensation (gravcomp)": carried, "friction": friction}
    found = [name for name, there in kinds.items() if there]
    if found and not passive:
        session.notice(f"the file has {', '.join(found)}, not applied: --passive adds them")
    elif friction and friction_left_out:
        session.notice("Coulomb friction is left out of forward dynamics; rnea --passive has it")


class InvalidRows:
    """Names rows without an answer on standard error: the first ones each, the rest as a count."""

    def __init__(self, place: Callable[[int], str], session: Session) -> None:
        self.place = place
        self.session = session
        self.count = 0

    def tell(self, invalid: Invalid) -> None:
        """One row, by its line (or running index) and why."""
        state, line, why = invalid
        self.count += 1
        if self.count <= TOLD_ROWS:
            place = f"state {state}" if line is None else self.place(line)
            with suppress(BrokenPipeError):
                self.session.notice(f"{place}: no answer: {why}")

    def finish(self) -> None:
        """The count of those that were not named."""
        if self.count > TOLD_ROWS:
            self.session.notice(f"{self.count - TOLD_ROWS} more rows have no answer")
