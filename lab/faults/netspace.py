# SPDX-License-Identifier: Apache-2.0
"""A separate network for the lab: slowing its loopback affects no other program on the machine, and it is
gone with its last process."""

import ctypes
import os

from lab.faults import system

_CLONE_NEWNET = 0x40000000


def enter() -> str:
    """Move this process and its future children there. Returns why it is impossible, or nothing."""
    if missing := system.has("ip"):
        return f"{missing[0]} is not installed"
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNET):
        return f"no network namespace: {os.strerror(ctypes.get_errno())}"
    # Packets as large as on a real network: a loopback's of 64 KiB would be lost, or wait, all at once.
    system.run("ip", "link", "set", "lo", "up", "mtu", "1500")
    system.run("ip", "link", "set", "lo", "gso_max_segs", "1", "gso_max_size", "2000")
    return ""
