"""`--cluster`: states answered by a cluster, into one file or a folder of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dyncli.cluster import Order, run_on_cluster
from dyncli.structs import replace
from dyncli.writers.part_files import PartFiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from dyncli.cli.options import OutputChoice, StateChoice
    from dyncli.result import Header
    from dyncli.run import Invalid, Outcome
    from dyncli.states import States
    from dyncli.summary import Summary
    from dyncli.tasks.base import Task
    from dyncli.writers import Writer


def answer_on_cluster(
    address: str,
    task: Task,
    found: States,
    states: StateChoice,
    output: OutputChoice,
    sink: Writer | PartFiles | Summary,
    on_invalid: Callable[[Invalid], None],
) -> Outcome:
    """Answer the states on the cluster at `address`. Raises UsageError for states that cannot be shared out."""
    order = Order(task, sink.for_workers(), echo=output.echo, degrees=states.degrees)
    begin_part = sink.begin_part if isinstance(sink, PartFiles) else None
    return run_on_cluster(address, order, found, sink, on_invalid=on_invalid, on_part=begin_part)


def open_part_files(header: Header, output: OutputChoice) -> PartFiles:
    """The files of a folder, in the format that the options ask for (CSV where they do not)."""
    from dyncli.cli.chain import open_output

    format = output.format or "csv"
    assert output.path is not None
    return PartFiles(
        output.path, format, lambda path: open_output(header, replace(output, path=str(path), format=format))
    )
