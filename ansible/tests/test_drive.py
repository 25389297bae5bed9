# SPDX-License-Identifier: Apache-2.0
"""The module that partitions drives: what it refuses by lsblk's word, and on a real loop device what it makes."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import ANSIBLE

sys.path.insert(0, str(ANSIBLE / "plugins" / "modules"))
import drive

EMPTY = {"name": "nvme1n1", "path": "/dev/nvme1n1", "type": "disk", "size": 1 << 30, "ro": False}
ROOT = EMPTY | {
    "name": "nvme0n1",
    "children": [{"name": "nvme0n1p1", "type": "part", "fstype": "ext4", "mountpoint": "/", "partlabel": None}],
}
OURS = EMPTY | {
    "name": "nvme2n1",
    "children": [{"name": "nvme2n1p1", "path": "/dev/nvme2n1p1", "type": "part", "partlabel": "tailrace-90"}],
}
KNOWN = {one["name"]: one for one in (EMPTY, ROOT, OURS)}


def refusal(
    wanted: list[str],
    percent: int = 90,
    confirmed: tuple[str, ...] = (),
    signatures: tuple[str, ...] = (),
    raid0: bool = False,
    known: dict[str, dict[str, object]] = KNOWN,
) -> str:
    try:
        drive.check(wanted, percent, raid0, list(confirmed), known, lambda _path: list(signatures), "lab1")
    except drive.Refused as err:
        return str(err)
    return ""


def test_an_empty_drive_and_one_of_ours_are_taken() -> None:
    assert refusal(["nvme1n1", "nvme2n1"]) == ""


def test_a_name_that_is_no_drive_is_named_with_those_there_are() -> None:
    assert refusal(["nvme9n1"]) == "lab1: no drive nvme9n1; there are: nvme0n1, nvme1n1, nvme2n1"


def test_a_drive_with_data_is_refused_until_it_is_confirmed() -> None:
    message = refusal(["nvme0n1"])
    assert message.startswith("lab1: drive nvme0n1 holds data: it has nvme0n1p1 (ext4), mounted at /;")
    assert "drives_confirm_wipe" in message
    assert "\n" not in message
    assert refusal(["nvme1n1"], signatures=("xfs",)).startswith(
        "lab1: drive nvme1n1 holds data: it has a signature of xfs;"
    )
    assert refusal(["nvme1n1"], signatures=("xfs",), confirmed=("nvme1n1",)) == ""


def test_another_share_than_it_was_made_with_is_refused() -> None:
    assert "was prepared with 90 percent, not 80" in refusal(["nvme2n1"], percent=80)
    assert refusal(["nvme2n1"], percent=80, confirmed=("nvme2n1",)) == ""


def test_a_confirmation_for_a_drive_that_is_not_meant_is_refused() -> None:
    assert "names nvme0n1, which is not among the drives" in refusal(["nvme1n1"], confirmed=("nvme0n1",))


@pytest.mark.parametrize(("raid0", "holds"), [(True, "xfs"), (False, "linux_raid_member")])
def test_a_prepared_drive_is_not_taken_for_the_other_layout(raid0: bool, holds: str) -> None:
    """Its content would be gone, or the array be refused, in the middle of a deployment."""
    known = KNOWN | {"nvme2n1": OURS | {"children": [OURS["children"][0] | {"fstype": holds}]}}
    message = refusal(["nvme2n1"], raid0=raid0, known=known)
    assert f"was prepared {'without' if raid0 else 'for'} a RAID-0 (it holds {holds})" in message
    assert refusal(["nvme2n1"], raid0=raid0, known=known, confirmed=("nvme2n1",)) == ""
    assert refusal(["nvme2n1"], raid0=not raid0, known=known) == ""


def test_a_raid_is_erased_as_a_whole_or_not_at_all() -> None:
    names = ["nvme2n1", "nvme3n1"]
    known = KNOWN | {"nvme3n1": OURS | {"name": "nvme3n1"}}
    assert "a RAID-0 is erased as a whole" in refusal(names, raid0=True, known=known, confirmed=("nvme2n1",))
    assert refusal(names, raid0=True, known=known, confirmed=("nvme2n1", "nvme3n1")) == ""
    assert refusal(names, raid0=False, known=known, confirmed=("nvme2n1",)) == ""


@pytest.mark.parametrize(("percent", "share"), [(100, 1022), (90, 921), (50, 512)])
def test_the_partition_is_that_share_of_the_drive(percent: int, share: int) -> None:
    assert drive.sectors(1 << 30, percent) == share * 2048


def command(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[str]:
    if os.geteuid() != 0 or None in map(shutil.which, ("losetup", "sfdisk")):
        pytest.skip("a loop device with partitions needs root, losetup and sfdisk")
    image = tmp_path / "drive"
    with image.open("wb") as file:
        file.truncate(256 << 20)
    try:
        device = command("losetup", "--find", "--show", "--partscan", str(image)).strip()
    except subprocess.CalledProcessError as err:
        pytest.skip(f"no loop device: {err.stderr}")
    yield device
    subprocess.run(["losetup", "--detach", device], check=False)


def module(**arguments: object) -> dict[str, object]:
    """The module as Ansible runs it."""
    text = json.dumps({"ANSIBLE_MODULE_ARGS": arguments})
    done = subprocess.run([sys.executable, drive.__file__], input=text, capture_output=True, text=True, check=False)
    answer: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return answer


def test_on_a_real_device(loop: str) -> None:
    name = Path(loop).name
    looked = module(devices=[name], partition_percent=50, state="checked")
    assert (looked.get("changed"), looked.get("partitions")) == (False, [""]), looked
    made = module(devices=[name], partition_percent=50)
    assert made.get("changed") is True, made
    assert isinstance(made["partitions"], list)
    (partition,) = json.loads(command("sfdisk", "--json", loop))["partitiontable"]["partitions"]
    assert (partition["size"] * 512, partition["name"]) == (128 << 20, "tailrace-50")
    assert command("lsblk", "--noheadings", "--bytes", "--output", "SIZE", made["partitions"][0]).split() == [
        str(128 << 20)
    ]
    assert module(devices=[name], partition_percent=50).get("changed") is False
    assert "was prepared with 50 percent" in str(module(devices=[name], partition_percent=60).get("msg"))
    again = module(devices=[name], partition_percent=60, confirm_wipe=[name])
    assert again.get("changed") is True, again
    gone = module(devices=[name], partition_percent=60, confirm_wipe=[name], state="absent")
    assert (gone.get("changed"), gone.get("partitions")) == (True, [""])


def test_what_a_deleted_partition_held_does_not_show_again(loop: str) -> None:
    name = Path(loop).name
    (partition,) = module(devices=[name], partition_percent=50)["partitions"]  # type: ignore[misc]
    command("mkfs.ext4", "-q", partition)
    command("partx", "--delete", loop)
    command("wipefs", "--all", loop)
    (partition,) = module(devices=[name], partition_percent=50)["partitions"]  # type: ignore[misc]
    assert command("wipefs", "--no-act", partition) == ""


def test_data_on_a_real_device_stays(loop: str) -> None:
    command("mkfs.ext4", "-q", loop)
    name = Path(loop).name
    assert "holds data: it has a signature of ext4" in str(module(devices=[name]).get("msg"))
    assert command("blkid", "-o", "value", "-s", "TYPE", loop).strip() == "ext4"
