# SPDX-License-Identifier: Apache-2.0
"""The drive under a folder, on made-up /sys and /proc trees and on the real ones."""

import os
from pathlib import Path

import pytest

from tailrace.stack.drives import drive_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sys/dev/block").mkdir(parents=True)
    (tmp_path / "sys/class/block").mkdir(parents=True)
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs"


def add_device(folder: Path, path: str, *, is_folders: bool = False) -> Path:
    """A device in the made-up tree; ``is_folders`` gives it the device number of ``folder``."""
    sys_root = folder.parent / "sys"
    device = sys_root / "devices" / path
    device.mkdir(parents=True)
    (sys_root / "class/block" / device.name).symlink_to(device)
    if is_folders:
        number = folder.stat().st_dev
        (sys_root / "dev/block" / f"{os.major(number)}:{os.minor(number)}").symlink_to(device)
    return device


def drive(folder: Path) -> str:
    return drive_of(folder, folder.parent / "sys", folder.parent / "proc")


def test_whole_drive(folder: Path) -> None:
    add_device(folder, "pci/vda", is_folders=True)
    assert drive(folder) == "vda"


def test_partition_is_answered_with_its_drive(folder: Path) -> None:
    add_device(folder, "pci/nvme0n1")
    partition = add_device(folder, "pci/nvme0n1/nvme0n1p2", is_folders=True)
    (partition / "partition").write_text("2\n", encoding="ascii")
    assert drive(folder) == "nvme0n1"


def test_logical_volume_on_one_partition_is_answered_with_the_drive(folder: Path) -> None:
    add_device(folder, "pci/sda")
    partition = add_device(folder, "pci/sda/sda3")
    (partition / "partition").write_text("3\n", encoding="ascii")
    volume = add_device(folder, "virtual/dm-0", is_folders=True)
    (volume / "slaves").mkdir()
    (volume / "slaves/sda3").symlink_to(partition)
    assert drive(folder) == "sda"


def test_raid_keeps_its_own_name(folder: Path) -> None:
    raid = add_device(folder, "virtual/md0", is_folders=True)
    (raid / "slaves").mkdir()
    for name in ("sda", "sdb"):
        (raid / "slaves" / name).symlink_to(add_device(folder, f"pci/{name}"))
    assert drive(folder) == "md0"


def mounts(folder: Path, *lines: str) -> None:
    text = "".join(f"{line}\n" for line in lines)
    (folder.parent / "proc/self/mountinfo").write_text(text, encoding="utf-8")


def test_the_innermost_mount_decides(folder: Path) -> None:
    add_device(folder, "pci/vdb")
    mounts(
        folder,
        "1 0 0:1 / / rw - btrfs /dev/vda rw",
        f"2 1 0:2 / {folder} rw shared:1 - btrfs /dev/vdb rw",
        "3 1 0:3 / /elsewhere rw - btrfs /dev/vdc rw",
    )
    assert drive(folder) == "vdb"


def test_overlay_is_followed_to_its_upper_folder(folder: Path) -> None:
    add_device(folder, "pci/vdd")
    upper = folder.parent / "upper"
    upper.mkdir()
    mounts(
        folder,
        f"1 0 0:1 / {upper} rw - btrfs /dev/vdd rw",
        f"2 0 0:2 / {folder} rw - overlay overlay rw,lowerdir=/l,upperdir={upper},workdir=/w",
    )
    assert drive(folder) == "vdd"


def test_no_drive_below(folder: Path) -> None:
    mounts(folder, f"1 0 0:1 / {folder} rw - tmpfs tmpfs rw")
    assert drive(folder) == ""


def test_the_real_answer_is_a_drive_with_statistics(tmp_path: Path) -> None:
    name = drive_of(tmp_path)
    rows = Path("/proc/diskstats").read_text(encoding="ascii").splitlines()
    assert name == "" or name in {row.split()[2] for row in rows}
