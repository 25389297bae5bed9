# SPDX-License-Identifier: Apache-2.0
"""What a cluster refuses is stated with its reason, in one line."""

import sys
import time
from pathlib import Path

import pytest

from tailrace.certify import cluster
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
    asked = Cluster(StackPaths.load(), tmp_path / "client.properties", True)
    monkeypatch.setattr("tailrace.certify.cluster._answer", lambda _command, _interrupted: (1, "", stderr))
    with pytest.raises(Failed) as error:
        asked.move_leaders(["orders"])
    text = str(error.value)
    assert text.startswith(f"the cluster refused 'move orders': {reason}")
    assert len(text.splitlines()) == 1


def test_a_question_ends_with_an_interrupt(tmp_path: Path) -> None:
    began = time.monotonic()
    with pytest.raises(Failed, match="the certificate was interrupted"):
        cluster._answer([sys.executable, "-c", "import time; time.sleep(60)"], lambda: True)
    assert time.monotonic() - began < 30
