# SPDX-License-Identifier: Apache-2.0
"""An emitter written from the contract alone gets its blocks stored once, or a refusal that states the fault."""

import io
import re
import time
from collections.abc import Iterator

import pytest
from clickhouse_connect.driver.client import Client
from emitter import Emitter, native

from lab.stand.collector import Collector
from lab.stand.warehouse import Warehouse
from tailrace.api import REPO_ROOT, audit_run, connect

CONTRACT = (REPO_ROOT / "docs" / "contracts" / "block.md").read_text(encoding="utf-8")
NOW = 1_795_176_000_000_000


def columns(stream: str) -> str:
    """A stream's row of the contract's table, without the backquotes."""
    found = re.search(rf"^\| `{stream}` \| (`run_id .*) \|$", CONTRACT, re.M)
    assert found is not None
    return found[1].replace("`", "")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    with Warehouse(tmp_path_factory.mktemp("warehouse")) as started:
        yield started


@pytest.fixture(scope="module")
def client(server: Warehouse) -> Client:
    return server.client


@pytest.fixture(scope="module")
def collector(server: Warehouse, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The real collector with the stack's configuration, in front of that warehouse; its receiver's URL."""
    with Collector(tmp_path_factory.mktemp("collector"), server) as started:
        yield started.url


def event(run_id: str, name: str, detail: str = "") -> tuple[int | str, ...]:
    return (run_id, 3, NOW, "phase", name, detail)


def test_the_example_of_the_contract_is_what_the_emitter_makes() -> None:
    example = CONTRACT.partition("### Example")[2].partition("```\n")[2].partition("```")[0]
    pairs = [re.match(r"(?:[0-9a-f]{2} ?)+", line) for line in example.splitlines()]
    expected = b"".join(bytes.fromhex(found[0]) for found in pairs if found is not None)
    rows = [
        ("demo-1", 0, NOW - 1, "phase", "warmup", ""),
        ("demo-1", 0, NOW, "phase", "measure", '{"rate": 20000}'),
    ]
    assert native(columns("run_events"), rows) == expected


def test_a_block_is_stored_once_however_often_it_is_sent(collector: str, client: Client) -> None:
    emitter = Emitter(collector, "python-1", 3)
    rows = [event("python-1", name, '{"é": "’"}') for name in ("warmup", "measure", "end")]
    for _ in range(3):
        answer = emitter.post("run_events", 0, columns("run_events"), rows, NOW * 1000)
        assert answer.status == 200, answer
    assert emitter.post("run_events", 1, columns("run_events"), rows[:1], NOW * 1000).status == 200
    stored = client.query(
        "SELECT name, worker, toUnixTimestamp64Micro(time), detail FROM v_run_events"
        " WHERE run_id = 'python-1' ORDER BY name"
    ).result_rows
    expected = [(str(row[4]), 3, NOW, '{"é": "’"}') for row in rows]
    assert sorted(stored) == sorted([*expected, expected[0]])


def test_messages_and_a_ledger_make_a_run_that_passes_the_audit(collector: str, client: Client) -> None:
    emitter = Emitter(collector, "python-2", 0)
    # More topics than a byte can number.
    sent = [("python-2", 0, 7, f"topic-{n % 300}", 0, n // 300, NOW, -5, NOW + n, 100) for n in range(900)]
    assert emitter.post("publishes", 0, columns("publishes"), sent, NOW * 1000).status == 200
    got = [(r[0], 0, 0, 1, 7, r[3], 0, r[5], NOW, NOW + 9, 100, -1, 0) for r in sent]
    assert emitter.post("deliveries", 0, columns("deliveries"), got, NOW * 1000).status == 200
    counts = [
        ("publishes", "sent"),
        ("publishes", "acked"),
        ("publishes", "recorded"),
        ("deliveries", "received"),
        ("deliveries", "recorded"),
    ]
    ledger = [("python-2", 0, stream, kind, "", 900, 0, 0) for stream, kind in counts]
    assert emitter.post("ledger", 0, columns("ledger"), ledger, NOW * 1000).status == 200
    rows = client.query(
        "SELECT uniqExact(topic), sum(publish_latency_us), min(publish_delay_us) FROM v_publishes"
        " WHERE run_id = 'python-2'"
    ).result_rows
    assert rows == [(300, sum(range(900)), -5)]
    counted = client.query("SELECT kind, sum(events) FROM v_ledger WHERE run_id = 'python-2' GROUP BY kind").result_rows
    assert dict(counted) == {"sent": 900, "acked": 900, "recorded": 1800, "received": 900}
    printed = io.StringIO()
    assert audit_run(client, "python-2", printed).passed, printed.getvalue()


def test_a_wrong_column_is_refused_with_both_lists(collector: str, client: Client) -> None:
    wrong = columns("run_events").replace("worker UInt16", "worker UInt32")
    answer = Emitter(collector, "python-3", 3).post("run_events", 0, wrong, [event("python-3", "warmup")], NOW * 1000)
    assert answer.status == 400
    assert wrong in answer.message
    assert columns("run_events") in answer.message
    assert "worker UInt32 instead of UInt16" in answer.message
    count = client.query("SELECT count() FROM v_run_events WHERE run_id = 'python-3'").result_rows
    assert count == [(0,)]


def test_an_unanswered_block_may_come_again_later(server: Warehouse, collector: str) -> None:
    """While the table is missing the collector answers retryable, not permanent."""
    with connect(server.endpoints) as client:
        client.command("RENAME TABLE partition_leaders TO partition_leaders_away")
        emitter = Emitter(collector, "python-4", 0)
        rows = [("python-4", 0, NOW, "t", 0, 1, "host")]
        assert emitter.post("partition_leaders", 0, columns("partition_leaders"), rows, 1).status == 503
        client.command("RENAME TABLE partition_leaders_away TO partition_leaders")
        deadline = time.monotonic() + 20
        while emitter.post("partition_leaders", 0, columns("partition_leaders"), rows, 1).status == 503:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        count = "SELECT count() FROM v_partition_leaders WHERE run_id = 'python-4'"
        assert client.query(count).result_rows == [(1,)]
