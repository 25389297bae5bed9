# SPDX-License-Identifier: Apache-2.0
"""The audit of transactions: all or none, as the outcome states; each planted anomaly is found once."""

from collections import Counter
from collections.abc import Callable

import pytest
from audited import assert_fails, logs, verdict
from click.testing import Result
from clickhouse_connect.driver.client import Client

from lab.simulated.transacted import ABORTED, IN_DOUBT, SIZE, Transacted

Tailrace = Callable[..., Result]
KINDS = {"torn", "committed_lost", "aborted_read", "unrecorded", "begun"}
PLANTED = (0, 30)


@pytest.fixture
def run(request: pytest.FixtureRequest) -> Transacted:
    return Transacted(request.node.name)


def found(client: Client, run: Transacted) -> Counter[str]:
    """Failures about transactions by kind."""
    failures = verdict(client, run.run_id)["failures"]
    assert isinstance(failures, list)
    return Counter(each["check"] for each in failures if each["check"] in KINDS)


def passes(tailrace: Tailrace, run: Transacted) -> str:
    result = tailrace("audit", run.run_id)
    assert result.exit_code == 0, result.output
    assert "\naudit=pass\n" in result.stdout
    return result.stdout


def test_a_clean_run_has_no_finding(tailrace: Tailrace, client: Client, run: Transacted) -> None:
    run.end((0, 7), ABORTED, read=False)
    run.end((1, 20), ABORTED, read=False)
    run.insert(client)
    output = passes(tailrace, run)
    assert "in doubt" not in output
    assert "note: subscription 0: 20 messages acknowledged were in aborted transactions" in output
    assert found(client, run) == {}


def test_part_of_a_transaction_is_torn(tailrace: Tailrace, client: Client, run: Transacted) -> None:
    run.lose([m for m in run.messages(PLANTED) if m.partition == 1])
    run.insert(client)
    first = "first: producer 0 transaction 30, committed at"
    output = assert_fails(tailrace, client, run, "torn", first)
    assert "5 of 10 messages received, sequence 300 to 309, the first at 0@300" in output
    assert found(client, run) == {"torn": 1}


def test_a_committed_transaction_that_none_received_is_lost(
    tailrace: Tailrace, client: Client, run: Transacted
) -> None:
    run.lose(run.messages(PLANTED))
    run.insert(client)
    output = assert_fails(tailrace, client, run, "committed_lost", "committed_lost is 1, expected 0")
    assert "producer 0 transaction 30, committed" in output
    assert found(client, run) == {"committed_lost": 1}


def test_the_last_transaction_is_lost_too_when_groups_read_to_the_end(
    tailrace: Tailrace, client: Client, run: Transacted
) -> None:
    last = run.transaction(run.published[-1])
    run.lose(run.messages(last))
    run.insert(client)
    assert_fails(tailrace, client, run, "committed_lost", f"producer {last[0]} transaction {last[1]}")


@pytest.mark.parametrize("read", [1, SIZE])
def test_an_aborted_transaction_that_was_read(tailrace: Tailrace, client: Client, read: int) -> None:
    run = Transacted(f"aborted-read-{read}")
    run.end(PLANTED, ABORTED, read=True)
    run.lose(run.messages(PLANTED)[read:])
    run.insert(client)
    output = assert_fails(tailrace, client, run, "aborted_read", "aborted_read is 1, expected 0")
    assert f"{read} of 10 messages received" in output
    assert found(client, run) == {"aborted_read": 1}


def test_a_group_that_reads_uncommitted_messages_may_read_it(
    tailrace: Tailrace, client: Client, run: Transacted
) -> None:
    run.isolation = "read_uncommitted"
    run.end(PLANTED, ABORTED, read=True)
    run.insert(client)
    assert "10 messages of 1 aborted transactions were received, as the group reads uncommitted" in passes(
        tailrace, run
    )


def test_in_doubt_is_all_or_none(tailrace: Tailrace, client: Client, run: Transacted) -> None:
    run.end((0, 30), IN_DOUBT, read=True)
    run.end((0, 40), IN_DOUBT, read=False)
    run.end((1, 41), IN_DOUBT, read=False)
    run.end((1, 42), ABORTED, read=False)
    run.insert(client)
    output = passes(tailrace, run)
    assert "note: subscription 0: 3 transactions in doubt: 1 turned out committed, 2 aborted" in output
    assert "subscription 0: 20 messages acknowledged were in transactions in doubt, and were not received" in output
    assert "subscription 0: 10 messages acknowledged were in aborted transactions" in output


def test_in_doubt_in_part_is_torn(tailrace: Tailrace, client: Client, run: Transacted) -> None:
    run.end(PLANTED, IN_DOUBT, read=True)
    run.lose(run.messages(PLANTED)[:1])
    run.insert(client)
    assert_fails(tailrace, client, run, "torn", "transaction 30, in_doubt")
    assert found(client, run) == {"torn": 1}


def test_what_one_group_read_whole_was_committed_for_all(tailrace: Tailrace, client: Client) -> None:
    run = Transacted("two-groups", subscriptions=2)
    run.end(PLANTED, IN_DOUBT, read=True)
    run.lose(run.messages(PLANTED), subscription=1)
    run.insert(client)
    output = assert_fails(tailrace, client, run, "committed_lost", "subscription 1: committed_lost is 1")
    assert "subscription 0: 1 transactions in doubt: 1 turned out committed, 0 aborted" in output
    assert found(client, run) == {"committed_lost": 1}


def test_what_a_cut_short_run_has_not_read_is_not_judged(tailrace: Tailrace, client: Client, run: Transacted) -> None:
    run.events.append((22, "error", "not_drained", "40 messages acknowledged were not received in time"))
    for partition in (0, 1):
        run.lose([m for m in run.published if m.partition == partition and m.offset >= 1083])
    run.lose(run.messages(PLANTED)[:1])
    run.insert(client)
    output = assert_fails(tailrace, client, run, "torn", "torn is 1, expected 0")
    assert "are not judged: the run was cut short before it had read them" in output
    assert found(client, run) == {"torn": 1}


def test_a_killed_load_generators_open_transaction_is_in_doubt(
    tailrace: Tailrace, client: Client, run: Transacted
) -> None:
    last = run.transaction(run.published[-1])
    run.unrecorded = {last}
    run.lose(run.messages(last))
    key = ("publishes", "lost", "killed")
    run.ledger[key], run.ledger_times[key] = 0, (run.published[-1].ack, run.published[-1].ack + 1)
    run.insert(client)
    line = "worker 0: 1 transactions were begun and have no outcome: in doubt, because the load generator was killed"
    output = assert_fails(tailrace, client, run, "killed", line)
    assert found(client, run) == {}
    assert "missing is" not in output


def test_lost_rows_explain_what_is_missing(tailrace: Tailrace, client: Client, run: Transacted) -> None:
    run.lose(run.messages(PLANTED)[:3])
    run.ledger["deliveries", "lost", "recorder_full"] = 3
    run.insert(client)
    output = assert_fails(tailrace, client, run, "lost", "3 rows of deliveries were lost")
    assert "unknown whether 1 transactions, 3 of 10 messages missing, were received whole" in output
    assert found(client, run) == {}


def test_messages_of_transactions_without_a_row_fail(tailrace: Tailrace, client: Client, run: Transacted) -> None:
    run.unrecorded = {PLANTED}
    run.insert(client)
    output = assert_fails(
        tailrace, client, run, "unrecorded", "10 messages were received of transactions without a row"
    )
    assert "worker 0: 1 transactions were begun and have no outcome" in output


def test_what_compaction_may_have_removed_does_not_tear_a_transaction(
    tailrace: Tailrace, client: Client, run: Transacted
) -> None:
    run.lose(run.messages(PLANTED)[3:5])
    compacted = {"cleanup.policy": "compact", "segment.bytes": "65536", "segment.ms": "604800000"}
    end = len(run.published) // 2
    logs(run, (end + 500, end + 500), settings=compacted)
    run.insert(client)
    output = passes(tailrace, run)
    # One of each partition.
    assert output.count("1 acknowledged messages were not received, and compaction may have removed them first") == 2
    stated = "unknown whether 1 transactions, 2 of 10 messages missing, were received whole: compaction may have"
    assert stated in output


def test_compaction_explains_no_more_than_is_missing_from_compacted_topics(
    tailrace: Tailrace, client: Client, run: Transacted
) -> None:
    run.lose(run.messages(PLANTED)[3:5])
    end = len(run.published) // 2
    logs(run, (end + 500, end + 500), settings={"cleanup.policy": "delete"})
    run.insert(client)
    assert_fails(tailrace, client, run, "torn", "torn is 1, expected 0")
