# SPDX-License-Identifier: Apache-2.0
"""Which drive a folder is on, by the name that node_exporter gives it in its ``device`` label."""

import os
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


def _mount_source(folder: Path, proc_root: Path) -> str:
    """Source of the mount that holds ``folder``; an overlay is followed to its upper folder."""
    folder = folder.resolve()
    best, source, kind, options = Path("/"), "", "", ""
    for line in (proc_root / "self" / "mountinfo").read_text(encoding="utf-8").splitlines():
        left, _, right = line.partition(" - ")
        point = Path(left.split()[4].encode().decode("unicode_escape"))
        if folder.is_relative_to(point) and len(point.parts) >= len(best.parts):
            best = point
            kind, source, options = right.split(" ", 2)
    if kind == "overlay":
        for option in options.split(","):
            key, _, value = option.partition("=")
            if key == "upperdir" and Path(value).exists() and not Path(value).is_relative_to(best):
                return _mount_source(Path(value), proc_root)
    return source
