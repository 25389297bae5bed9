# SPDX-License-Identifier: Apache-2.0
"""A load generator that is killed (SIGKILL), and what becomes of what it had recorded."""

import re
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from clickhouse_connect.driver.client import Client

from tailrace.api import REPO_ROOT, StackPaths, connect

pytestmark = pytest.mark.e2e

COMMAND = str(Path(sys.executable).with_name("tailrace"))
SMOKE = str(REPO_ROOT / "workloads" / "smoke.yaml")
TIMEOUT_S = 180.0


@pytest.fixture(scope="module")
def client(stack: StackPaths) -> Client:
    return connect()


def tailrace(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=False, timeout=TIMEOUT_S)


def killed_run(run_id: str, stack: StackPaths) -> Path:
    """Kill the load generator in the middle of a run; returns the spool it leaves."""
    spool = stack.runs / run_id / "spool"
    with subprocess.Popen(
        [COMMAND, "run", SMOKE, "--run-id", run_id, "--no-report"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if re.search(r"^measure 00:04", line):
                break
        generators = [
            found
            for found in psutil.process_iter(["cmdline"])
            if found.info["cmdline"] and {str(spool), "-jar"} <= set(found.info["cmdline"])
        ]
        assert len(generators) == 1
        generators[0].kill()
        _, errors = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 1, errors
    assert f"tailrace ship {spool}" in errors
    assert spool.is_dir()
    return spool


def assert_incomplete(client: Client, run_id: str) -> None:
    """Stored is recorded minus lost, and the audit reports how much is missing."""
    for stream in ("publishes", "deliveries"):
        stored = client.query(
            f"SELECT count() FROM v_{stream} WHERE run_id = {{r:String}}",
            parameters={"r": run_id},
        ).result_rows[0][0]
        recorded, lost = client.query(
            "SELECT sumIf(events, kind = 'recorded'), sumIf(events, kind = 'lost')"
            " FROM v_ledger WHERE run_id = {r:String} AND stream = {s:String}",
            parameters={"r": run_id, "s": stream},
        ).result_rows[0]
        assert stored == recorded - lost
        assert stored > 1000
    audit = tailrace("audit", run_id)
    assert audit.returncode == 1
    assert "incomplete: " in audit.stdout
    assert "killed" in audit.stdout
    assert "stored rows is" not in audit.stdout
    assert "ledger is missing" not in audit.stdout


def test_the_next_run_ships_what_a_killed_one_left(stack: StackPaths, client: Client) -> None:
    spool = killed_run("slain", stack)
    done = tailrace("run", SMOKE, "--run-id", "next", "--no-report")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "spool of slain: shipping its blocks" in done.stdout
    assert "spool of slain: done" in done.stdout
    assert not spool.exists()
    assert not (stack.runs / "next" / "spool").exists()
    assert_incomplete(client, "slain")


def test_ship_stores_what_a_killed_run_left(stack: StackPaths, client: Client) -> None:
    spool = killed_run("cut", stack)
    done = tailrace("ship", str(spool))
    lost = re.search(r"(\d+) lost: killed", done.stdout)
    assert lost, done.stdout + done.stderr
    assert done.returncode == (1 if int(lost[1]) else 0), done.stdout + done.stderr
    assert not spool.exists()
    assert_incomplete(client, "cut")
    again = tailrace("ship", str(spool))
    assert again.returncode == 2
    assert again.stderr.count("\n") == 1
    assert "no spool there" in again.stderr
