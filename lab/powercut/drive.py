# SPDX-License-Identifier: Apache-2.0
"""A drive whose power can be cut: ext4 on a loop device on a file in user space (fuse.py). Needs root."""

import contextlib
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from lab.powercut import writelog
from lab.powercut.writelog import CutState, Mark
from lab.stand.errors import StandError
from lab.stand.part import Part
from lab.stand.program import Program
from lab.stand.waiting import until

# The file is sparse. A spool leaves 2 GiB of its drive free.
SIZE = 8 << 30
_PROGRAMS = ("losetup", "mkfs.ext4", "mount", "umount")
_UNMOUNT_S = 20.0
_LEAST_FREE = 6 << 30


def missing() -> str:
    """Why this machine cannot have such a drive, or nothing."""
    if os.geteuid() != 0:
        return "loop devices and mounts need root"
    lost = [program for program in _PROGRAMS if shutil.which(program) is None]
    lost += [device for device in ("/dev/loop-control", "/dev/fuse") if not Path(device).exists()]
    return f"{', '.join(lost)} missing" if lost else ""


class CutDrive(Part):
    """``folder`` has the files, ``mount`` is where the file system is while it runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mount = folder / "mount"
        self._below = folder / "below"
        self._empty, self._live, self._log = folder / "empty.img", folder / "live.img", folder / "writes.log"
        self._server: Program | None = None
        self._device = ""
        self._cuts = 0

    def start(self) -> None:
        for each in (self.mount, self._below):
            each.mkdir(parents=True)
        if shutil.disk_usage(self.folder).free < _LEAST_FREE:
            raise StandError(f"{self.folder}: less than {_LEAST_FREE >> 30} GiB free")
        _format(self._empty)
        _copy(self._empty, self._live)
        command = [sys.executable, "-m", "lab.powercut.fuse", str(self._below), str(self._live), str(self._log)]
        self._server = Program.start("drive", command, self.folder, pipes=True)
        file = self._below / "drive"
        self._server.wait_until(file.exists, "serve its file")
        # Past the page cache: what ext4 has not sent is not in the file.
        self._device = _run("losetup", "--find", "--show", "--direct-io=on", str(file))
        _run("mount", "-o", "noatime", self._device, str(self.mount))

    def cut(self) -> int:
        """Mark a cut, while the drive works on; returns its time, µs since 1970."""
        assert self._server is not None
        self._server.write_line(f"cut {self._cuts}")
        self._cuts += 1
        return int(self._server.read_line())

    @contextlib.contextmanager
    def after(self, mark: Mark, kept_share: float, rng: random.Random) -> Iterator[tuple[Path, CutState]]:
        """Mount what the cut can have left; returns its folder."""
        image, folder = self.folder / f"cut-{mark.number}.img", self.folder / f"cut-{mark.number}"
        folder.mkdir()
        try:
            _copy(self._empty, image)
            state = writelog.image_at(self._log, mark, image, kept_share, rng)
            _run("mount", "-o", "loop,noatime", str(image), str(folder))
            yield folder, state
        finally:
            _unmount(folder)
            image.unlink()
            folder.rmdir()

    def stop(self) -> None:
        _unmount(self.mount)
        if self._device:
            _run("losetup", "--detach", self._device)
            until(lambda: not _run("losetup", "--associated", str(self._below / "drive")), "the loop device ends", 10)
            self._device = ""
        _unmount(self._below)
        if self._server:
            self._server.stop()
            self._server = None

    def delete(self) -> None:
        """Delete its files; it must be stopped."""
        for file in (self._empty, self._live, self._log):
            file.unlink(missing_ok=True)


def _format(image: Path) -> None:
    with image.open("wb") as file:
        os.truncate(file.fileno(), SIZE)
    # Nothing is left to be written later, so the log has the test's writes alone.
    eager = "lazy_itable_init=0,lazy_journal_init=0,nodiscard"
    _run("mkfs.ext4", "-q", "-F", "-m", "0", "-N", "65536", "-J", "size=64", "-E", eager, str(image))


def _copy(image: Path, to: Path) -> None:
    _run("cp", "--sparse=always", "--reflink=auto", str(image), str(to))


def _unmount(folder: Path) -> None:
    deadline = time.monotonic() + _UNMOUNT_S
    while folder.is_mount():
        try:
            _run("umount", str(folder))
        except StandError:
            # A process that was killed may still be ending.
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or [f"exit code {done.returncode}"]
        raise StandError(f"{' '.join(command)}: {lines[-1]}")
    return done.stdout.strip()
