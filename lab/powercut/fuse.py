# SPDX-License-Identifier: Apache-2.0
"""A drive in user space: one file, served through /dev/fuse, on which a loop device lies.

Run as ``python -m lab.powercut.fuse MOUNT IMAGE LOG``. It keeps the drive's bytes in IMAGE and logs each write and each
flush in LOG (writelog.py) before it answers. A line ``cut N`` on stdin marks a cut; the answer on stdout is the time,
µs since 1970. It ends when the file system is unmounted.

Standard library only: the few requests that a loop device sends are packed and unpacked here, as in linux/fuse.h.
"""

import ctypes
import errno
import os
import select
import struct
import sys
import time
from pathlib import Path

from lab.powercut.writelog import Writer

NAME = b"drive"
_IN = struct.Struct("<IIQQIIIHH")
_OUT = struct.Struct("<IiQ")
_ATTR = struct.Struct("<QQQQQQIIIIIIIIII")
_READ_WRITE = struct.Struct("<QQII")
_INIT_OUT = struct.Struct("<IIIIHHIIHHI28x")
_LOOKUP, _FORGET, _GETATTR, _SETATTR, _OPEN, _READ, _WRITE, _STATFS, _RELEASE = 1, 2, 3, 4, 14, 15, 16, 17, 18
_FSYNC, _FLUSH, _INIT, _INTERRUPT, _BATCH_FORGET = 20, 25, 26, 36, 42
_ROOT, _FILE = 1, 2
_MOST = 1 << 20
_BIG_WRITES = 1 << 5
_MAX_PAGES = 1 << 22
_DIRECT_IO = 1
_WRITE_IN_BYTES = 40
_DIRECTORY_MODE, _FILE_MODE = 0o040755, 0o100600
_PR_SET_IO_FLUSHER = 57


class Drive:
    """Answers the kernel's requests, one after the other."""

    def __init__(self, device: int, image: Path, log: Path) -> None:
        self.device = device
        self.image = os.open(image, os.O_RDWR)
        self.size = os.fstat(self.image).st_size
        self.log = Writer(log)

    def serve(self) -> None:
        buffer = bytearray(_MOST + 4096)
        commands = b""
        waiting = [self.device, sys.stdin.fileno()]
        while True:
            ready, _, _ = select.select(waiting, [], [])
            if sys.stdin.fileno() in ready:
                read = os.read(sys.stdin.fileno(), 4096)
                commands += read
                if not read:
                    waiting.remove(sys.stdin.fileno())
                *lines, commands = commands.split(b"\n")
                for line in lines:
                    self._cut(int(line.split()[1]))
            if self.device in ready:
                try:
                    length = os.readv(self.device, [buffer])
                except OSError as err:
                    if err.errno == errno.ENODEV:
                        return
                    if err.errno in (errno.ENOENT, errno.EINTR, errno.EAGAIN):
                        continue
                    raise
                self._answer(memoryview(buffer)[:length])

    def _cut(self, number: int) -> None:
        self.log.cut(number)
        print(time.time_ns() // 1000, flush=True)

    def _answer(self, request: memoryview) -> None:
        _, opcode, unique, node, *_ = _IN.unpack_from(request)
        body = request[_IN.size :]
        if opcode in (_FORGET, _BATCH_FORGET, _INTERRUPT):
            return
        code, answer = 0, b""
        try:
            answer = self._do(opcode, node, body)
        except OSError as err:
            code = -(err.errno or errno.EIO)
        os.writev(self.device, [_OUT.pack(_OUT.size + len(answer), code, unique), answer])

    def _do(self, opcode: int, node: int, body: memoryview) -> bytes:
        if opcode == _WRITE:
            _, offset, size, _ = _READ_WRITE.unpack_from(body)
            data = body[_WRITE_IN_BYTES : _WRITE_IN_BYTES + size]
            self.log.write(offset, data)
            os.pwrite(self.image, data, offset)
            return struct.pack("<II", size, 0)
        if opcode == _READ:
            _, offset, size, _ = _READ_WRITE.unpack_from(body)
            return os.pread(self.image, size, offset)
        if opcode == _FSYNC:
            self.log.flush()
            return b""
        if opcode == _INIT:
            return _INIT_OUT.pack(7, 31, 65536, _BIG_WRITES | _MAX_PAGES, 16, 12, _MOST, 1, _MOST >> 12, 0, 0)
        if opcode == _LOOKUP and bytes(body).rstrip(b"\0") == NAME:
            return struct.pack("<QQQQII", _FILE, 0, 3600, 3600, 0, 0) + self._attributes(_FILE)
        if opcode in (_GETATTR, _SETATTR):
            return struct.pack("<QII", 3600, 0, 0) + self._attributes(node)
        if opcode == _OPEN:
            return struct.pack("<QII", 0, _DIRECT_IO, 0)
        if opcode == _STATFS:
            return struct.pack("<QQQQQIII28x", self.size >> 12, 0, 0, 2, 0, 4096, 255, 4096)
        if opcode in (_RELEASE, _FLUSH):
            return b""
        raise OSError(errno.ENOENT if opcode == _LOOKUP else errno.ENOSYS, "")

    def _attributes(self, node: int) -> bytes:
        file = node == _FILE
        size, mode = (self.size, _FILE_MODE) if file else (4096, _DIRECTORY_MODE)
        return _ATTR.pack(node, size, size >> 9, 0, 0, 0, 0, 0, 0, mode, 1 if file else 2, 0, 0, 0, 4096, 0)


def mount(folder: Path) -> int:
    """Mount the file system there; returns the descriptor through which its requests come."""
    device = os.open("/dev/fuse", os.O_RDWR)
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={device},rootmode={_DIRECTORY_MODE:o},user_id=0,group_id=0"
    if libc.mount(b"powercut", os.fsencode(folder), b"fuse", 0, options.encode()):
        raise OSError(ctypes.get_errno(), f"cannot mount FUSE at {folder}")
    # The kernel must not wait for this process's own drive when it needs memory.
    libc.prctl(_PR_SET_IO_FLUSHER, 1, 0, 0, 0)
    return device


def main(arguments: list[str]) -> None:
    folder, image, log = map(Path, arguments)
    Drive(mount(folder), image, log).serve()


if __name__ == "__main__":
    main(sys.argv[1:])
