# SPDX-License-Identifier: Apache-2.0
"""nbdkit's plugin of the programmable drive: memory, and a delay in milliseconds before writes and flushes.

The file TAILRACE_DELAYS holds words such as ``write=10 flush=20``. With ``every=2`` they count only in the first half
second of every two: a drive that stalls now and then.
"""

import os
import time
from collections.abc import Iterator

import nbdkit  # type: ignore[import-not-found]

API_VERSION = 2
SIZE = 2**31
_CONTROL = os.environ.get("TAILRACE_DELAYS", "")
# Pages that were written; the others are zeros.
_PAGE = 2**16
_EMPTY = bytes(_PAGE)
_pages: dict[int, bytearray] = {}
_known: tuple[int, dict[str, float]] = (-1, {})


def thread_model() -> int:
    return int(nbdkit.THREAD_MODEL_PARALLEL)


def open(readonly: int) -> int:
    return 1


def get_size(handle: int) -> int:
    return SIZE


def can_flush(handle: int) -> bool:
    return True


def can_trim(handle: int) -> bool:
    return True


def can_fua(handle: int) -> int:
    return int(nbdkit.FUA_EMULATE)


def _delay(operation: str) -> None:
    global _known
    changed = os.stat(_CONTROL).st_mtime_ns
    if changed != _known[0]:
        with os.fdopen(os.open(_CONTROL, os.O_RDONLY)) as file:
            words = (word.partition("=") for word in file.read().split())
            _known = changed, {name: float(value) for name, _, value in words}
    delays = _known[1]
    period = delays.get("every", 0)
    if delays.get(operation) and (not period or time.time() % period < 0.5):
        time.sleep(delays[operation] / 1000)


def _pieces(offset: int, length: int) -> Iterator[tuple[int, slice, slice]]:
    """Page, and the same bytes in the page and in the buffer."""
    done = 0
    while done < length:
        number, start = divmod(offset + done, _PAGE)
        count = min(_PAGE - start, length - done)
        yield number, slice(start, start + count), slice(done, done + count)
        done += count


def pread(handle: int, buffer: bytearray, offset: int, flags: int) -> None:
    for number, of_page, of_buffer in _pieces(offset, len(buffer)):
        buffer[of_buffer] = _pages.get(number, _EMPTY)[of_page]


def pwrite(handle: int, buffer: bytearray, offset: int, flags: int) -> None:
    _delay("write")
    for number, of_page, of_buffer in _pieces(offset, len(buffer)):
        _pages.setdefault(number, bytearray(_PAGE))[of_page] = buffer[of_buffer]


def flush(handle: int, flags: int) -> None:
    _delay("flush")


def trim(handle: int, count: int, offset: int, flags: int) -> None:
    """Whole pages are given back; the rest stays, which a trim may."""
    for number in range(-(-offset // _PAGE), (offset + count) // _PAGE):
        _pages.pop(number, None)
