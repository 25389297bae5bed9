# SPDX-License-Identifier: Apache-2.0
"""The real stack in a state folder of its own, with the fault proxy between collector and warehouse."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from tailrace.stack.api import StackPaths, down, is_up, up
from tailrace.stack.paths import PORT_NAMES, REPO_ROOT
from tailrace.stack.processes import stack_processes
from tailrace.stack.secrets import ensure_secrets

COMMAND = str(Path(sys.executable).with_name("tailrace"))
AGENT = REPO_ROOT / ".tailrace" / "build" / "chaos" / "row-journal.jar"


class ChaosError(Exception):
    """The test itself cannot go on; the text says why and what to look at."""


class Place:
    """One stack. All its programs find it by ``env``."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.folder = folder
        ports = folder / "ports.env"
        ports.write_text("".join(f"{n}={p}\n" for n, p in zip(PORT_NAMES, free_ports(len(PORT_NAMES)), strict=True)))
        self.env = {"TAILRACE_STATE": str(folder / "state"), "TAILRACE_PORTS": str(ports)}
        self.paths = StackPaths.load(self.env)
        os.environ.update(self.env)

    @property
    def warehouse_port(self) -> int:
        return self.paths.ports["WAREHOUSE_PORT"]

    def collector_posts_to(self, port: int) -> None:
        """Lead the collector through the proxy. Only what reads its port from the environment is led: the
        supervisor puts the warehouse's own port into the other commands before the secrets are added."""
        ensure_secrets(self.paths.secrets_file)
        with self.paths.secrets_file.open("a") as file:
            file.write(f"WAREHOUSE_PORT={port}\n")

    def up(self) -> None:
        up(self.paths)

    def down(self) -> list[str]:
        return down(self.paths)

    def wait_up(self, timeout_s: float = 90) -> None:
        until(lambda: is_up(self.paths), f"the stack is healthy; logs in {self.paths.logs}", timeout_s)

    def process(self, name: str) -> psutil.Process | None:
        """The process of that program; None when it does not run."""
        for found in stack_processes(self.paths.state):
            with contextlib.suppress(psutil.NoSuchProcess):
                if name in found.name() or (found.name() == "java" and any(name in word for word in found.cmdline())):
                    return found
        return None

    def processes(self) -> list[psutil.Process]:
        return stack_processes(self.paths.state)

    def broker(self, action: str) -> bool:
        """Ask the supervisor to ``start``, ``stop`` or ``restart`` the broker; whether it agreed."""
        command = [str(self.paths.bin / "process-compose"), "process", action, "kafka"]
        asked = subprocess.run(
            [*command, "--use-uds", "--unix-socket", "process-compose.sock"],
            cwd=self.paths.run,
            env=os.environ | {"PROC_COMP_CONFIG": str(self.paths.run)},
            check=False,
            capture_output=True,
            timeout=60,
        )
        return asked.returncode == 0

    def tailrace(self, *arguments: str, timeout_s: float = 300) -> subprocess.CompletedProcess[str]:
        return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=timeout_s, check=False)


def until(check: Callable[[], bool], what: str, timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    while not check():
        if time.monotonic() > deadline:
            raise ChaosError(f"not within {timeout_s:.0f} s: {what}")
        time.sleep(0.05)


def free_ports(count: int) -> Iterator[int]:
    """Below the range of outgoing connections: none of those can take the port of a server that restarts."""
    for port in random.sample(range(20000, 32000), 400):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        yield port
        count -= 1
        if not count:
            return


def kill(process: psutil.Process, number: int = signal.SIGKILL) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        process.send_signal(number)
