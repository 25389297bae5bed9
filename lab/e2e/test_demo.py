# SPDX-License-Identifier: Apache-2.0
"""The first command of the README: that it fits the machine, and what happens to those who interrupt it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from clickhouse_connect.driver.client import Client

from lab.stand.fixtures import MakeStack
from tailrace.api import REPO_ROOT, StackPaths, connect, stack_processes

pytestmark = pytest.mark.e2e

COMMAND = str(Path(sys.executable).with_name("tailrace"))
SMOKE = str(REPO_ROOT / "workloads" / "smoke.yaml")
TIMEOUT_S = 180.0
# A machine with time to spare has a p99 far below this.
NOISY_P99_US = 100_000
# Calibration, warm-up, a minute, the report.
DEMO_TIMEOUT_S = 400.0
# 10,000 messages, and one to try each of the 4 partitions.
RESULT = re.compile(
    r"RESULT audit=pass sent=10004 acked=10004 received=10004 stored_publishes=10004"
    r" stored_deliveries=10004 e2e_p50_us=\d+ e2e_p99_us=\d+ report=\S+/report\.html"
)
CALIBRATED = re.compile(
    r"^this machine carries some ([\d,]+) messages/s of 1 KiB, each synced to the drive; the demo sends ([\d,]+)/s",
    re.M,
)
DEMO_RESULT = re.compile(
    r"RESULT audit=pass sent=(?P<sent>\d+) .* report=\S+/(?P<run>demo-[\w-]+)/report\.html episode=(?P<cause>\w+)"
)
LEFT = """
SELECT (SELECT count() FROM v_run_events WHERE endsWith(run_id, '-calibration'))
     + (SELECT count() FROM v_publishes WHERE endsWith(run_id, '-calibration'))
     + (SELECT count() FROM v_runs WHERE endsWith(run_id, '-calibration'))
"""


def tailrace(
    place: dict[str, str], *arguments: str, timeout_s: float = TIMEOUT_S
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [COMMAND, *arguments],
        env=os.environ | place,
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout_s,
    )


def started(place: dict[str, str], *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [COMMAND, *arguments],
        env=os.environ | place,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def read_until(process: "subprocess.Popen[str]", pattern: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if re.search(pattern, line):
            return
    raise AssertionError(f"ended without a line like '{pattern}': {process.communicate()}")


def test_demo_starts_runs_and_stops_and_lets_nobody_measure_beside_it(
    make_stack: MakeStack,
) -> None:
    place = make_stack("demo").variables
    paths = StackPaths.load(place)
    with started(place, "demo", SMOKE) as demo:
        read_until(demo, "^measure 00:0")
        beside = tailrace(place, "run", SMOKE)
        another = tailrace(place, "demo", SMOKE)
        output, errors = demo.communicate(timeout=TIMEOUT_S)
    for refused in (beside, another):
        assert refused.returncode == 2
        assert re.fullmatch(
            r"Error: run smoke-\S+ \(process \d+\) is measuring on this stack; wait for it, or set"
            r" TAILRACE_STATE and TAILRACE_PORTS for a separate stack\n",
            refused.stderr,
        )
    assert demo.returncode == 0, output + errors
    assert RESULT.fullmatch(output.splitlines()[-1])
    assert stack_processes(paths.state) == []


@pytest.mark.alone
def test_the_demo_fits_the_machine_and_explain_names_the_neighbour(stack: StackPaths) -> None:
    done = tailrace({}, "demo", timeout_s=DEMO_TIMEOUT_S)
    assert done.returncode == 0, done.stdout + done.stderr
    fitted = CALIBRATED.search(done.stdout)
    assert fitted, done.stdout
    carried, rate = (int(number.replace(",", "")) for number in fitted.groups())
    # Both numbers have two digits.
    assert rate <= min(20_000, max(100, 0.28 * carried))
    result = DEMO_RESULT.fullmatch(done.stdout.splitlines()[-1])
    assert result, done.stdout
    # The warm-up ends when the load is steady, after 34 to 75 s; one message tries each of the 16 partitions.
    assert 94 * rate + 16 <= int(result["sent"]) <= 137 * rate + 16
    assert "for 10 s a neighbour writes and syncs on the broker's drive" in done.stdout
    explained = json.loads(tailrace({}, "explain", result["run"], "--json").stdout)
    # Beside other work on this machine, latency without the neighbour may be as high as with it; it is never another
    # cause.
    noisy = explained["baseline"]["publish"]["p99_us"] > NOISY_P99_US
    assert result["cause"] in ("drive_neighbour", *(["none"] if noisy else [])), done.stdout
    client: Client = connect()
    (start, end), measure = client.query(
        "SELECT (toUnixTimestamp(time), JSONExtractFloat(detail, 'end')),"
        " (SELECT toUnixTimestamp(start_time) FROM v_phases WHERE run_id = {run:String} AND phase = 'measure')"
        " FROM v_run_events WHERE run_id = {run:String} AND kind = 'mark'",
        parameters={"run": result["run"]},
    ).result_rows[0]
    assert 20 <= start - measure <= 35
    assert 9 <= end - start <= 30
    assert client.query(LEFT).result_rows == [(0,)]
    assert list(stack.runs.glob("*/topics.json")) == []
    assert list((stack.data / "kafka").glob(".demo-neighbour*")) == []


def test_a_run_whose_command_was_killed_is_closed_by_the_next(stack: StackPaths) -> None:
    client: Client = connect()
    process = started({}, "run", SMOKE, "--run-id", "orphan", "--no-report")
    read_until(process, "^measure 00:02")
    children = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.communicate()
    psutil.wait_procs(children, timeout=60)
    assert [child for child in children if child.is_running()] == []

    again = tailrace({}, "run", SMOKE, "--run-id", "after-orphan", "--no-report")
    assert again.returncode == 0, again.stdout + again.stderr
    assert re.search("run orphan: its command was killed; closed as (finished|interrupted)", again.stdout)
    state, finished, samples = client.query(
        "SELECT state, finished_time > started_time,"
        " (SELECT count() FROM v_host_metrics WHERE run_id = 'orphan')"
        " FROM v_runs WHERE run_id = 'orphan'"
    ).result_rows[0]
    assert state in ("finished", "interrupted")
    assert finished
    assert samples > 0
    assert tailrace({}, "audit", "orphan").stdout.count("audit=pass") == 1
