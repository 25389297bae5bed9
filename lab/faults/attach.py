# SPDX-License-Identifier: Apache-2.0
"""Sends commands to a running JVM as jcmd does, without starting a JVM, which would need CPU during a measurement."""

import contextlib
import os
import signal
import socket
from pathlib import Path

from lab.stand.errors import StandError
from lab.stand.waiting import until

_VERSION = "1"
_ARGUMENTS = 3


def ask(pid: int, command: str, *arguments: str) -> str:
    """The JVM's answer. Raises StandError when the JVM reports a failure."""
    channel = Path(f"/tmp/.java_pid{pid}")  # noqa: S108 (HotSpot's path)
    if not channel.exists():
        _wake_listener(pid, channel)
    words = (_VERSION, command, *arguments, *[""] * (_ARGUMENTS - len(arguments)))
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(30)
        try:
            link.connect(str(channel))
            link.sendall(b"".join(word.encode() + b"\0" for word in words))
            answer = b"".join(iter(lambda: link.recv(65536), b"")).decode(errors="replace")
        except OSError as err:
            raise StandError(f"the JVM {pid} does not answer to {command}: {err}") from err
    code, _, text = answer.partition("\n")
    if code != "0":
        raise StandError(f"the JVM {pid} refused {command}: {text.strip()[:200]}")
    return text


def _wake_listener(pid: int, channel: Path) -> None:
    """A JVM listens from its first SIGQUIT on, if this file is in its working folder."""
    request = Path(f"/proc/{pid}/cwd/.attach_pid{pid}")
    request.touch()
    try:
        os.kill(pid, signal.SIGQUIT)
        until(channel.exists, f"the JVM {pid} listens", 10)
    finally:
        with contextlib.suppress(OSError):
            request.unlink()
