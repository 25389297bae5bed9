# SPDX-License-Identifier: Apache-2.0
"""The facts that must agree on two drives before measurements on them are compared."""

import re
from pathlib import Path
from typing import TypedDict

from tailrace.stack.devices import mount_of

SECTOR_BYTES = 512
# The mount options that change what a write costs.
_COST_OPTIONS = re.compile(r"(no|rel|lazy|strict)?atime|(no)?discard|(no)?barrier|sync|data=\w+|compress.*")


class DriveFacts(TypedDict):
    """Values as the kernel reports them; empty where it reports none. ``bytes`` is 0 without a drive."""

    model: str
    bytes: int
    rotational: str
    scheduler: str
    file_system: str
    mount_options: str


def drive_facts(
    folder: Path, device: str, sys_root: Path = Path("/sys"), proc_root: Path = Path("/proc")
) -> DriveFacts:
    """Facts about the drive ``device`` (as ``drive_of`` names it) and the mount that holds ``folder``."""
    block = sys_root / "class" / "block" / device
    size = _text(block / "size") if device else ""
    scheduler = _text(block / "queue" / "scheduler") if device else ""
    chosen = re.search(r"\[(\S+)\]", scheduler)
    mount = mount_of(folder, proc_root)
    return {
        "model": (_text(block / "device" / "model") or device.rstrip("0123456789")) if device else "",
        "bytes": int(size) * SECTOR_BYTES if size.isdigit() else 0,
        "rotational": _text(block / "queue" / "rotational") if device else "",
        "scheduler": chosen[1] if chosen else scheduler,
        "file_system": mount.kind,
        "mount_options": ",".join(sorted({each for each in mount.options if _COST_OPTIONS.fullmatch(each)})),
    }


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").strip()
    except OSError:
        return ""
