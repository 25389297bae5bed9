# SPDX-License-Identifier: Apache-2.0
"""The stand's parts as pytest fixtures; the root's conftest.py loads them for every room's tests."""

import os
import shutil
from collections.abc import Iterator
from typing import Protocol

import pytest

from lab.stand.kafka import KafkaCluster
from lab.stand.stack import StackStand
from tailrace.api import REPO_ROOT, StackPaths


class MakeStack(Protocol):
    def __call__(self, name: str, brokers: int = 1) -> StackStand: ...


@pytest.fixture(scope="session")
def make_stack(request: pytest.FixtureRequest) -> Iterator[MakeStack]:
    """``make_stack(name)``, ``make_stack(name, brokers=3)`` → a stack that is not started yet.

    Whatever runs there at the end of the session is stopped; the logs stay when a test failed.
    """
    base = REPO_ROOT / ".tailrace" / "test" / str(os.getpid())
    made: list[StackStand] = []

    def make(name: str, brokers: int = 1) -> StackStand:
        made.append(StackStand(base / name, brokers))
        return made[-1]

    yield make
    for stand in made:
        stand.stop()
        stand.delete_data()
    if not request.session.testsfailed:
        shutil.rmtree(base, ignore_errors=True)


@pytest.fixture(scope="session")
def stack(make_stack: MakeStack) -> Iterator[StackPaths]:
    """The stack that all tests share, up and healthy; TAILRACE_STATE and TAILRACE_PORTS name it."""
    stand = make_stack("shared")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in stand.variables.items():
            patch.setenv(name, value)
        with stand:
            yield stand.paths


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    """One Kafka broker and nothing else of the stack; ``broker.bootstrap_servers`` names it."""
    with KafkaCluster(tmp_path_factory.mktemp("broker"), brokers=1) as started:
        yield started
