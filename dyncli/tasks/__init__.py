"""Commands that answer one state after another: one module each, on the frame that `base` gives.

To add one, write a `Task` here and a thin command in `dyncli.cli`. Nothing here knows click or prints.
"""
