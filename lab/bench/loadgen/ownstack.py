# SPDX-License-Identifier: Apache-2.0
"""A stack of the benchmark's own: a real broker, collector and warehouse, on free ports."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.bench.loadgen.programs import Place
from tailrace.stack.api import Endpoints, StackPaths, down, up
from tailrace.stack.paths import PORT_NAMES, REPO_ROOT
from tailrace.stack.portowner import is_free


@contextmanager
def stack(name: str) -> Iterator[Place]:
    """Its files are in ``.tailrace/name``; at the end it is stopped and its data is gone."""
    base = REPO_ROOT / ".tailrace" / name
    shutil.rmtree(base, ignore_errors=True)
    base.mkdir(parents=True)
    free = (port for port in range(21000, 32000) if is_free(port))
    ports = base / "ports.env"
    ports.write_text("".join(f"{port_name}={next(free)}\n" for port_name in PORT_NAMES))
    os.environ |= {"TAILRACE_STATE": str(base / "state"), "TAILRACE_PORTS": str(ports)}
    paths = StackPaths.load()
    # A terminated benchmark must stop its stack too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        up(paths)
        yield Place(paths, Endpoints.load(paths), Path(tempfile.mkdtemp(dir=base)))
    finally:
        down(paths)
        shutil.rmtree(paths.data, ignore_errors=True)
