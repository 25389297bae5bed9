# SPDX-License-Identifier: Apache-2.0
"""Facts of a drive, read from trees as the kernel shows them."""

from pathlib import Path

from tailrace.stack.drives import drive_facts

MOUNTS = (
    "22 1 259:1 / / rw,relatime shared:1 - ext4 /dev/root rw,data=ordered\n"
    "35 22 259:2 / {data} rw,noatime shared:9 - xfs /dev/nvme1n1 rw,nodiscard,inode64\n"
)


def trees(tmp_path: Path) -> tuple[Path, Path, Path]:
    """sys, proc, and the folder that the second mount holds."""
    data = tmp_path / "data"
    data.mkdir()
    drive = tmp_path / "sys" / "class" / "block" / "nvme1n1"
    files = {
        "size": "14648437500\n",
        "queue/scheduler": "[none] mq-deadline kyber\n",
        "queue/rotational": "0\n",
        "device/model": "Amazon EC2 NVMe Instance Storage   \n",
    }
    for name, text in files.items():
        (drive / name).parent.mkdir(parents=True, exist_ok=True)
        (drive / name).write_text(text)
    own = tmp_path / "proc" / "self"
    own.mkdir(parents=True)
    (own / "mountinfo").write_text(MOUNTS.format(data=data))
    return tmp_path / "sys", tmp_path / "proc", data


def test_what_is_known_of_a_drive_and_its_mount(tmp_path: Path) -> None:
    sys_root, proc_root, data = trees(tmp_path)
    assert drive_facts(data / "kafka", "nvme1n1", sys_root, proc_root) == {
        "model": "Amazon EC2 NVMe Instance Storage",
        "bytes": 7_500_000_000_000,
        "rotational": "0",
        "scheduler": "none",
        "file_system": "xfs",
        "mount_options": "noatime,nodiscard",
    }


def test_a_folder_on_no_drive_has_its_mount_alone(tmp_path: Path) -> None:
    sys_root, proc_root, _data = trees(tmp_path)
    facts = drive_facts(tmp_path, "", sys_root, proc_root)
    assert (facts["model"], facts["bytes"], facts["scheduler"]) == ("", 0, "")
    assert (facts["file_system"], facts["mount_options"]) == ("ext4", "data=ordered,relatime")
