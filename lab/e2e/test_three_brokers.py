# SPDX-License-Identifier: Apache-2.0
"""A stack of three brokers: replicated runs, also while a broker is killed, and nothing left behind."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from lab.stand.fixtures import MakeStack
from lab.stand.stack import StackStand
from tailrace.api import REPO_ROOT, connect

pytestmark = pytest.mark.e2e

COMMAND = str(Path(sys.executable).with_name("tailrace"))
SMOKE = REPO_ROOT / "workloads" / "smoke.yaml"
BROKERS = {1, 2, 3}
KILLED = 2
TIMEOUT_S = 400.0
# Long enough for a broker's session to time out (9 s) and for messages after it.
SECONDS = 40


@pytest.fixture(scope="module")
def stand(make_stack: MakeStack) -> Iterator[StackStand]:
    with make_stack("three", brokers=3) as started:
        yield started


@pytest.fixture(scope="module")
def client(stand: StackStand) -> Client:
    return connect(stand.endpoints)


def tailrace(stand: StackStand, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [COMMAND, *arguments],
        env=os.environ | stand.variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )


def rows(client: Client, sql: str, run_id: str) -> list[Any]:
    return list(client.query(sql, parameters={"r": run_id}).result_rows)


def test_a_run_without_a_driver_file_is_replicated_and_measured_by_broker(stand: StackStand, client: Client) -> None:
    done = tailrace(stand, "run", str(SMOKE), "--run-id", "replicated")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "RESULT audit=pass" in done.stdout
    ((text,),) = rows(client, "SELECT manifest FROM v_runs WHERE run_id = {r:String}", "replicated")
    manifest = json.loads(text)
    assert manifest["plan"]["replication_factor"] == 3
    assert manifest["plan"]["topic_config"]["min.insync.replicas"] == "2"
    brokers = manifest["brokers"]
    assert {broker["id"] for broker in brokers} == BROKERS
    assert len({broker["log_dirs"][0] for broker in brokers}) == 3
    if (stand.paths.broker_data / "1.img").exists():
        assert len({broker["log_device"] for broker in brokers}) == 3

    # Each broker's own metrics: its JMX agent, its processes, its control group where it has one.
    measured = rows(
        client,
        "SELECT DISTINCT metric, toUInt8(labels['broker']) FROM v_host_metrics WHERE run_id = {r:String}"
        " AND (metric = 'kafka_broker_leaders' OR metric LIKE 'procprobe\\_%' AND labels['group'] = 'broker')",
        "replicated",
    )
    for metric in ("kafka_broker_leaders", "procprobe_cpu_seconds_total", "procprobe_pressure_up"):
        assert {broker for name, broker in measured if name == metric} == BROKERS
    led = rows(client, "SELECT DISTINCT leader FROM v_partition_leaders WHERE run_id = {r:String}", "replicated")
    assert {leader for (leader,) in led} == BROKERS


def test_a_killed_broker_moves_leaders_and_loses_nothing(stand: StackStand, client: Client, tmp_path: Path) -> None:
    text = SMOKE.read_text()
    text = re.sub(
        "testDuration: .*", f"testDuration: {SECONDS}s", re.sub("producerRate: .*", "producerRate: 200", text)
    )
    workload = tmp_path / "killed.yaml"
    workload.write_text(text.replace("payload/", f"{SMOKE.parent}/payload/"))
    with subprocess.Popen(
        [COMMAND, "run", str(workload), "--run-id", "killed", "--no-report"],
        env=os.environ | stand.variables,
        stdout=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stdout is not None
        next(line for line in run.stdout if line.startswith("measure 00:0"))
        assert tailrace(stand, "broker", "kill", str(KILLED)).returncode == 0
        shown = tailrace(stand, "broker", "status")
        assert shown.returncode == 1
        assert re.search(rf"^ *{KILLED} +stopped", shown.stdout, re.MULTILINE), shown.stdout
        # Nothing happens to a broker that does not run, so the run gets no second mark.
        assert tailrace(stand, "broker", "kill", str(KILLED)).stdout == f"broker {KILLED} was stopped already\n"
        output = run.stdout.read()
    # A broker that the user killed is no failure of the run; every acknowledged message was received.
    assert run.returncode == 0, output
    assert "RESULT audit=pass" in output
    marks = rows(client, "SELECT detail FROM v_run_events WHERE run_id = {r:String} AND kind = 'mark'", "killed")
    assert [json.loads(detail)["text"] for (detail,) in marks] == [f"broker {KILLED} killed"]
    leaders = rows(
        client,
        "SELECT partition, arrayMap(s -> s.2, arraySort(groupArray((time, leader)))) FROM v_partition_leaders"
        " WHERE run_id = {r:String} GROUP BY partition",
        "killed",
    )
    moved = [seen for _partition, seen in leaders if KILLED in seen]
    assert moved
    assert all(seen[-1] in BROKERS - {KILLED} for seen in moved), leaders
    assert all(seen == seen[:1] for _partition, seen in leaders if KILLED not in seen), leaders
    # A run may begin while a broker is down, and the broker comes back.
    assert tailrace(stand, "status").returncode == 0
    assert tailrace(stand, "broker", "start", str(KILLED)).returncode == 0
    assert tailrace(stand, "broker", "status").returncode == 0


def test_another_number_of_brokers_is_refused_in_one_line(stand: StackStand) -> None:
    refused = tailrace(stand, "up", "--brokers", "1")
    assert (refused.returncode, refused.stderr) == (
        2,
        "Error: the stack is up with 3 brokers, not 1; first: tailrace down\n",
    )
    assert tailrace(stand, "up").stdout == "The stack was up already, with 3 brokers.\n"


def test_down_leaves_no_process_drive_or_control_group(stand: StackStand) -> None:
    groups = [Path(file.read_text().strip()) for file in stand.paths.run.glob("broker-*/cgroup")]
    stopped = tailrace(stand, "down")
    assert stopped.returncode == 0, stopped.stderr
    assert stopped.stdout.endswith("The stack is down.\n")
    assert stand.processes() == []
    assert not any(group.exists() for group in groups)
    state = str(stand.paths.state)
    assert state not in Path("/proc/self/mounts").read_text()
    backing = Path("/sys/block").glob("loop*/loop/backing_file")
    assert not [file for file in backing if state in file.read_text()]
