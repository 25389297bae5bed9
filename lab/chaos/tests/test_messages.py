# SPDX-License-Identifier: Apache-2.0
"""Each anomaly of messages is counted as what it is, and only what a round's faults can cause is allowed."""

import struct
from pathlib import Path

import numpy as np
import pytest

from lab.chaos.messages import JOURNALED, LOGGED, Allowed, Entries, Messages, Seen, compare, journaled

COUNTS = ("missing", "duplicated", "reordered", "redelivered", "unread")
# (partition, producer, offset, sequence); the intended send is 1,000 + sequence.
Message = tuple[int, int, int, int]
SECOND = 1_000_000
# Seconds 1 to 60: the broker went at any time, and the consumers ended.
ANY = Allowed(away=(0, 30 * SECOND), ended=60 * SECOND)
TEN: list[Message] = [(offset % 2, offset % 2, offset // 2, offset // 2) for offset in range(10)]


def journal(messages: list[Message]) -> Entries:
    """One entry each second."""
    rows = [
        (partition, producer, offset, 1_000 + sequence, (1 + second) * SECOND)
        for second, (partition, producer, offset, sequence) in enumerate(messages)
    ]
    return np.array(rows, JOURNALED)


def log(messages: list[Message]) -> Entries:
    rows = [(partition, producer, offset, 1_000 + number, number) for partition, producer, offset, number in messages]
    return np.array(rows, LOGGED)


def counted(
    acked: list[Message], received: list[Message], logged: list[Message], allowed: Allowed | None = None
) -> tuple[dict[str, int], list[str]]:
    ends = {
        partition: (0, 1 + max([m[2] for m in logged if m[0] == partition], default=-1))
        for partition in {m[0] for m in logged}
    }
    seen = Seen([journal(acked[::2]), journal(acked[1::2])], [journal(received)], log(logged), ends)
    found = compare(seen, allowed or Allowed())
    return {name: getattr(found, name) for name in COUNTS if getattr(found, name)}, found.notes


def test_what_was_acknowledged_logged_and_received_once_is_good() -> None:
    assert counted(TEN, TEN, TEN) == ({}, [])
    assert counted([], [], []) == ({}, [])


def test_an_acknowledged_message_that_the_log_does_not_have_is_missing() -> None:
    counts, notes = counted(TEN, TEN[:-1], TEN[:-1])
    assert counts == {"missing": 2}
    assert notes == [
        "1 messages were acknowledged and are not in the log",
        "1 messages were acknowledged and never received",
    ]


def test_another_message_at_its_offset_is_not_it() -> None:
    other = [*TEN[:-1], (1, 1, 4, 9)]
    assert counted(TEN, other, other)[0] == {"missing": 1}


def test_a_message_that_was_received_and_is_not_in_the_log_is_missing() -> None:
    assert counted(TEN[:-1], TEN, TEN[:-1])[0] == {"missing": 1}


def test_a_gap_in_the_log_is_noted() -> None:
    assert counted(TEN[2:], TEN[2:], TEN[2:])[1] == [
        "partition 0 has offsets 0 to 5 and 4 messages",
        "partition 1 has offsets 0 to 5 and 4 messages",
    ]


@pytest.mark.parametrize("allowed", [Allowed(), ANY])
def test_a_message_that_the_log_has_twice_is_duplicated_whatever_happened(allowed: Allowed) -> None:
    twice = [*TEN, (0, 0, 5, 2)]
    assert counted(twice, twice, twice, allowed)[0] == {"duplicated": 1}


def test_a_copy_in_another_partition_is_duplicated() -> None:
    copied = [*TEN, (1, 0, 5, 2)]
    assert counted(copied, copied, copied)[0] == {"duplicated": 1}


def test_a_log_that_goes_back_is_reordered() -> None:
    swapped = [*TEN[:-4], (0, 0, 3, 4), (1, 1, 3, 3), (0, 0, 4, 3), (1, 1, 4, 4)]
    assert counted(swapped, swapped, swapped)[0] == {"reordered": 1}


def test_what_was_not_read_at_the_end_is_allowed_where_the_consumers_were_ended() -> None:
    ended = Allowed(ended=6 * SECOND)
    assert counted(TEN, TEN[:-2], TEN, ended) == ({"unread": 2}, [])
    assert counted(TEN, TEN[:-2], TEN)[0] == {"missing": 2}
    assert counted(TEN, [], TEN, ended)[0] == {"unread": 10}


def test_what_was_acknowledged_long_before_the_end_is_missing_if_it_was_not_read() -> None:
    # Each of two recorders has an acknowledgement in seconds 1 to 5.
    ended = Allowed(ended=18 * SECOND)
    counts, notes = counted(TEN, [], TEN, ended)
    assert counts == {"missing": 4, "unread": 6}
    assert notes == ["4 messages were acknowledged long before the consumers ended, and never received"]
    # While the broker is away consumers cannot catch up.
    assert counted(TEN, [], TEN, Allowed(away=(10 * SECOND,), ended=18 * SECOND))[0] == {"unread": 10}


def test_a_gap_before_what_was_received_is_never_allowed() -> None:
    counts, notes = counted(TEN, TEN[:4] + TEN[5:], TEN, ANY)
    assert counts == {"missing": 1}
    assert notes == ["1 messages were acknowledged and not received, and later ones were"]


def test_a_message_that_was_received_again_is_allowed_where_the_broker_was_away() -> None:
    again = [*TEN, TEN[0], TEN[2], TEN[4]]
    assert counted(TEN, again, TEN, Allowed(away=(9 * SECOND,))) == ({"redelivered": 3}, [])
    assert counted(TEN, again, TEN)[0] == {"duplicated": 3}


def test_a_broker_that_was_away_explains_only_what_was_not_committed_then() -> None:
    # Received in seconds 1, 3 and 5, and again in 11, 12 and 13.
    again = [*TEN, TEN[0], TEN[2], TEN[4]]
    assert counted(TEN, again, TEN, Allowed(away=(11 * SECOND + 1,)))[0] == {"duplicated": 1, "redelivered": 2}
    twelve = (12 * SECOND + 1,)
    assert counted(TEN, again, TEN, Allowed(away=twelve))[0] == {"duplicated": 2, "redelivered": 1}
    # A minute after its return they read on.
    assert counted(TEN, again, TEN, Allowed(away=(-60 * SECOND,)))[0] == {"duplicated": 3}


def test_a_consumer_that_goes_back_is_reordered() -> None:
    back = [*TEN[2:], TEN[0], TEN[1]]
    assert counted(TEN, back, TEN, ANY)[0] == {"reordered": 2}


def test_messages_of_other_programs_are_not_compared() -> None:
    other = [*TEN, (0, -1, 5, -1), (0, -1, 6, -1)]
    assert counted(TEN, other, other) == ({}, [])


def test_the_file_of_a_killed_process_is_read_up_to_its_last_whole_entry(tmp_path: Path) -> None:
    whole = struct.pack("<iiqqq", 3, 7, 11, 1_000, 5) + struct.pack("<iiqqq", 3, 7, 12, 1_001, 6)
    torn = struct.pack("<iiqqq", 3, 7, 13, 1_002, 0)
    (tmp_path / "acked-0.messages").write_bytes(whole + torn + bytes(320))
    (tmp_path / "received-1.messages").write_bytes(bytes(320))
    (found,) = journaled(tmp_path, "acked")
    assert [tuple(entry) for entry in found.tolist()] == [(3, 7, 11, 1_000, 5), (3, 7, 12, 1_001, 6)]
    assert [len(each) for each in journaled(tmp_path, "received")] == [0]


def test_counts_are_added() -> None:
    total = Messages(messages=1, missing=2)
    total.add(Messages(messages=10, reordered=3))
    assert (total.messages, total.missing, total.reordered) == (11, 2, 3)
