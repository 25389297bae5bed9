# SPDX-License-Identifier: Apache-2.0
"""The whole stack, with the fault proxy between collector and warehouse."""

import contextlib
import os
import signal
import subprocess
from pathlib import Path

import psutil

from lab.stand.run import COMMAND
from lab.stand.stack import StackStand
from lab.stand.waiting import until
from tailrace.api import REPO_ROOT, ensure_secrets, is_up

AGENT = REPO_ROOT / ".tailrace" / "build" / "chaos" / "row-journal.jar"


class ChaosStand(StackStand):
    """Every program started from here finds this stack by its environment."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        os.environ |= self.variables

    @property
    def warehouse_port(self) -> int:
        return self.paths.ports["WAREHOUSE_PORT"]

    def route_collector_to(self, port: int) -> None:
        """Send the collector's blocks to the proxy. This changes only programs that read the port from the
        environment: the supervisor writes the warehouse's own port into the other commands before it adds the secrets.
        """
        ensure_secrets(self.paths.secrets_file)
        with self.paths.secrets_file.open("a") as file:
            file.write(f"WAREHOUSE_PORT={port}\n")

    def wait_up(self, timeout_s: float = 90) -> None:
        until(lambda: is_up(self.paths), "the stack is healthy", timeout_s, self.paths.logs)

    def control_broker(self, action: str) -> bool:
        """Have the supervisor ``start``, ``stop`` or ``restart`` the broker; returns whether it did."""
        command = [str(self.paths.bin / "process-compose"), "process", action, "kafka"]
        done = subprocess.run(
            [*command, "--use-uds", "--unix-socket", "process-compose.sock"],
            cwd=self.paths.run,
            env=os.environ | {"PROC_COMP_CONFIG": str(self.paths.run)},
            check=False,
            capture_output=True,
            timeout=60,
        )
        return done.returncode == 0

    def tailrace(self, *arguments: str, timeout_s: float = 300) -> subprocess.CompletedProcess[str]:
        return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=timeout_s, check=False)


def kill(process: psutil.Process, number: int = signal.SIGKILL) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        process.send_signal(number)
