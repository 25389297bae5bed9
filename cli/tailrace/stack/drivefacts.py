# SPDX-License-Identifier: Apache-2.0
"""What two drives must share for two measurements on them to be compared."""

import re
from pathlib import Path
from typing import TypedDict

SECTOR_BYTES = 512
# Of mount options those that change what a write costs.
_TELLING = re.compile(r"(no|rel|lazy|strict)?atime|(no)?discard|(no)?barrier|sync|data=\w+|compress.*")


class DriveFacts(TypedDict):
    """Texts as the kernel has them; empty where it does not say. ``bytes`` is 0 without a drive."""

    model: str
    bytes: int
    rotational: str
    scheduler: str
    file_system: str
    mount_options: str


def drive_facts(
    folder: Path, device: str, sys_root: Path = Path("/sys"), proc_root: Path = Path("/proc")
) -> DriveFacts:
    """Of the drive ``device`` (as ``drive_of`` names it) and of the mount that holds ``folder``."""
    block = sys_root / "class" / "block" / device
    size = _text(block / "size") if device else ""
    scheduler = _text(block / "queue" / "scheduler") if device else ""
    chosen = re.search(r"\[(\S+)\]", scheduler)
    file_system, options = _mount(folder.resolve(), proc_root)
    return {
        "model": (_text(block / "device" / "model") or device.rstrip("0123456789")) if device else "",
        "bytes": int(size) * SECTOR_BYTES if size.isdigit() else 0,
        "rotational": _text(block / "queue" / "rotational") if device else "",
        "scheduler": chosen[1] if chosen else scheduler,
        "file_system": file_system,
        "mount_options": options,
    }


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _mount(folder: Path, proc_root: Path) -> tuple[str, str]:
    best, found = Path("/"), ("", "")
    for line in _text(proc_root / "self" / "mountinfo").splitlines():
        left, _, right = line.partition(" - ")
        words = left.split()
        point = Path(words[4].encode().decode("unicode_escape"))
        if folder.is_relative_to(point) and len(point.parts) >= len(best.parts):
            kind, _source, options = right.split(" ", 2)
            told = {*words[5].split(","), *options.split(",")}
            best = point
            found = kind, ",".join(sorted(o for o in told if _TELLING.fullmatch(o)))
    return found
