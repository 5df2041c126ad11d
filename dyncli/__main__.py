"""`python -m dyncli` and the console scripts `dyn` and `dyncli`."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn

COLLECT_EVERY = 100_000
"""Objects between collections of garbage: start-up makes many of them and none is garbage."""
BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "1")
"""NumPy's matrix library starts threads for large matrices, of which there are none here, and takes 30 ms for it."""


def main() -> NoReturn:
    """Run the command line; what the interpreter would tidy up, a tenth of a run's time, goes with the process."""
    gc.set_threshold(COLLECT_EVERY)
    os.environ.setdefault(*BLAS_THREADS)
    from dyncli.cli.main import run

    try:
        run()
    except SystemExit as ended:
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):
                stream.flush()
        os._exit(ended.code if isinstance(ended.code, int) else 0)


if __name__ == "__main__":
    main()
