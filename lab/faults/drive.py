# SPDX-License-Identifier: Apache-2.0
"""A separate drive for the broker's log: a file, a hidden loop device that is throttled, the drive, ext4.

The file is in memory, so that other I/O on the machine's drive does not affect an experiment; a permanent limit makes
it as fast as a cloud volume. Faults slow the hidden device below, so the kernel sees a drive that is slow itself.
"""

import mmap
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lab.faults import system
from lab.faults.errors import Unsupported
from lab.faults.journal import Journal

BLKIO = Path("/sys/fs/cgroup/blkio")
WRITE_IOPS = BLKIO / "blkio.throttle.write_iops_device"
WRITE_BYTES = BLKIO / "blkio.throttle.write_bps_device"
# The limits of the healthy drive.
USUAL_IOPS = 3_000
USUAL_BYTES = 200_000_000
SIZE = "3G"


def missing() -> list[str]:
    """Why this machine cannot have such a drive, a line per reason."""
    found = [f"{name} is not installed" for name in system.has("losetup", "mkfs.ext4", "mount", "fsfreeze")]
    if os.geteuid() != 0:
        found.append("loop devices and mounts need root")
    if not Path("/dev/loop-control").exists():
        found.append("the kernel has no loop devices")
    if not WRITE_IOPS.exists():
        found.append("the kernel has no blk-throttle (cgroup v1 blkio)")
    return found


@dataclass(frozen=True)
class Device:
    """A block device, such as ``/dev/loop4``."""

    path: str

    @property
    def name(self) -> str:
        return Path(self.path).name

    @property
    def number(self) -> str:
        """major:minor."""
        return (Path("/sys/block") / self.name / "dev").read_text().strip()


@dataclass(frozen=True)
class Drive:
    """``mount``: the broker's log folder; ``top``: the device under it; ``hidden``: the one below that.
    ``control``: what a programmable drive reads its delays from, else None."""

    mount: Path
    top: Device
    hidden: Device
    control: Path | None = None

    def sync_ms(self, times: int = 5, size: int = 4096) -> float:
        """Mean of a write of ``size`` bytes past the page cache and its fdatasync, in one of the lab's files."""
        file = os.open(self.mount / ".probe", os.O_RDWR | os.O_CREAT | os.O_DIRECT, 0o600)
        try:
            with mmap.mmap(-1, size) as block:
                began = time.monotonic()
                for _ in range(times):
                    os.pwrite(file, block, 0)
                    os.fdatasync(file)
                return (time.monotonic() - began) / times * 1000
        finally:
            os.close(file)

    def worst_sync_ms(self, over_s: float) -> float:
        """The slowest of the fsyncs that fit into that time, with pauses between them."""
        worst = 0.0
        until = time.monotonic() + over_s
        while time.monotonic() < until:
            worst = max(worst, self.sync_ms(1))
            time.sleep(0.05)
        return worst


def make(
    journal: Journal, folder: Path, mount: Path, backing: Path | None = None, control: Path | None = None
) -> Drive:
    """Make the drive and mount it at ``mount``; the journal undoes it. ``backing``: a file that is there already."""
    if problems := missing():
        raise Unsupported("; ".join(problems))
    if backing is None:
        backing = _memory_file(journal, folder)
    hidden = _loop(journal, str(backing))
    for file, limit in ((WRITE_IOPS, USUAL_IOPS), (WRITE_BYTES, USUAL_BYTES)):
        journal.record("set", str(file), f"{hidden.number} 0")
        system.put(file, f"{hidden.number} {limit}")
    # Past the page cache: each request of the drive becomes one of the hidden device.
    top = _loop(journal, hidden.path, "--direct-io=on")
    # Written now, not by the kernel in the background during the first runs.
    # A file in memory cannot zero a range without giving it up; asked for it once, as mkfs does, the kernel takes the
    # loop devices for ones that cannot discard either.
    lay = ("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard", top.path)
    system.run("env", "UNIX_IO_NOZEROOUT=1", *lay)
    mount.mkdir(parents=True, exist_ok=True)
    journal.record("unmount", str(mount))
    system.run("mount", top.path, str(mount))
    # Kafka reads every folder in its log folder as a partition.
    (mount / "lost+found").rmdir()
    return Drive(mount, top, hidden, control)


@contextmanager
def discards(journal: Journal, mount: Path) -> Iterator[None]:
    """Deleting discards the blocks, which takes the drive as long as writing them, as on many drives."""
    with journal.undo_at_end("keep-deleted", str(mount)):
        system.run("mount", "-o", "remount,discard", str(mount))
        yield


def _memory_file(journal: Journal, folder: Path) -> Path:
    memory = folder / "memory"
    memory.mkdir(parents=True, exist_ok=True)
    journal.record("unmount", str(memory))
    system.run("mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(memory))
    file = memory / "drive"
    file.touch(mode=0o600)
    os.truncate(file, 2**31)
    return file


def _loop(journal: Journal, backing: str, *options: str) -> Device:
    device = Device(system.run("losetup", "--find", "--show", *options, backing))
    # Only now is its name known; a lab killed in between leaves a device that holds a file and does nothing.
    journal.record("detach", device.path, backing)
    return device
