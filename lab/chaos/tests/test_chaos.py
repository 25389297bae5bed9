# SPDX-License-Identifier: Apache-2.0
"""The short form of the chaos test, and the proof that it can fail (lab/chaos/README.md)."""

import os
import subprocess
import sys

import pytest

from tailrace.api import REPO_ROOT

pytestmark = [pytest.mark.e2e, pytest.mark.alone]

TIMEOUT_S = 600.0


def storm(*arguments: str) -> tuple[int, dict[str, str], str]:
    """Exit code, the RESULT line's values, and all that was printed."""
    done = subprocess.run(
        [sys.executable, "-m", "lab.chaos", *arguments],
        env=os.environ | {"PYTHONPATH": f"{REPO_ROOT}:{REPO_ROOT}/cli"},
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    output = done.stdout + done.stderr
    results = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    assert len(results) == 1, output
    return done.returncode, dict(pair.split("=", 1) for pair in results[0].split()[1:]), output


def test_killed_parts_cost_no_row_and_no_message() -> None:
    code, result, output = storm("--short")
    assert code == 0, output
    assert (result["missing"], result["duplicated"], result["reordered"]) == ("0", "0", "0"), output
    assert (result["lost_rows"], result["duplicated_rows"]) == ("0", "0"), output
    assert int(result["rows"]) > 50_000
    assert int(result["messages"]) > 25_000
    assert int(result["faults"]) >= 5


def test_dropped_and_doubled_blocks_and_messages_are_seen() -> None:
    code, result, output = storm("--lie")
    assert code == 1, output
    for name in ("lost_rows", "duplicated_rows", "missing", "duplicated", "reordered"):
        assert int(result[name]) > 0, output
