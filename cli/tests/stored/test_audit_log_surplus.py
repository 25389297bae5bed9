# SPDX-License-Identifier: Apache-2.0
"""Offsets of a log that no message of the run explains."""

from datetime import UTC, datetime

import pytest

from tailrace.audit.logs import Log, check_logs

NOW = datetime(2026, 1, 15, tzinfo=UTC)


def log(partition: int, end: int, *, groups: int = 0, acked: int = 100, failed: int = 0, highest: int = 99) -> Log:
    """A partition of the run's own topic with that end."""
    return Log(
        topic="t",
        partition=partition,
        groups=groups,
        existing=False,
        unanswered=False,
        transactions=False,
        acked=acked,
        most_bytes=acked * 300,
        failed=failed,
        received=acked if groups else 0,
        lowest=0 if acked else -1,
        highest=highest if acked else 0,
        begun=True,
        ended=True,
        first_offset=0,
        log_start=0,
        log_end=end,
        end_time=NOW,
        settings={},
    )


def found(*logs: Log, unknown: int = 0) -> list[tuple[str, int]]:
    failures, _notes = check_logs(logs, unknown, killed=False)
    return [(each.where, each.actual) for each in failures if each.check == "log_surplus"]


def test_failed_sends_explain_offsets_of_their_partition_alone() -> None:
    assert found(log(0, 103, failed=3), log(1, 100)) == []
    assert found(log(0, 103), log(1, 100, failed=3)) == [("t/0", 3)]


@pytest.mark.parametrize(("unknown", "failures"), [(2, [("t/0", 3)]), (3, [])])
def test_messages_of_unknown_partitions_explain_as_many_offsets(unknown: int, failures: list[tuple[str, int]]) -> None:
    assert found(log(0, 103), log(1, 100), unknown=unknown) == failures


def test_offsets_behind_the_last_message_that_a_group_received() -> None:
    assert found(log(0, 100, groups=1)) == []
    assert found(log(0, 103, groups=1)) == [("t/0", 3)]
    assert found(log(0, 103, groups=1, failed=3)) == []
    assert found(log(0, 2, groups=1, acked=0)) == [("t/0", 2)]


def test_what_a_group_received_without_acknowledgement_is_no_surplus() -> None:
    assert found(log(0, 103, groups=1, highest=102)) == []
