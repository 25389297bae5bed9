# SPDX-License-Identifier: Apache-2.0
"""What an audit states of the brokers' request rows: counts, losses, and times that no count covers."""

from datetime import UTC, datetime, timedelta

from clickhouse_connect.driver.client import Client

from tailrace.audit.partition_inputs import records
from tailrace.audit.requests import Requests, request_lines
from tailrace.queries.ask import rows

RUN = "request-rows"
START = datetime(2026, 1, 15, 10, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def requests(*intervals: tuple[float, float], recorded: int = 100, lost: int = 0, stored: int = 100) -> Requests:
    covered = tuple((at(start), at(end)) for start, end in intervals)
    reasons = {"memory_full": lost} if lost else {}
    return Requests(32769, (1,), recorded, lost, reasons, stored, covered, at(10), at(50))


def test_intervals_that_follow_each_other_leave_no_gap() -> None:
    (line,) = request_lines([requests((0, 20), (20, 45), (45, 60))])
    assert line == "request rows of broker 1: recorded 100, lost 0, stored 100"


def test_losses_are_shown_with_their_reason() -> None:
    (line,) = request_lines([requests((0, 60), lost=7, stored=93)])
    assert line.endswith("recorded 100, lost 7 (memory_full 7), stored 93")


def test_a_killed_broker_leaves_a_gap_and_rows_that_are_counted_and_not_stored() -> None:
    counts, gap = request_lines([requests((0, 20), (30, 60), stored=88)])
    assert "at least 12 were in memory when the broker was killed" in counts
    assert "those from 10:00:20.000000 to 10:00:30.000000 UTC may be missing" in gap


def test_a_broker_that_did_not_come_back_and_one_that_came_late() -> None:
    assert requests((0, 20)).gaps == [(at(20), at(50))]
    assert requests((15, 60)).gaps == [(at(10), at(15))]
    assert requests((0, 60), (60, 70)).gaps == []


def test_a_broker_without_the_agent_beside_one_with_it_is_named() -> None:
    none = requests(recorded=0, stored=0)
    assert list(request_lines([none])) == []
    assert len(list(request_lines([none, requests((0, 60))]))) == 3


def test_the_query_reads_counts_rows_and_leaders(client: Client) -> None:
    columns = ("run_id", "worker", "stream", "kind", "reason", "events", "from_time", "to_time")
    ledger = [
        [RUN, 32769, "broker_requests", "recorded", "", 3, at(0), at(20)],
        [RUN, 32769, "broker_requests", "recorded", "", 2, at(20), at(60)],
        [RUN, 32769, "broker_requests", "lost", "memory_full", 1, at(30), at(31)],
    ]
    client.insert("ledger", ledger, column_names=columns)
    stored = [[RUN, 32769, 1, "fetch", "t", 0, offset, at(11)] for offset in range(4)]
    columns = ("run_id", "worker", "broker", "api", "topic", "partition", "offset", "read_time")
    client.insert("broker_requests", stored, column_names=columns)
    columns = ("run_id", "worker", "time", "topic", "partition", "leader")
    client.insert("partition_leaders", [[RUN, 0, at(5), "t", 0, 2]], column_names=columns)
    columns = ("run_id", "topic", "partition", "offset", "intended_time", "ack_time")
    client.insert("publishes", [[RUN, "t", 0, 0, at(10), at(50)]], column_names=columns)
    one, two = records(Requests, rows(client, "audit_requests", run_id=RUN))
    assert (one.brokers, one.recorded, one.lost, one.stored, one.lost_reasons) == ((1,), 5, 1, 4, {"memory_full": 1})
    assert one.gaps == []
    assert (two.brokers, two.recorded, two.stored, two.gaps) == ((2,), 0, 0, [(at(10), at(50))])


def test_rows_of_requests_that_were_lost_are_no_lost_messages(client: Client) -> None:
    run_id = "request-rows-lost"
    client.insert("runs", [[run_id, "finished"]], column_names=("run_id", "state"))
    columns = ("run_id", "worker", "stream", "kind", "reason", "events")
    lost = [
        [run_id, 0, "publishes", "lost", "memory_full", 2],
        [run_id, 32769, "broker_requests", "lost", "memory_full", 40],
    ]
    client.insert("ledger", lost, column_names=columns)
    for query in ("run_summary", "run_summary_rollup"):
        assert [row["lost"] for row in rows(client, query, run_id=run_id)] == [2], query
    assert sum(row["lost"] for row in rows(client, "audit_counts", run_id=run_id)) == 2
    (counted,) = records(Requests, rows(client, "audit_requests", run_id=run_id))
    assert counted.lost == 40
