# SPDX-License-Identifier: Apache-2.0
"""How far this host's clock may be from true time, as far as the host itself can tell."""

import ctypes
import shutil
import subprocess
from typing import TypedDict

_UNSYNCHRONISED = 0x0040
_NANOSECONDS = 0x2000
_CHRONY_S = 5


class _Timex(ctypes.Structure):
    """``struct timex`` of Linux on 64-bit machines, up to what is read here."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_byte * 256),
    )


class HostClock(TypedDict):
    """``offset_us``: the clock's own guess of its error; the truth is within ``bound_us`` of it.

    ``source`` is chrony or kernel. ``synchronised`` false: nobody keeps the clock, the bound means
    nothing.
    """

    source: str
    synchronised: bool
    offset_us: float
    bound_us: float


def host_clock() -> HostClock:
    """Ask chrony when it runs here, else the kernel."""
    return _chrony() or _kernel()


def _chrony() -> HostClock | None:
    program = shutil.which("chronyc")
    if program is None:
        return None
    try:
        done = subprocess.run([program, "-c", "tracking"], capture_output=True, text=True, timeout=_CHRONY_S)
    except subprocess.TimeoutExpired:
        return None
    return of_chrony(done.stdout) if done.returncode == 0 else None


def of_chrony(line: str) -> HostClock | None:
    """Read ``chronyc -c tracking``; the bound is the one that chrony's manual gives."""
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


def _kernel() -> HostClock:
    timex = _Timex()
    ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(timex))
    unit = 1000 if timex.status & _NANOSECONDS else 1
    return {
        "source": "kernel",
        "synchronised": not timex.status & _UNSYNCHRONISED,
        "offset_us": timex.offset / unit,
        "bound_us": float(timex.maxerror),
    }
