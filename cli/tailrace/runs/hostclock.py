# SPDX-License-Identifier: Apache-2.0
"""The error of this host's clock, as chrony or the kernel estimates it."""

import ctypes
import shutil
import subprocess

_UNSYNCHRONISED = 0x0040
_NANOSECONDS = 0x2000
_CHRONY_S = 5


class _Timex(ctypes.Structure):
    """``struct timex`` of Linux on 64-bit machines, up to the last field that is read here."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_byte * 256),
    )


Clock = dict[str, str | bool | float]


def host_clock() -> Clock:
    """As chrony reports it when it runs on this host, else as the kernel does.

    ``offset_us``: the clock's estimate of its own error; true time is within ``bound_us`` of it. If ``synchronised`` is
    false, no program adjusts the clock and the bound is meaningless.
    """
    return _chrony() or _kernel()


def _chrony() -> Clock | None:
    program = shutil.which("chronyc")
    if program is None:
        return None
    try:
        done = subprocess.run([program, "-c", "tracking"], capture_output=True, text=True, timeout=_CHRONY_S)
    except subprocess.TimeoutExpired:
        return None
    return parse_chrony(done.stdout) if done.returncode == 0 else None


def parse_chrony(line: str) -> Clock | None:
    """Read ``chronyc -c tracking``; the bound is the one of chrony's manual."""
    fields = line.strip().split(",")
    if len(fields) < 14:
        return None
    offset, delay, dispersion = float(fields[4]), float(fields[10]), float(fields[11])
    return {
        "source": "chrony",
        "synchronised": fields[13] != "Not synchronised",
        "offset_us": offset * 1e6,
        "bound_us": (abs(offset) + dispersion + delay / 2) * 1e6,
    }


def _kernel() -> Clock:
    timex = _Timex()
    ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(timex))
    unit = 1000 if timex.status & _NANOSECONDS else 1
    return {
        "source": "kernel",
        "synchronised": not timex.status & _UNSYNCHRONISED,
        "offset_us": timex.offset / unit,
        "bound_us": float(timex.maxerror),
    }
