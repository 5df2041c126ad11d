"""States q, qd, qdd, tau by name: from the command line, at random, or from the rows of a file."""

from typing import TYPE_CHECKING

from dyncli.lazy import lazy_names

if TYPE_CHECKING:
    from dyncli.states.block import Remarks, StateBlock, echo_vectors
    from dyncli.states.inline import inline_state
    from dyncli.states.sampling import SampledStates, sample_states
    from dyncli.states.source import GivenStates, States
    from dyncli.states.table import TableStates, table_states

__all__ = [
    "GivenStates",
    "Remarks",
    "SampledStates",
    "StateBlock",
    "States",
    "TableStates",
    "echo_vectors",
    "inline_state",
    "sample_states",
    "table_states",
]

__getattr__ = lazy_names(
    __name__,
    {
        "GivenStates": "dyncli.states.source",
        "Remarks": "dyncli.states.block",
        "SampledStates": "dyncli.states.sampling",
        "StateBlock": "dyncli.states.block",
        "States": "dyncli.states.source",
        "TableStates": "dyncli.states.table",
        "echo_vectors": "dyncli.states.block",
        "inline_state": "dyncli.states.inline",
        "sample_states": "dyncli.states.sampling",
        "table_states": "dyncli.states.table",
    },
)
