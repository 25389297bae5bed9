# SPDX-License-Identifier: Apache-2.0
"""python -m lab.faults.neighbour MODE FOLDER THREADS BYTES: another process that uses the drive until it is killed.

``direct``: large writes past the page cache, one after the other in each thread. ``sync``: small writes, each followed
by fsync, in a file that grows, so that the file system's journal is written too.
"""

import mmap
import os
import sys
import threading
from pathlib import Path

_FILE_BYTES = 64 * 2**20


def direct(file: Path, size: int) -> None:
    handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_DIRECT, 0o600)
    block = mmap.mmap(-1, size)
    block.write(os.urandom(size))
    while True:
        for offset in range(0, _FILE_BYTES - size + 1, size):
            os.pwrite(handle, block, offset)


def sync(file: Path, size: int) -> None:
    data = os.urandom(size)
    while True:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for _ in range(4096):
            os.write(handle, data)
            os.fsync(handle)
        os.close(handle)


def main(mode: str, folder: str, threads: str, size: str) -> None:
    work = {"direct": direct, "sync": sync}[mode]
    for number in range(int(threads)):
        file = Path(folder) / f".neighbour-{number}"
        threading.Thread(target=work, args=(file, int(size))).start()


if __name__ == "__main__":
    main(*sys.argv[1:])
