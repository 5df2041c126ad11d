"""States q, qd, qdd, tau by name: from the command line, at random, or from the rows of a file."""

from dyncli.states.block import Remarks, StateBlock, echo_vectors
from dyncli.states.inline import inline_state
from dyncli.states.sampling import sample_states
from dyncli.states.table import TableStates, table_states

__all__ = [
    "Remarks",
    "StateBlock",
    "TableStates",
    "echo_vectors",
    "inline_state",
    "sample_states",
    "table_states",
]
