# SPDX-License-Identifier: Apache-2.0
"""One measurement at a time: two runs on one stack would silently disturb each other's numbers."""

import contextlib
import fcntl
import os
from collections.abc import Iterator

from tailrace.errors import BadInput
from tailrace.stack.paths import StackPaths

_LOCK = "run.lock"


@contextlib.contextmanager
def one_run(paths: StackPaths, run_id: str) -> Iterator[None]:
    """Hold the stack for ``run_id``. Raises BadInput naming the run that holds it already."""
    paths.run.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (paths.run / _LOCK).open("a+", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as err:
            lock.seek(0)
            raise BadInput(
                f"{lock.read().strip() or 'another run'} is measuring on this stack; wait for it, "
                "or set TAILRACE_STATE and TAILRACE_PORTS for a separate stack"
            ) from err
        lock.truncate(0)
        lock.write(f"run {run_id} (process {os.getpid()})\n")
        lock.flush()
        yield


def is_measuring(paths: StackPaths) -> bool:
    """Whether a run holds the stack now."""
    try:
        with (paths.run / _LOCK).open("r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
