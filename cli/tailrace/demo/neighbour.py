# SPDX-License-Identifier: Apache-2.0
"""python -m tailrace.demo.neighbour FOLDER SECONDS: a process that writes and syncs beside the broker.

Prints when it began and ended (seconds since 1970) and the bytes that it wrote. Its files have no name while it writes,
so they end with it, however it ends. It ends when its standard input does: with the command that started it.
"""

import mmap
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Enough in the queue of a fast drive to delay other requests by milliseconds.
WRITERS = 32
BLOCK = 1 << 19
# Overwritten repeatedly, so that the drive does not fill up.
FILE_BYTES = 1 << 23
NAME = ".demo-neighbour"


def opened(file: Path) -> int:
    """A file without a name, whose writes end on the drive; past the page cache where the file system can."""
    flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_DSYNC
    try:
        handle = os.open(file, flags | os.O_DIRECT, 0o600)
    except OSError:
        handle = os.open(file, flags, 0o600)
    # A file that a crash left between these two lines is taken over by the next start.
    file.unlink()
    return handle


def write(file: Path, until: float) -> int:
    """Overwrite the file until that time of the monotonic clock; the bytes written."""
    handle, written = opened(file), 0
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
    files = [Path(folder) / f"{NAME}-{number}" for number in range(WRITERS)]
    with ThreadPoolExecutor(WRITERS) as threads:
        written = sum(done.result() for done in [threads.submit(write, file, until) for file in files])
    print(began, time.time(), written)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except OSError as err:
        sys.exit(str(err))
