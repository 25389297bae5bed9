# SPDX-License-Identifier: Apache-2.0
"""Four load generators, one run: against three brokers, each message on all of them."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from clickhouse_connect.driver.client import Client

from lab.stand.kafka import KafkaCluster
from tailrace.api import StackPaths, connect

pytestmark = pytest.mark.e2e

COMMAND = str(Path(sys.executable).with_name("tailrace"))
WORKERS = 4
RATE, SECONDS, GROUPS = 800, 8, 2
MESSAGES = RATE * SECONDS
TIMEOUT_S = 240.0

SENT = (
    "SELECT worker, count(), uniqExact(producer) FROM v_publishes WHERE run_id = {r:String}"
    " AND intended_time >= (SELECT start_time FROM v_phases"
    "  WHERE run_id = {r:String} AND phase = 'measure')"
    " GROUP BY worker ORDER BY worker"
)
WORKLOAD = f"""
name: shared
topics: 2
partitionsPerTopic: 6
messageSize: 200
subscriptionsPerTopic: {GROUPS}
producersPerTopic: 4
consumerPerSubscription: 4
producerRate: {RATE}
warmupDuration: 0s
testDuration: {SECONDS}s
drainTimeout: 60s
seed: 42
"""
BACKLOG = """
warmupDuration: 1s
testDuration: 3s
backlog: {messages: 2000, drainTimeout: 60s}
cooldownDuration: 2s
"""
DRIVER = """
name: three
driverClass: io.openmessaging.benchmark.driver.kafka.KafkaBenchmarkDriver
replicationFactor: 3
topicConfig: min.insync.replicas=2
producerConfig: |
  acks=all
  linger.ms=1
consumerConfig: |
  auto.offset.reset=earliest
  enable.auto.commit=false
  session.timeout.ms=15000
  heartbeat.interval.ms=3000
"""


@pytest.fixture(scope="module")
def client(stack: StackPaths) -> Client:
    return connect()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    with KafkaCluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture
def command(cluster: KafkaCluster, tmp_path: Path) -> list[str]:
    (tmp_path / "workload.yaml").write_text(WORKLOAD)
    (tmp_path / "driver.yaml").write_text(DRIVER)
    return [
        *(COMMAND, "run", str(tmp_path / "workload.yaml")),
        *("--driver", str(tmp_path / "driver.yaml")),
        *("--bootstrap-servers", cluster.bootstrap_servers),
        *("--workers", str(WORKERS), "--no-report"),
    ]


def rows(client: Client, sql: str, run_id: str) -> list[tuple[int, ...]]:
    return [tuple(row) for row in client.query(sql, parameters={"r": run_id}).result_rows]


def printed(done: subprocess.CompletedProcess[str]) -> str:
    """What a run printed, without its progress, so that a shortened log keeps the reason."""
    return f"exit {done.returncode}\n" + re.sub(r"(?m)^\[\d\] .* sent .*\n", "", done.stdout + done.stderr)


def test_four_workers_are_one_run(command: list[str], client: Client) -> None:
    done = subprocess.run([*command, "--run-id", "four"], capture_output=True, text=True, timeout=TIMEOUT_S)
    assert done.returncode == 0, printed(done)
    result = dict(pair.split("=", 1) for pair in done.stdout.splitlines()[-1].split()[1:])
    assert result["audit"] == "pass"
    # Probes are messages too.
    assert int(result["sent"]) == int(result["acked"]) > MESSAGES
    assert int(result["received"]) == int(result["stored_deliveries"]) == GROUPS * int(result["sent"])
    # Two of the eight producers each, so a quarter of the messages.
    sent = rows(client, SENT, "four")
    assert sent == [(worker, MESSAGES // WORKERS, 2) for worker in range(WORKERS)]
    # They all began at one time.
    starts = rows(
        client,
        "SELECT uniqExact(time), uniqExact(worker) FROM v_run_events"
        " WHERE run_id = {r:String} AND kind = 'phase' AND name = 'measure'",
        "four",
    )
    assert starts == [(1, WORKERS)]
    # Worker 0 alone records the partition leaders, and all three brokers led some.
    leaders = rows(
        client,
        "SELECT count(), uniqExact(worker), uniqExact(leader) FROM v_partition_leaders WHERE run_id = {r:String}",
        "four",
    )
    assert leaders == [(12, 1, 3)]


def test_the_others_finish_when_a_worker_is_killed(command: list[str], stack: StackPaths, client: Client) -> None:
    spool = stack.runs / "three" / "spool-2"
    with subprocess.Popen(
        [*command, "--run-id", "three"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if re.match(r"\[2\] measure 00:0[4-9]", line):
                break
        (victim,) = [
            found
            for found in psutil.process_iter(["cmdline"])
            if {str(spool), "-jar"} <= set(found.info["cmdline"] or [])
        ]
        victim.kill()
        output, _ = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 1, output
    sent = {worker: messages for worker, messages, _ in rows(client, SENT, "three")}
    assert {worker: sent[worker] for worker in (0, 1, 3)} == dict.fromkeys((0, 1, 3), MESSAGES // WORKERS)
    state, audit = rows(client, "SELECT state, audit FROM v_runs WHERE run_id = {r:String}", "three")[0]
    assert state == "failed"
    verdict = json.loads(str(audit))
    assert verdict["verdict"] == "fail"
    # What it took with it is named, and it is the only one whose rows are incomplete.
    incomplete = {failure["where"] for failure in verdict["failures"] if "killed" in failure["text"]}
    assert incomplete
    assert {where.split()[1] for where in incomplete} == {"2"}, incomplete
    assert "worker 2" in output


def test_a_backlog_is_built_and_drained_by_all_workers_at_once(
    command: list[str], tmp_path: Path, client: Client
) -> None:
    file = tmp_path / "workload.yaml"
    lines = [line for line in WORKLOAD.splitlines() if not re.match("warmup|testDuration", line)]
    file.write_text("\n".join(lines) + BACKLOG)
    done = subprocess.run([*command, "--run-id", "backlog"], capture_output=True, text=True, timeout=TIMEOUT_S)
    assert done.returncode == 0, printed(done)
    turns = rows(
        client,
        "SELECT name, uniqExact(worker) FROM v_run_events"
        " WHERE run_id = {r:String} AND kind = 'phase'"
        " AND name IN ('backlog_build', 'backlog_drain', 'cooldown') GROUP BY name ORDER BY name",
        "backlog",
    )
    assert turns == [(name, WORKERS) for name in ("backlog_build", "backlog_drain", "cooldown")]
    # No worker had to decide alone: that would be recorded too.
    reached = rows(
        client,
        "SELECT name, uniqExact(worker) FROM v_run_events"
        " WHERE run_id = {r:String} AND kind = 'phase_end' GROUP BY name ORDER BY name",
        "backlog",
    )
    assert reached == [("backlog_built", WORKERS), ("backlog_drained", WORKERS)]


def test_the_others_end_after_their_phase_when_worker_0_is_killed(
    command: list[str], tmp_path: Path, stack: StackPaths, client: Client
) -> None:
    file = tmp_path / "workload.yaml"
    file.write_text(WORKLOAD.replace("warmupDuration: 0s", f"warmupDuration: {SECONDS}s"))
    spool = stack.runs / "leaderless" / "spool-0"
    with subprocess.Popen(
        [*command, "--run-id", "leaderless"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if re.match(r"\[0\] warmup 00:0[1-3]", line):
                break
        (leader,) = [
            found
            for found in psutil.process_iter(["cmdline"])
            if {str(spool), "-jar"} <= set(found.info["cmdline"] or [])
        ]
        leader.kill()
        output, _ = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 1, output
    # The phase was completed, and the next one did not begin.
    phases = rows(
        client,
        "SELECT name, uniqExact(worker) FROM v_run_events WHERE run_id = {r:String}"
        " AND kind = 'phase' AND worker > 0 AND name IN ('warmup', 'measure', 'end')"
        " GROUP BY name ORDER BY name",
        "leaderless",
    )
    assert phases == [("end", WORKERS - 1), ("warmup", WORKERS - 1)], output
    sent = rows(
        client,
        "SELECT worker, count() FROM v_publishes WHERE run_id = {r:String} AND worker > 0"
        " AND intended_time >= (SELECT min(time) FROM v_run_events"
        "  WHERE run_id = {r:String} AND kind = 'phase' AND name = 'warmup')"
        " GROUP BY worker ORDER BY worker",
        "leaderless",
    )
    assert sent == [(worker, MESSAGES // WORKERS) for worker in range(1, WORKERS)]
    # Each summary and the audit state why.
    for worker in range(1, WORKERS):
        summary = json.loads((stack.runs / "leaderless" / f"summary-{worker}.json").read_text())
        assert summary["exit"] == "failed"
        assert summary["failure"].startswith("worker 0 does not answer at http://127.0.0.1:")
    audit = rows(client, "SELECT audit FROM v_runs WHERE run_id = {r:String}", "leaderless")[0][0]
    (lost,) = [f for f in json.loads(str(audit))["failures"] if f["check"] == "leader_lost"]
    assert lost["actual"] == WORKERS - 1
