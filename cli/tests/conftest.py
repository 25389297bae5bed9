# SPDX-License-Identifier: Apache-2.0
"""A real stack for the tests: own state folder, own free ports, started once per session."""

import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tailrace.stack.api import StackPaths, down, up
from tailrace.stack.paths import PORT_NAMES, REPO_ROOT
from tailrace.stack.portowner import is_free


@pytest.fixture(scope="session")
def make_place(request: pytest.FixtureRequest) -> Iterator[Callable[[str], dict[str, str]]]:
    """``make_place(name)`` → TAILRACE_STATE and TAILRACE_PORTS of a stack that is not started yet.

    Whatever runs there at the end of the session is stopped; the logs stay when a test failed.
    """
    base = REPO_ROOT / ".tailrace" / "test" / str(os.getpid())
    places: list[dict[str, str]] = []

    def make(name: str) -> dict[str, str]:
        folder = base / name
        folder.mkdir(parents=True)
        ports_file = write_free_ports(folder / "ports.env")
        place = {"TAILRACE_STATE": str(folder / "state"), "TAILRACE_PORTS": str(ports_file)}
        places.append(place)
        return place

    yield make
    for place in places:
        down(StackPaths.load(place))
        shutil.rmtree(Path(place["TAILRACE_STATE"]) / "data", ignore_errors=True)
    if not request.session.testsfailed:
        shutil.rmtree(base, ignore_errors=True)


@pytest.fixture(scope="session")
def stack(make_place: Callable[[str], dict[str, str]]) -> Iterator[StackPaths]:
    """The stack that all tests share, up and healthy; TAILRACE_STATE and TAILRACE_PORTS name it."""
    place = make_place("shared")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in place.items():
            patch.setenv(name, value)
        paths = StackPaths.load()
        up(paths)
        yield paths
        down(paths)


def write_free_ports(file: Path) -> Path:
    """A ports file of ports that are free now.

    They lie below the range from which the kernel takes ports for outgoing connections: one of
    those could otherwise take the port of a server that is being restarted.
    """
    candidates = random.sample(range(20000, 32000), 200)
    free = [port for port in candidates if is_free(port)]
    lines = [f"{name}={port}" for name, port in zip(PORT_NAMES, free, strict=False)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file
