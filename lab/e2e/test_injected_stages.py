# SPDX-License-Identifier: Apache-2.0
"""A delay injected into the broker appears in exactly the stage that it is in: one run, one delay after the other."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from clickhouse_connect.driver.client import Client

from lab.stand import delays
from lab.stand.fixtures import MakeStack
from lab.stand.run import COMMAND, BackgroundRun
from lab.stand.stack import StackStand
from lab.stand.waiting import until
from tailrace.api import connect

pytestmark = pytest.mark.e2e

RUN = "injected"
DELAY_MS = 60
DELAY_US = DELAY_MS * 1000
PLACES = ("append", "request_queue", "client")
# Ten messages a second, so that none waits for another one; eight seconds of each delay.
WORKLOAD = """name: injected
topics: 1
partitionsPerTopic: 1
messageSize: 100
subscriptionsPerTopic: 0
producersPerTopic: 1
consumerPerSubscription: 0
producerRate: 10
warmupDuration: 3s
testDuration: 40s
"""
PLACE_S = 8.0
# At the edge of a delay a message may have a part of it.
EDGE_US = 600_000
MEDIANS = """
SELECT part.1, quantileExact(0.5)(part.2)
FROM v_message_stages(run_id = {r:String})
ARRAY JOIN [('schedule', schedule_us), ('client', client_us), ('throttle', throttle_us),
    ('request_queue', request_queue_us), ('lock_wait', lock_wait_us), ('segment_roll', segment_roll_us),
    ('append', append_us), ('log_flush', log_flush_us), ('handler', handler_us), ('replication', replication_us),
    ('response_queue', response_queue_us), ('to_client', to_client_us), ('unattributed', unattributed_us),
    ('not_measured', not_measured_us)] AS part
WHERE toUnixTimestamp64Micro(intended_time) BETWEEN {from:Int64} AND {to:Int64}
GROUP BY part.1
"""


@pytest.fixture(scope="module")
def stand(make_stack: MakeStack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[StackStand, Path]]:
    folder = tmp_path_factory.mktemp("delays")
    command = folder / "command"
    command.write_text("none 0", encoding="utf-8")
    started = make_stack("injected")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAILRACE_BROKER_AGENT", "on")
        patch.setenv("JAVA_TOOL_OPTIONS", delays.option(folder / "agent", command))
        started.start()
    with_delays = (started, command)
    yield with_delays
    started.stop()


@pytest.fixture(scope="module")
def client(stand: tuple[StackStand, Path]) -> Client:
    return connect(stand[0].endpoints)


@pytest.fixture(scope="module")
def medians(
    stand: tuple[StackStand, Path], client: Client, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, int]]:
    """The median time in each stage, by the delay that was injected; ``none`` without one."""
    started, command = stand
    folder = tmp_path_factory.mktemp("run")
    workload = folder / "injected.yaml"
    workload.write_text(WORKLOAD, encoding="utf-8")
    run = BackgroundRun([workload, "--run-id", RUN], folder / "output", os.environ | started.variables)
    run.wait_phase("measure", 120)
    spans = {}
    for place in ("none", *PLACES):
        command.write_text(f"{place} {DELAY_MS}", encoding="utf-8")
        began = time.time_ns() // 1000
        time.sleep(PLACE_S)  # the length of this delay's part of the run
        spans[place] = {"from": began + EDGE_US, "to": time.time_ns() // 1000 - EDGE_US}
    command.write_text("none 0", encoding="utf-8")
    assert run.wait(120) == 0, run.printed()
    sql = "SELECT count() > 0 FROM v_ledger WHERE run_id = {r:String} AND stream = 'broker_requests'"
    until(lambda: client.query(sql, parameters={"r": RUN}).first_row[0], "the agent's rows are stored", 60)
    return {
        place: dict(client.query(MEDIANS, parameters={"r": RUN, **span}).result_rows) for place, span in spans.items()
    }


@pytest.mark.parametrize("place", PLACES)
def test_a_delay_is_in_its_stage(medians: dict[str, dict[str, int]], place: str) -> None:
    grown = {stage: us - medians["none"][stage] for stage, us in medians[place].items()}
    assert grown[place] == pytest.approx(DELAY_US, rel=0.1), grown
    others = {stage: us for stage, us in grown.items() if stage != place}
    assert all(abs(us) < 0.1 * DELAY_US for us in others.values()), grown


def test_stages_prints_them(stand: tuple[StackStand, Path], medians: dict[str, dict[str, int]]) -> None:
    assert medians
    command = [COMMAND, "stages", RUN, "--by", "broker"]
    done = subprocess.run(
        command, env=os.environ | stand[0].variables, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "every message of the window has its stages" in done.stdout


def test_every_message_is_measured_and_adds_up(client: Client, medians: dict[str, dict[str, int]]) -> None:
    assert medians
    sql = (
        "SELECT countIf(NOT matched), countIf(publish_latency_us != schedule_us + client_us + throttle_us"
        " + request_queue_us + lock_wait_us + segment_roll_us + append_us + log_flush_us + handler_us + replication_us"
        " + response_queue_us + to_client_us + unattributed_us), count() > 300"
        " FROM v_message_stages(run_id = {r:String})"
    )
    assert client.query(sql, parameters={"r": RUN}).first_row == (0, 0, 1)
