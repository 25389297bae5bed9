# SPDX-License-Identifier: Apache-2.0
"""The real warehouse program, alone, for tests that need tables and no broker."""

import os
import secrets
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tailrace.stack.api import StackPaths
from tailrace.stack.endpoints import Endpoints


@contextmanager
def serve(folder: Path, before: Endpoints | None = None) -> Iterator[Endpoints]:
    """A warehouse with all migrations applied, on a free port, with its tables in ``folder``.

    ``before``: one that is stopped, whose address and user this one takes.
    """
    paths = StackPaths.load()
    server = built(paths.bin / "tailrace-warehouse")
    migrate = built(paths.bin / "tailrace-migrate")
    library = built(paths.lib / "libchdb.so")
    url = before.warehouse_url if before else f"http://127.0.0.1:{free_port()}"
    user = "tester"
    password = before.warehouse_password if before else secrets.token_hex(16)
    env = os.environ | {"WAREHOUSE_USER": user, "WAREHOUSE_PASSWORD": password}
    log = (folder / "warehouse.log").open("wb")
    process = subprocess.Popen(
        [
            server,
            f"--listen={url.removeprefix('http://')}",
            f"--data={folder / 'data'}",
            f"--lib={library}",
        ],
        env=env,
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    try:
        wait_for(f"{url}/ping", process)
        subprocess.run([migrate, "--url", url, "up"], env=env, check=True, capture_output=True)
        yield Endpoints(url, user, password, "http://127.0.0.1:1", "http://127.0.0.1:1", "")
    finally:
        process.terminate()
        process.wait(30)
        log.close()


def built(path: Path) -> Path:
    if not path.exists():
        pytest.fail(f"{path} missing; run make setup", pytrace=False)
    return path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(url: str, process: "subprocess.Popen[bytes]", timeout_s: float = 60) -> None:
    """Until ``url`` answers 200. Fails when the process ends first or time is up."""
    deadline = time.monotonic() + timeout_s
    while True:
        if process.poll() is not None:
            pytest.fail(f"{process.args!r} ended with {process.returncode}")
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            pass
        if time.monotonic() > deadline:
            pytest.fail(f"{url} did not answer within {timeout_s} s")
        time.sleep(0.05)
