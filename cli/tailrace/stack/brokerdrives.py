# SPDX-License-Identifier: Apache-2.0
"""Separate drives for three brokers: a file with ext4 each, mounted through a loop device. Needs root.

The files are sparse: they take what the broker writes. Where this is not permitted the brokers share a drive.
"""

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from tailrace.errors import BadInput, Failed
from tailrace.stack.paths import StackPaths
from tailrace.stack.preflight import free_bytes

_MIN_BYTES = 2 * 1024**3
_UNMOUNT_S = 10.0
_PROGRAMS = ("mkfs.ext4", "mount", "umount", "losetup", "fstrim")


def attach(paths: StackPaths, say: Callable[[str], None]) -> None:
    """Make the folders of the brokers' data and mount their drives there.

    ``say`` gets the reason when the brokers share a drive. Raises BadInput when data of an earlier start is on drives
    that cannot be mounted now.
    """
    base = paths.broker_data
    reason = _not_permitted()
    images = {broker: base / f"{broker}.img" for broker in paths.broker_ids}
    known = any(image.exists() for image in images.values())
    if known and reason:
        raise BadInput(
            f"{base}: the brokers' data is on drives of their own, and {reason}; start as root, or tailrace reset"
        )
    if not known and any((base / str(broker) / "formatted").exists() for broker in paths.broker_ids):
        reason = "their data is in plain folders since an earlier start"
    for broker in paths.broker_ids:
        (base / str(broker)).mkdir(parents=True, exist_ok=True)
    if not reason:
        size = max(free_bytes(paths) // paths.brokers >> 30 << 30, _MIN_BYTES)
        try:
            for broker, image in images.items():
                _attach(image, base / str(broker), size)
            return
        except Failed as err:
            if known:
                raise
            detach(paths)
            for image in images.values():
                image.unlink(missing_ok=True)
            reason = str(err)
    say(f"the brokers share one drive: {reason}")


def detach(paths: StackPaths) -> list[str]:
    """Unmount what ``attach`` mounted; a line of text for each that is still in use."""
    mounts = [folder for folder in sorted((paths.data / "brokers").glob("[0-9]")) if folder.is_mount()]
    return [line for line in map(_detach, mounts) if line]


def _not_permitted() -> str:
    if os.geteuid() != 0:
        return "loop devices and mounts need root"
    missing = [program for program in _PROGRAMS if shutil.which(program) is None]
    if missing:
        return f"{', '.join(missing)} not found on PATH"
    return "" if Path("/dev/loop-control").exists() else "the kernel has no loop devices"


def _attach(image: Path, folder: Path, size: int) -> None:
    if folder.is_mount():
        return
    if not image.exists():
        _make(image, size)
    _run("mount", "-o", "loop,noatime", str(image), str(folder))
    # Past the page cache: each request of the drive becomes one of the file below. Not every file system can.
    device = _run("losetup", "--noheadings", "--output", "NAME", "--associated", str(image)).split()[0]
    with contextlib.suppress(Failed):
        _run("losetup", "--direct-io=on", device)


def _make(image: Path, size: int) -> None:
    new = image.with_suffix(".new")
    new.unlink(missing_ok=True)
    with new.open("wb") as file:
        os.truncate(file.fileno(), size)
    # Everything is written now, not by the kernel during the first runs.
    eager = "lazy_itable_init=0,lazy_journal_init=0"
    _run("mkfs.ext4", "-q", "-F", "-m", "0", "-T", "largefile", "-J", "size=64", "-E", eager, str(new))
    new.replace(image)


def _detach(folder: Path) -> str:
    # Give back to the file below what the broker deleted.
    with contextlib.suppress(Failed):
        _run("fstrim", str(folder))
    deadline = time.monotonic() + _UNMOUNT_S
    while True:
        try:
            _run("umount", str(folder))
            return ""
        except Failed as err:
            # An exporter may be reading its size just now.
            if time.monotonic() > deadline:
                return str(err)
            time.sleep(0.2)


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or [f"exit code {done.returncode}"]
        raise Failed(f"{' '.join(command)}: {lines[-1]}")
    return done.stdout.strip()
