# SPDX-License-Identifier: Apache-2.0
"""What a cluster refuses is stated with its reason, in one line."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tailrace.certify.cluster import Cluster
from tailrace.errors import Failed
from tailrace.stack.api import StackPaths

LOGGER = (
    "SLF4J(W): No SLF4J providers were found.\nSLF4J(W): See https://www.slf4j.org/codes.html for further details.\n"
)
TRACE = """Exception in thread "main" java.util.concurrent.ExecutionException: org.apache.kafka.common.errors.A: no
\tat java.base/java.util.concurrent.CompletableFuture.get(CompletableFuture.java:2096)
Caused by: org.apache.kafka.common.errors.PolicyViolationException: leaders stay where they are
\t... 3 more
"""


@pytest.mark.parametrize(
    ("stderr", "reason"),
    [
        (LOGGER + TRACE, "org.apache.kafka.common.errors.PolicyViolationException: leaders stay where they are"),
        (LOGGER + TRACE.splitlines()[0] + "\n" + LOGGER, "java.util.concurrent.ExecutionException: "),
        (LOGGER, "its admin client ended with exit code 1 and no message"),
        ("", "its admin client ended with exit code 1 and no message"),
    ],
)
def test_a_refused_leader_move_has_its_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stderr: str, reason: str
) -> None:
    def refused(command: list[str], **_options: Any) -> "subprocess.CompletedProcess[str]":
        return subprocess.CompletedProcess(command, 1, "", stderr)

    cluster = Cluster(StackPaths.load(), tmp_path / "client.properties", True)
    monkeypatch.setattr(subprocess, "run", refused)
    with pytest.raises(Failed) as error:
        cluster.move_leaders(["orders"])
    text = str(error.value)
    assert text.startswith(f"the cluster refused 'move orders': {reason}")
    assert len(text.splitlines()) == 1
