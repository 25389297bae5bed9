# SPDX-License-Identifier: Apache-2.0
"""A campaign on the real stack: its points, a crash, and bounds that decide the exit code."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from clickhouse_connect.driver.client import Client

from tailrace.api import StackPaths, connect

pytestmark = pytest.mark.e2e

COMMAND = str(Path(sys.executable).with_name("tailrace"))
TIMEOUT_S = 240.0
WORKLOAD = """
name: sweep
topics: 1
partitionsPerTopic: 2
messageSize: 200
subscriptionsPerTopic: 1
producersPerTopic: 1
consumerPerSubscription: 1
warmupDuration: 0s
testDuration: 2s
producerRate: 100
"""
VARY = """
vary:
  - producerRate: [200, 400]
    driver.producerConfig.linger.ms: [0, 5]
"""


@pytest.fixture(scope="module")
def client(stack: StackPaths) -> Client:
    return connect()


def command(workload: Path, *more: str) -> list[str]:
    return [COMMAND, "run", str(workload), "--no-report", *more]


def tailrace(arguments: list[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)


def test_a_killed_campaign_goes_on_where_it_was(client: Client, tmp_path: Path) -> None:
    workload = tmp_path / "sweep.yaml"
    workload.write_text(WORKLOAD + VARY)
    with subprocess.Popen(command(workload), stdout=subprocess.PIPE, text=True, start_new_session=True) as first:
        assert first.stdout is not None
        seen = []
        for line in first.stdout:
            seen.append(line)
            # The second run has begun when its load generator prints the first line about it.
            if line.startswith("measure") and any(s.startswith("run 2 of 2") for s in seen):
                first.kill()
                break
    assert any(line.startswith("run 2 of 2: producerRate 400") for line in seen), seen

    second = tailrace(command(workload))
    assert second.returncode == 0, second.stdout + second.stderr
    assert "1 of 2 runs are done already" in second.stdout
    assert "run 1 of 2" not in second.stdout
    printed = re.search(r"^RESULT campaign=(\S+) runs=2 failed=0$", second.stdout, re.MULTILINE)
    assert printed, second.stdout
    rows = client.query(
        "SELECT JSONExtractRaw(manifest, 'campaign'),"
        " JSONExtractString(manifest, 'plan', 'producer_config', 'linger.ms')"
        " FROM v_runs WHERE startsWith(run_id, {name:String}) AND state = 'finished'"
        " ORDER BY started_time",
        parameters={"name": printed[1]},
    ).result_rows
    places = [json.loads(row[0]) for row in rows]
    assert [place["point"] for place in places] == [0, 1]
    assert places[1]["values"] == {"producerRate": "400", "driver.producerConfig.linger.ms": "5"}
    assert [row[1] for row in rows] == ["0", "5"]
    table = second.stdout[second.stdout.index("producerRate  driver") :].splitlines()
    assert [line.split()[:3] for line in table[1:3]] == [["200", "0", "pass"], ["400", "5", "pass"]]


def test_bounds_decide_the_exit_code(client: Client, tmp_path: Path) -> None:
    workload = tmp_path / "bounded.yaml"
    kept = "slo: {endToEnd.p99: 100s, published: 1/s, errorRate: 0, lost: 0}\n"
    workload.write_text(WORKLOAD + kept)
    good = tailrace(command(workload))
    assert good.returncode == 0, good.stdout + good.stderr
    assert good.stdout.rstrip().endswith("slo=kept")
    workload.write_text(WORKLOAD + kept.replace("1/s", "5k/s"))
    bad = tailrace(command(workload))
    assert bad.returncode == 1
    assert re.search(r"^published +at least 5k/s +\S+ +BROKEN$", bad.stdout, re.MULTILINE)
    assert "audit=pass" in bad.stdout
    assert bad.stdout.rstrip().endswith("slo=broken")


def test_every_repetition_is_a_run_of_its_own(client: Client, tmp_path: Path) -> None:
    workload = tmp_path / "again.yaml"
    workload.write_text(WORKLOAD + "repeat: 2\n")
    done = tailrace(command(workload, "--run-id", "again"))
    assert done.returncode == 0, done.stdout + done.stderr
    rows = client.query(
        "SELECT run_id, seed FROM v_runs WHERE startsWith(run_id, 'again-') ORDER BY run_id"
    ).result_rows
    assert [row[0] for row in rows] == ["again-1", "again-2"]
    assert rows[0][1] == rows[1][1]
