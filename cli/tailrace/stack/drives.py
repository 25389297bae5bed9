# SPDX-License-Identifier: Apache-2.0
"""Which drive a folder is on, and the facts that must agree on two drives before measurements on them are compared."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

SECTOR_BYTES = 512
# The mount options that change what a write costs.
_COST_OPTIONS = re.compile(r"(no|rel|lazy|strict)?atime|(no)?discard|(no)?barrier|sync|data=\w+|compress.*")


def drive_of(folder: Path, sys_root: Path = Path("/sys"), proc_root: Path = Path("/proc")) -> str:
    """The whole drive under ``folder``, as in node_exporter's ``device`` label: ``vda``; empty when there is none.

    * A partition gives its drive: Linux counts flushes per drive, the partitions share its queue, and node_exporter
      reports the drive with our flags.
    * A mapped device on exactly one drive (LVM, encryption) gives that drive. On several drives (RAID) it keeps its
      own name, because no single drive represents it.
    * File systems without a separate device number (btrfs, overlay) are looked up by the source of the mount. tmpfs
      and network mounts have no drive.
    """
    number = folder.stat().st_dev
    name = _block_device(sys_root, f"{os.major(number)}:{os.minor(number)}")
    if name is None:
        source = _mount_source(folder, proc_root)
        if not source.startswith("/dev/"):
            return ""
        name = Path(source).resolve().name
    return _whole_drive(sys_root, name)


def _block_device(sys_root: Path, number: str) -> str | None:
    link = sys_root / "dev" / "block" / number
    return link.resolve().name if link.exists() else None


def _whole_drive(sys_root: Path, name: str) -> str:
    device = sys_root / "class" / "block" / name
    if not device.exists():
        return ""
    if (device / "partition").exists():
        return device.resolve().parent.name
    below = sorted(entry.name for entry in (device / "slaves").glob("*"))
    return _whole_drive(sys_root, below[0]) if len(below) == 1 else name


@dataclass(frozen=True)
class Mount:
    """A mounted file system; ``options``: those of the mount and of the file system."""

    point: Path
    kind: str
    source: str
    options: list[str]


def mount_of(folder: Path, proc_root: Path = Path("/proc")) -> Mount:
    """The mount that holds ``folder``."""
    found = Mount(Path("/"), "", "", [])
    for line in (proc_root / "self" / "mountinfo").read_text(encoding="utf-8").splitlines():
        left, _, right = line.partition(" - ")
        words = left.split()
        point = Path(words[4].encode().decode("unicode_escape"))
        if folder.resolve().is_relative_to(point) and len(point.parts) >= len(found.point.parts):
            kind, source, options = right.split(" ", 2)
            found = Mount(point, kind, source, [*words[5].split(","), *options.split(",")])
    return found


def _mount_source(folder: Path, proc_root: Path) -> str:
    """Source of the mount that holds ``folder``; an overlay is followed to its upper folder."""
    mount = mount_of(folder, proc_root)
    if mount.kind == "overlay":
        for option in mount.options:
            key, _, value = option.partition("=")
            if key == "upperdir" and Path(value).exists() and not Path(value).is_relative_to(mount.point):
                return _mount_source(Path(value), proc_root)
    return mount.source


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
