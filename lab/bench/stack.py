# SPDX-License-Identifier: Apache-2.0
"""A whole stack for one benchmark: a real broker, collector and warehouse."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from lab.stand.stack import StackStand
from tailrace.api import REPO_ROOT


@contextmanager
def bench_stack(name: str) -> Iterator[StackStand]:
    """Its files are in ``.tailrace/name``; at the end it is stopped and its data is deleted."""
    folder = REPO_ROOT / ".tailrace" / name
    shutil.rmtree(folder, ignore_errors=True)
    stand = StackStand(folder)
    os.environ |= stand.variables
    try:
        with stand:
            yield stand
    finally:
        stand.delete_data()
