# SPDX-License-Identifier: Apache-2.0
"""python -m tailrace.demo.neighbour FOLDER SECONDS: a process that writes and syncs beside the broker.

Prints when it began and ended (seconds since 1970) and the bytes that it wrote. Its files have no name while it writes,
so they end with it, however it ends. It ends when its standard input does: with the command that started it.
"""

import contextlib
import mmap
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Enough in the queue of a fast drive to delay other requests by milliseconds.
WRITERS = 64
BLOCK = 1 << 20
# Overwritten repeatedly, so that the drive does not fill up.
FILE_BYTES = 1 << 22
NAME = ".demo-neighbour"


def opened(folder: Path, name: str) -> int:
    """A file without a name, whose writes end on the drive; past the page cache where the file system can."""
    flags = os.O_RDWR | os.O_DSYNC
    for direct in (os.O_DIRECT, 0):
        with contextlib.suppress(OSError):
            return os.open(folder, flags | direct | os.O_TMPFILE, 0o600)
    # A file system without O_TMPFILE. What a crash leaves between these two lines, the next start takes over.
    handle = os.open(folder / name, flags | os.O_CREAT | os.O_TRUNC, 0o600)
    (folder / name).unlink()
    return handle


def write(folder: Path, number: int, until: float) -> int:
    """Overwrite a file until that time of the monotonic clock; the bytes written."""
    handle, written = opened(folder, f"{NAME}-{number}"), 0
    try:
        with mmap.mmap(-1, BLOCK) as block:
            block.write(os.urandom(BLOCK))
            while time.monotonic() < until:
                written += os.pwrite(handle, block, written % FILE_BYTES)
    finally:
        os.close(handle)
    return written


def _end_with_parent() -> None:
    # Unbuffered: at exit the interpreter may not wait for a buffer's lock that this thread holds.
    while os.read(0, 1):
        pass
    os._exit(1)


def main(folder: str, seconds: str) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    began, until = time.time(), time.monotonic() + float(seconds)
    with ThreadPoolExecutor(WRITERS) as threads:
        writers = [threads.submit(write, Path(folder), number, until) for number in range(WRITERS)]
        written = sum(done.result() for done in writers)
    print(began, time.time(), written)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except OSError as err:
        sys.exit(str(err))
