# SPDX-License-Identifier: Apache-2.0
"""Another process uses the broker's drive."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from lab.faults.fault import Fault, Kind, Scene, Strength, levels, slower
from lab.faults.journal import Journal
from lab.faults.system import reap, started


@contextmanager
def running(journal: Journal, command: list[str], output: IO[str] | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """A process of the lab's own, killed at the end."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
    try:
        with journal.undo_at_end("kill", str(process.pid), str(started(process.pid))):
            yield process
    finally:
        reap(process)


def _neighbour(mode: str) -> Callable[[Scene, Strength], Fault]:
    def make(scene: Scene, strength: Strength) -> Fault:
        # Beside the partitions' folders a file is nothing to Kafka.
        folder = str(scene.drive.mount)
        command = [sys.executable, "-m", "lab.faults.neighbour", mode, folder]
        command += [f"{strength['threads']:.0f}", f"{strength['bytes']:.0f}"]

        @contextmanager
        def inject() -> Iterator[None]:
            try:
                with running(scene.journal, command):
                    yield
            finally:
                for file in Path(folder).glob(".neighbour-*"):
                    file.unlink()

        return Fault(lambda: scene.drive.sync_ms(10), "ms per write and sync", slower(3, 1), inject)

    return make


KINDS = tuple(
    Kind(name, "drive_neighbour", levels(threads=threads, bytes=(size, size)), _neighbour(mode), on_drive=True)
    for name, mode, threads, size in (
        ("neighbour_writer", "direct", (16, 4), 2**18),
        ("neighbour_sync", "sync", (48, 12), 4096),
    )
)
