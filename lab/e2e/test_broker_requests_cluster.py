# SPDX-License-Identifier: Apache-2.0
"""Request rows of three brokers: followers, TLS, transactions, acks=0, retries, and a broker that is killed."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from lab.stand.fixtures import MakeStack
from lab.stand.run import COMMAND, BackgroundRun
from lab.stand.stack import StackStand
from lab.stand.waiting import until
from tailrace.api import connect

pytestmark = pytest.mark.e2e

BROKERS = [1, 2, 3]
KILLED = 2
TIMEOUT_S = 300.0
SETTLED_S = 60.0
WORKLOAD = """
topics: 1
partitionsPerTopic: 6
messageSize: 200
subscriptionsPerTopic: 1
consumerPerSubscription: 1
producersPerTopic: 2
producerRate: {rate}
warmupDuration: 0s
testDuration: {seconds}s
drainTimeout: 60s
"""
DRIVER = """
name: requests
driverClass: io.openmessaging.benchmark.driver.kafka.KafkaBenchmarkDriver
replicationFactor: 3
topicConfig: |
  min.insync.replicas=2
commonConfig: |
  {common}
producerConfig: |
  {producer}
"""
FOUND = (
    "SELECT count() AS messages, countIf(matched) AS found, countIf(matched AND publish_latency_us != schedule_us"
    " + client_us + request_queue_us + handler_us + append_us + lock_wait_us + segment_roll_us + log_flush_us"
    " + replication_us + throttle_us + response_queue_us + to_client_us + unattributed_us) AS wrong,"
    " countIf(matched AND unattributed_us < 0) AS early, quantile(0.5)(replication_us) AS replication,"
    " arraySort(groupUniqArray(broker)) AS brokers FROM v_message_stages(run_id = {r:String})"
)
PRODUCED = (
    "SELECT count() AS requests, countIf(error != '') AS errors, sum(records) AS records,"
    " countIf(NOT match(client_id, '-producer-[0-9]+$')) AS other"
    " FROM v_broker_requests WHERE run_id = {r:String} AND api = 'produce'"
)
LEDGER = (
    "SELECT (SELECT sumIf(events, kind = 'recorded') - sumIf(events, kind = 'lost') FROM v_ledger"
    " WHERE run_id = {r:String} AND stream = 'broker_requests') AS counted,"
    " (SELECT count() FROM v_broker_requests WHERE run_id = {r:String}) AS stored"
)


@pytest.fixture(scope="module")
def stand(make_stack: MakeStack) -> Iterator[StackStand]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAILRACE_BROKER_AGENT", "on")
        with make_stack("agents", brokers=3) as started:
            yield started


@pytest.fixture(scope="module")
def client(stand: StackStand) -> Client:
    return connect(stand.endpoints)


def tailrace(stand: StackStand, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | stand.variables
    return subprocess.run(
        [COMMAND, *arguments], env=environment, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )


def one(client: Client, sql: str, run_id: str) -> dict[str, Any]:
    return dict(client.query(sql, parameters={"r": run_id}).first_item)


def arguments(
    folder: Path,
    run_id: str,
    seconds: int = 6,
    workload: str = "",
    common: str = "",
    producer: str = "acks=all",
    rate: int = 300,
) -> list[str]:
    files = {
        "workload": WORKLOAD.format(seconds=seconds, rate=rate) + workload,
        "driver": DRIVER.format(common=common, producer=producer),
    }
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text)
    return [str(folder / "workload.yaml"), "--driver", str(folder / "driver.yaml"), "--run-id", run_id]


def run(stand: StackStand, given: list[str], *more: str) -> str:
    done = tailrace(stand, "run", *given, "--no-report", *more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def settled(client: Client, run_id: str) -> None:
    def equal() -> bool:
        found = one(client, LEDGER, run_id)
        return bool(found["counted"] == found["stored"] > 0)

    until(equal, "the agents' ledgers and the rows are equal", SETTLED_S)


def test_followers_have_their_id_and_produce_requests_wait_for_them(
    stand: StackStand, client: Client, tmp_path: Path
) -> None:
    run(stand, arguments(tmp_path, "followed"))
    settled(client, "followed")
    found = one(client, FOUND, "followed")
    assert found["messages"] == found["found"] > 0
    assert (found["wrong"], found["early"]) == (0, 0)
    assert found["replication"] > 0
    assert found["brokers"] == BROKERS
    replicas = client.query(
        "SELECT arraySort(groupUniqArray(replica)), countIf(replica = broker) FROM v_broker_requests"
        " WHERE run_id = {r:String} AND api = 'fetch'",
        parameters={"r": "followed"},
    ).first_row
    assert replicas == ([-1, *BROKERS], 0)
    audited = tailrace(stand, "audit", "followed")
    assert audited.returncode == 0, audited.stdout
    for broker in BROKERS:
        assert re.search(rf"^request rows of broker {broker}: recorded (\d+), lost 0, stored \1$", audited.stdout, re.M)
    assert "may be missing" not in audited.stdout


def test_requests_by_tls_are_recorded(stand: StackStand, client: Client, tmp_path: Path) -> None:
    certificate = stand.paths.broker_certificate
    common = f"security.protocol=SSL\n  ssl.truststore.type=PEM\n  ssl.truststore.location={certificate}"
    given = arguments(tmp_path, "encrypted", common=common)
    run(stand, given, "--bootstrap-servers", stand.paths.broker_servers("TLS_PORT"))
    found = one(client, FOUND, "encrypted")
    assert found["messages"] == found["found"] > 0
    assert (found["wrong"], found["early"]) == (0, 0)


def test_messages_of_transactions_have_their_requests_aborted_ones_too(
    stand: StackStand, client: Client, tmp_path: Path
) -> None:
    workload = "transactions: {messages: 20, abortRatio: 30%}\n"
    run(stand, arguments(tmp_path, "transactional", workload=workload, rate=50))
    settled(client, "transactional")
    found = one(client, FOUND, "transactional")
    assert found["messages"] == found["found"] > 0
    assert found["wrong"] == 0
    # A control batch is no client's request, and has no row.
    produced = one(client, PRODUCED, "transactional")
    assert produced["records"] >= found["messages"]
    assert produced["other"] == 0


def test_without_acknowledgements_every_request_has_a_row(stand: StackStand, client: Client, tmp_path: Path) -> None:
    producer = "acks=0\n  enable.idempotence=false"
    run(stand, arguments(tmp_path, "unanswered", producer=producer))
    settled(client, "unanswered")
    sent = one(client, "SELECT count() AS messages FROM v_publishes WHERE run_id = {r:String}", "unanswered")
    produced = one(client, PRODUCED, "unanswered")
    assert produced["records"] >= sent["messages"] > 0
    assert produced["errors"] == 0


def test_a_killed_brokers_gap_is_known(stand: StackStand, client: Client, tmp_path: Path) -> None:
    given = arguments(tmp_path, "killed", seconds=45)
    running = BackgroundRun(given, tmp_path / "output.txt", os.environ | stand.variables)
    try:
        running.wait_phase("measure", TIMEOUT_S)
        time.sleep(8)  # so that the agent has shipped counts
        assert tailrace(stand, "broker", "kill", str(KILLED)).returncode == 0
        time.sleep(8)  # a part of the run without it
        assert tailrace(stand, "broker", "start", str(KILLED)).returncode == 0
        assert running.wait(TIMEOUT_S) == 0, running.printed()
    finally:
        running.kill()
    audited = tailrace(stand, "audit", "killed").stdout
    assert re.search(rf"^request rows of broker {KILLED}: those from .* may be missing", audited, re.M), audited
    others = [broker for broker in BROKERS if broker != KILLED]
    assert not re.search(rf"^request rows of broker {others}: those", audited, re.M), audited
    found = one(client, FOUND, "killed")
    # Those whose rows the broker had in memory have no stages; all others have.
    assert 0 < found["found"] <= found["messages"]
    assert found["messages"] - found["found"] < 300 * 3
    assert found["wrong"] == 0


def test_a_retry_of_a_stored_batch_still_adds_up(stand: StackStand, client: Client, tmp_path: Path) -> None:
    producer = "acks=all\n  request.timeout.ms=1500\n  delivery.timeout.ms=60000\n  linger.ms=0"
    given = arguments(tmp_path, "retried", seconds=15, producer=producer)
    running = BackgroundRun(given, tmp_path / "output.txt", os.environ | stand.variables)
    broker = stand.process("broker-1/server.properties")
    assert broker is not None
    try:
        running.wait_phase("measure", TIMEOUT_S)
        os.kill(broker.pid, signal.SIGSTOP)
        time.sleep(3)  # longer than the client waits for an answer
        os.kill(broker.pid, signal.SIGCONT)
        assert running.wait(TIMEOUT_S) == 0, running.printed()
    finally:
        os.kill(broker.pid, signal.SIGCONT)
        running.kill()
    settled(client, "retried")
    found = one(client, FOUND, "retried")
    assert found["messages"] == found["found"] > 0
    assert found["wrong"] == 0
