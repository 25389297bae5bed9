# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium over the DevTools protocol, spoken through its pipe: no port, no driver."""

import itertools
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    # Root, as in a container, has no sandbox to offer.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
TIMEOUT_S = 60.0


class Tab:
    """One page. ``events`` are the protocol events seen so far."""

    def __init__(self, write: int, read: int) -> None:
        self._write, self._read = write, read
        self._ids = itertools.count(1)
        self._buffer = b""
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []

    def attach(self) -> None:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        number = next(self._ids)
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == number:
                assert "error" not in answer, (method, answer["error"])
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def open(self, path: Path) -> None:
        """Load a file and wait until it is loaded."""
        self.call("Page.navigate", url=path.as_uri())
        self.until("document.readyState === 'complete' && location.protocol === 'file:'")

    def run(self, expression: str) -> Any:
        """The value of a JavaScript expression, promises awaited."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, condition: str) -> None:
        deadline = time.monotonic() + TIMEOUT_S
        while not self.run(condition):
            assert time.monotonic() < deadline, f"still not true: {condition}"

    def mouse(self, kind: str, x: float, y: float, clicks: int = 0) -> None:
        held = {"buttons": 1} if kind == "mouseMoved" and clicks else {}
        button = {"button": "left", "clickCount": clicks} if clicks else {}
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **button, **held)

    def seen(self, method: str) -> list[dict[str, Any]]:
        return [event["params"] for event in self.events if event.get("method") == method]

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], TIMEOUT_S)
            assert ready, "Chromium does not answer"
            chunk = os.read(self._read, 1 << 20)
            assert chunk, "Chromium is gone"
            self._buffer += chunk
        text, self._buffer = self._buffer.split(b"\0", 1)
        message: dict[str, Any] = json.loads(text)
        return message


@contextmanager
def chromium(profile: Path) -> Iterator[Tab]:
    """A new browser with an empty profile, ended with the block."""
    assert CHROMIUM
    their_read, our_write = os.pipe()
    our_read, their_write = os.pipe()
    # The browser reads commands on descriptor 3 and answers on 4.
    script = f'exec "$0" "$@" 3<&{their_read} 4>&{their_write}'
    process = subprocess.Popen(
        ["bash", "-c", script, CHROMIUM, *FLAGS, f"--user-data-dir={profile}"],
        pass_fds=(their_read, their_write),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(their_read)
    os.close(their_write)
    try:
        tab = Tab(our_write, our_read)
        tab.attach()
        yield tab
    finally:
        process.terminate()
        process.wait(30)
        os.close(our_write)
        os.close(our_read)
