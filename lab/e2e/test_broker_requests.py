# SPDX-License-Identifier: Apache-2.0
"""A run against a broker with the agent: every message finds its request, and its stages add up to its latency."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from lab.stand.fixtures import MakeStack
from lab.stand.stack import StackStand
from lab.stand.waiting import until
from tailrace.api import REPO_ROOT, connect

pytestmark = pytest.mark.e2e

COMMAND = str(Path(sys.executable).with_name("tailrace"))
SMOKE = REPO_ROOT / "workloads" / "smoke.yaml"
RUN = "requests"
TIMEOUT_S = 400.0
# The agent ends its ledger 10 s after the last request of a run.
LEDGER_S = 120.0
REQUESTS = "SELECT count() FROM v_broker_requests WHERE run_id = {r:String}"
RECORDED = (
    "SELECT sumIf(events, kind = 'recorded') - sumIf(events, kind = 'lost')"
    " FROM v_ledger WHERE run_id = {r:String} AND stream = 'broker_requests'"
)
STAGES = (
    "SELECT count() AS messages, countIf(matched) AS found, countIf(publish_latency_us != schedule_us + client_us"
    " + request_queue_us + handler_us + append_us + lock_wait_us + segment_roll_us + log_flush_us + replication_us"
    " + throttle_us + response_queue_us + to_client_us + unattributed_us + not_measured_us) AS wrong,"
    " countIf(matched AND unattributed_us != 0) AS outside, min(append_us) AS append,"
    " groupUniqArray(broker) AS brokers FROM v_message_stages(run_id = {r:String})"
)
FETCHED = (
    "SELECT count() > 0 AND min(offset) = 0 AND countIf(replica != -1) = 0 FROM v_broker_requests"
    " WHERE run_id = {r:String} AND api = 'fetch' AND bytes > 0"
)


@pytest.fixture(scope="module")
def stand(make_stack: MakeStack) -> Iterator[StackStand]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAILRACE_BROKER_AGENT", "on")
        with make_stack("requests") as started:
            yield started


@pytest.fixture(scope="module")
def client(stand: StackStand) -> Client:
    return connect(stand.endpoints)


def tailrace(stand: StackStand, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [COMMAND, *arguments]
    environment = os.environ | stand.variables
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)


def value(client: Client, sql: str) -> Any:
    return client.query(sql, parameters={"r": RUN}).first_row[0]


def test_every_message_has_its_request_and_the_stages_add_up(stand: StackStand, client: Client) -> None:
    done = tailrace(stand, "run", str(SMOKE), "--run-id", RUN, "--no-report")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "RESULT audit=pass" in done.stdout
    until(lambda: value(client, RECORDED) > 0, "the agent's ledger is stored", LEDGER_S)
    found = client.query(STAGES, parameters={"r": RUN}).first_item
    assert found["messages"] == found["found"] > 0
    assert (found["wrong"], found["outside"]) == (0, 0)
    assert found["append"] >= 0
    assert found["brokers"] == [1]
    assert value(client, FETCHED) == 1


def test_stored_requests_are_those_that_the_agent_counted(client: Client) -> None:
    until(lambda: value(client, REQUESTS) == value(client, RECORDED), "ledger and rows are equal", LEDGER_S)


def test_a_deleted_run_leaves_no_requests(stand: StackStand, client: Client) -> None:
    done = tailrace(stand, "runs", "delete", RUN)
    assert done.returncode == 0, done.stdout + done.stderr
    assert value(client, REQUESTS) == 0
