# SPDX-License-Identifier: Apache-2.0
"""A drive whose every request can be delayed: nbdkit with a plugin, as a file through nbdfuse."""

import os
import subprocess
from pathlib import Path

from lab.faults import system
from lab.faults.errors import Unsupported
from lab.faults.journal import Journal
from lab.stand.waiting import until

PLUGIN = Path(__file__).with_name("drive_plugin.py")


def missing() -> list[str]:
    """Why this machine cannot have it, a line per reason."""
    found = [f"{name} is not installed (apt install nbdkit libnbd-bin)" for name in system.has("nbdkit", "nbdfuse")]
    if not Path("/dev/fuse").exists():
        found.append("the kernel has no FUSE")
    if not found:
        known = subprocess.run(["nbdkit", "python", "--version"], capture_output=True, check=False, timeout=20)
        if known.returncode:
            found.append("nbdkit has no Python plugin (apt install nbdkit-plugin-python)")
    return found


def start(journal: Journal, folder: Path) -> tuple[Path, Path]:
    """The file that is the drive, and the file that its delays are read from; the journal ends both."""
    if problems := missing():
        raise Unsupported("; ".join(problems))
    control = folder / "delays"
    control.write_text("")
    file = folder / "nbd"
    file.touch()
    journal.record("unmount", str(file))
    # In a separate session: Ctrl-C must not take the drive from under a mounted file system.
    server = subprocess.Popen(
        ["nbdfuse", str(file), "--command", "nbdkit", "--exit-with-parent", "-s", "python", str(PLUGIN)],
        env=os.environ | {"TAILRACE_DELAYS": str(control)},
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    until(lambda: server.poll() is not None or file.stat().st_size > 0, "the programmable drive starts", 20)
    if server.poll() is not None:
        raise Unsupported(f"nbdfuse ended with {server.returncode}; is FUSE permitted here?")
    return file, control
