# SPDX-License-Identifier: Apache-2.0
"""Which drive a folder is on, by the name that node_exporter gives it in its ``device`` label."""

import os
from dataclasses import dataclass
from pathlib import Path


def drive_of(folder: Path, sys_root: Path = Path("/sys"), proc_root: Path = Path("/proc")) -> str:
    """Name of the whole drive under ``folder``, such as ``vda``; empty when there is none.

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
