# SPDX-License-Identifier: Apache-2.0
"""A whole run on the real stack: broker, collector, warehouse and metrics, through the command."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from clickhouse_connect.driver.client import Client

from lab.stand.fixtures import MakeStack
from tailrace.api import REPO_ROOT, StackPaths, connect, stack_processes

pytestmark = pytest.mark.e2e

COMMAND = str(Path(sys.executable).with_name("tailrace"))
SMOKE = str(REPO_ROOT / "workloads" / "smoke.yaml")
TIMEOUT_S = 180.0
PARTITIONS = 4  # of smoke.yaml; each carries a message before the load begins
STAGES = ("publish", "publish_service", "publish_delay", "end_to_end")
UNSHIPPED = re.compile(r"^measure .* unshipped (\d+)")


@pytest.fixture(scope="module")
def client(stack: StackPaths) -> Client:
    return connect()


def tailrace(*arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    env = os.environ | variables
    return subprocess.run(
        [COMMAND, *arguments], capture_output=True, text=True, check=False, timeout=TIMEOUT_S, env=env
    )


def start(*arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [COMMAND, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def read_until(process: "subprocess.Popen[str]", pattern: str) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if re.search(pattern, line):
            return line
    raise AssertionError(f"ended without a line like '{pattern}': {process.communicate()}")


def eventually(check: Callable[[], bool], what: str, timeout_s: float = 30) -> None:
    deadline = time.monotonic() + timeout_s
    while not check():
        assert time.monotonic() < deadline, f"not within {timeout_s} s: {what}"
        time.sleep(0.05)


def result(output: str) -> dict[str, str]:
    last = output.rstrip("\n").splitlines()[-1]
    assert last.startswith("RESULT "), last
    return dict(pair.split("=", 1) for pair in last.split()[1:])


def one(client: Client, sql: str, run_id: str) -> Any:
    rows = client.query(sql, parameters={"r": run_id}).result_rows
    return rows[0][0] if len(rows[0]) == 1 else rows[0]


def of_run(client: Client, table: str, run_id: str) -> int:
    count = one(client, f"SELECT count() FROM {table} WHERE run_id = {{r:String}}", run_id)
    return int(count)


@pytest.fixture(scope="module")
def smoke(stack: StackPaths) -> "subprocess.CompletedProcess[str]":
    return tailrace("run", SMOKE, "--run-id", "smoke", TAILRACE_NO_FITNESS="")


def test_every_message_of_a_run_is_kept(smoke: "subprocess.CompletedProcess[str]", client: Client) -> None:
    assert smoke.returncode == 0, smoke.stdout + smoke.stderr
    printed = result(smoke.stdout)
    assert " ".join(printed) == (
        "audit sent acked received stored_publishes stored_deliveries e2e_p50_us e2e_p99_us report"
    )
    assert printed["audit"] == "pass"
    # 10 s at 1,000 messages a second, after one to try each partition.
    assert int(printed["sent"]) == 10_000 + PARTITIONS
    assert printed["sent"] == printed["acked"] == printed["received"]
    assert of_run(client, "v_publishes", "smoke") == int(printed["sent"])
    assert of_run(client, "v_deliveries", "smoke") == int(printed["sent"])
    p50, p99 = one(
        client,
        "SELECT sorted[toUInt64(ceil(length(sorted) * 50 / 100))],"
        " sorted[toUInt64(ceil(length(sorted) * 99 / 100))]"
        " FROM (SELECT arraySort(groupArray(end_to_end_us)) AS sorted FROM v_deliveries,"
        "  (SELECT start_time, end_time FROM v_phases"
        "  WHERE run_id = {r:String} AND phase = 'measure') AS measure"
        " WHERE run_id = {r:String} AND intended_time >= start_time AND intended_time < end_time)",
        "smoke",
    )
    assert int(printed["e2e_p50_us"]) == p50
    assert int(printed["e2e_p99_us"]) == p99


def test_the_run_has_its_manifest_metrics_report_and_log(
    smoke: "subprocess.CompletedProcess[str]", stack: StackPaths, client: Client
) -> None:
    state, manifest, driver = one(
        client, "SELECT state, manifest, driver FROM v_runs WHERE run_id = {r:String}", "smoke"
    )
    assert state == "finished"
    assert "acks=all" in driver
    facts = json.loads(manifest)
    assert [topic["partitions"] for topic in facts["plan"]["topics"]] == [PARTITIONS]
    assert facts["brokers"][0]["log_device"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", facts["versions"]["kafka_broker"])
    assert "unknown" not in facts["versions"].values()
    assert facts["host"]["memory_bytes"] > 2**30
    assert facts["command"].startswith("tailrace run ")
    checks = {check["name"]: check for check in facts["fitness"]["checks"]}
    assert checks["drive of broker 1, 4 KiB with O_DSYNC"]["value"].startswith("p50 ")
    # Every check that is over its limit is stated at the head, before the numbers.
    head = smoke.stdout.partition("smoke: finished")[2].partition("acked ")[0]
    assert all(name in head for name, check in checks.items() if check["fit"] is False)
    families = one(
        client,
        "SELECT uniq(metric), countIf(metric LIKE 'node_disk_%'), countIf(metric LIKE 'kafka_%'),"
        " countIf(metric LIKE 'tailrace_%') FROM v_host_metrics WHERE run_id = {r:String}",
        "smoke",
    )
    assert all(count > 0 for count in families), families
    folder = stack.runs / "smoke"
    assert (folder / "report.html").stat().st_size > 10_000
    assert result(smoke.stdout)["report"].endswith("runs/smoke/report.html")
    assert "measure" in (folder / "loadgen.log").read_text()


def test_a_deleted_block_fails_the_audit(smoke: "subprocess.CompletedProcess[str]", client: Client) -> None:
    assert tailrace("audit", "smoke").returncode == 0
    client.command(
        "ALTER TABLE publishes DELETE WHERE run_id = 'smoke' AND partition = 1 AND offset BETWEEN 100 AND 199",
        settings={"mutations_sync": 1},
    )
    audit = tailrace("audit", "smoke")
    assert audit.returncode == 1
    assert "audit=fail" in audit.stdout
    assert "worker 0 publishes: stored rows is 9904, expected 10004" in audit.stdout
    assert "100 messages were received whose sends were neither acknowledged nor failed" in audit.stdout
    assert "(smoke-0000000/1: offset 100; offset 101; offset 102;" in audit.stdout


def part(stack: StackPaths, name: str) -> psutil.Process | None:
    for process in stack_processes(stack.state):
        try:
            if process.name() == name:
                return process
        except psutil.NoSuchProcess:
            continue
    return None


def wait_unshipped(process: "subprocess.Popen[str]", rows: int) -> None:
    """Until the progress shows that many unconfirmed rows."""
    shown = 0
    while shown < rows:
        match = UNSHIPPED.match(read_until(process, UNSHIPPED.pattern))
        assert match is not None
        shown = int(match[1])


def test_a_collector_killed_twice_with_rows_in_flight_loses_nothing(
    stack: StackPaths, client: Client, tmp_path: Path
) -> None:
    workload = tmp_path / "longer.yaml"
    text = Path(SMOKE).read_text().replace("payloadFile: payload/payload-1Kb.data\n", "")
    workload.write_text(text.replace("testDuration: 8s", "testDuration: 28s"))
    process = start("run", str(workload), "--run-id", "killed", "--no-report")
    store = part(stack, "tailrace-warehouse")
    assert store is not None
    killed: set[int] = set()
    try:
        for second in ("01", "14"):
            read_until(process, rf"^measure 00:{second}")

            def fresh() -> bool:
                found = part(stack, "tailrace-collector")
                return found is not None and found.pid not in killed

            eventually(fresh, "the supervisor starts the collector again")
            victim = part(stack, "tailrace-collector")
            assert victim is not None
            store.suspend()
            # Two seconds' worth: two rows a message, 1,000 messages a second.
            wait_unshipped(process, 4_000)
            killed.add(victim.pid)
            victim.kill()
            store.resume()
    finally:
        store.resume()
    output, errors = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0, output + errors
    assert len(killed) == 2
    printed = result(output)
    assert printed["audit"] == "pass"
    assert printed["sent"] == printed["stored_publishes"] == printed["stored_deliveries"] == "30004"
    assert of_run(client, "v_publishes", "killed") == 30_004
    # Nor does any rollup count a row twice or not at all.
    rolled = client.query(
        "SELECT stage, sum(events) FROM v_latency_1s WHERE run_id = 'killed' GROUP BY stage"
    ).result_rows
    assert dict(rolled) == dict.fromkeys(STAGES, 30_004)
    rolled = client.query(
        "SELECT stage, sum(events) FROM v_throughput_1s WHERE run_id = 'killed' GROUP BY stage"
    ).result_rows
    assert dict(rolled) == dict.fromkeys(("acked", "received"), 30_004)


def test_ctrl_c_stops_in_order(stack: StackPaths, client: Client) -> None:
    process = start("run", SMOKE, "--run-id", "stopped", "--no-report")
    read_until(process, r"^measure 00:02")
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 130, output + errors
    assert one(client, "SELECT state FROM v_runs WHERE run_id = {r:String}", "stopped") == ("interrupted")
    # It shipped what it had before it left.
    stored = of_run(client, "v_publishes", "stopped")
    assert 0 < stored < 10_000
    sent = "SELECT sum(events) FROM v_ledger WHERE run_id = {r:String} AND kind = 'acked'"
    assert one(client, sent, "stopped") == stored
    assert [p for p in psutil.process_iter(["cmdline"]) if "stopped" in (p.info["cmdline"] or [])] == []
    # The broker renames the folder of a partition at once when its topic is deleted.
    folder = stack.data / "kafka"
    topic = re.compile(r"stopped-\d+-\d+")
    eventually(
        lambda: not [path for path in folder.iterdir() if topic.fullmatch(path.name)],
        "the topic is deleted",
    )


BAD = {
    "an unknown key": ("producerRat: 5\n", [], ["producerRat", "producerRate"]),
    "a broker that is not there": ("", ["--bootstrap-servers", "127.0.0.1:1"], ["127.0.0.1:1"]),
}


@pytest.mark.parametrize(("extra", "arguments", "printed"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_exit_code_2(
    stack: StackPaths, tmp_path: Path, extra: str, arguments: list[str], printed: list[str]
) -> None:
    workload = tmp_path / "bad.yaml"
    text = Path(SMOKE).read_text().replace("payloadFile: payload/payload-1Kb.data\n", "")
    workload.write_text(text + extra)
    done = tailrace("run", str(workload), *arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "RESULT" not in done.stdout
    for word in printed:
        assert word in done.stderr


def test_more_replicas_than_brokers_is_exit_code_2(stack: StackPaths, tmp_path: Path) -> None:
    driver = tmp_path / "driver.yaml"
    text = (REPO_ROOT / "workloads" / "drivers" / "kafka.yaml").read_text()
    driver.write_text(text.replace("replicationFactor: 1", "replicationFactor: 3"))
    done = tailrace("run", SMOKE, "--driver", str(driver))
    assert done.returncode == 2, done.stdout + done.stderr
    assert "replicationFactor" in done.stderr or "replication factor" in done.stderr


def test_a_run_id_is_used_once(smoke: "subprocess.CompletedProcess[str]") -> None:
    done = tailrace("run", SMOKE, "--run-id", "smoke")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "--run-id smoke" in done.stderr


def test_without_a_stack_nothing_starts(
    make_stack: MakeStack,
) -> None:
    env = os.environ | make_stack("never-up").variables
    done = subprocess.run([COMMAND, "run", SMOKE], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "tailrace up" in done.stderr
