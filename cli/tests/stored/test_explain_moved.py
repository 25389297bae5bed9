# SPDX-License-Identifier: Apache-2.0
"""Which of a long run's steps came together, and the words for their order."""

from datetime import UTC, datetime
from typing import Any

from tailrace.explain.long_gaps import PART_S, merged
from tailrace.explain.long_text import lead, order
from tailrace.explain.missing_metrics import sentences
from tailrace.explain.shifts import Series, Shift, group_steps, reach, shifts

POINT_S = 60
BEGIN_S = 1_768_471_200


def series(name: str) -> Series:
    return Series(name, "ms", "", "", -1, (), (), "")


def exact(name: str, at: int) -> Shift:
    return Shift(series(name), "step", at, at, at, 1, 2)


def about(name: str, at: int) -> Shift:
    return Shift(series(name), "step", at, at - POINT_S, at + POINT_S, 1, 2)


def hidden(name: str, first: int, last: int) -> Shift:
    return Shift(series(name), "step", first, first, last, 1, 2, hidden=True)


def names(group: list[Shift]) -> list[str]:
    return [each.series.name for each in group]


def test_a_step_known_to_a_point_is_never_negative_seconds_after() -> None:
    (group,) = group_steps([about("p90", 7200), exact("drive", 7220)], POINT_S)
    assert names(group) == ["drive", "p90"]
    assert [order(each, group) for each in group] == ["first", "about the same time"]
    assert lead(group) == "moved first"


def test_a_certainly_earlier_step_is_first_though_known_to_a_point_only() -> None:
    (group,) = group_steps([exact("drive", 7680), about("p90", 7260)], POINT_S)
    assert names(group) == ["p90", "drive"]
    assert order(group[1], group) == "about 420 s after the first"
    assert reach(group) == (7200, 7680)


def test_none_is_first_among_steps_known_to_a_point_only() -> None:
    (group,) = group_steps([about("p90", 7200), about("p99_9", 7260)], POINT_S)
    assert lead(group) == "moved"
    assert order(group[0], group).startswith("known to a point only, between 1970-01-01T01:59:00")


def test_a_hidden_step_joins_the_group_that_it_may_belong_to() -> None:
    steps = [hidden("drive", 3600, 30_000), exact("p99", 90_000), exact("p99", 7200)]
    first, second = group_steps(steps, POINT_S)
    assert (names(first), names(second)) == (["p99", "drive"], ["p99"])
    assert order(first[0], first) == "first of those whose time is known"
    assert lead(first) == "moved"
    assert reach(first) == (7200, 7200)


def test_a_hidden_step_is_a_group_if_nothing_else_moved() -> None:
    steps = [hidden("drive", 3600, 30_000), hidden("queue", 3600, 30_060), exact("p99", 1800)]
    first, second = group_steps(steps, POINT_S)
    assert (names(first), names(second)) == (["p99"], ["drive", "queue"])
    assert reach(second) == (3600, 30_060)
    assert lead(second) == "moved"


def test_a_second_step_of_a_series_is_another_group() -> None:
    p99 = series("p99")
    up, down = (Shift(p99, "step", at, at, at, 1, 2) for at in (7200, 7500))
    groups = group_steps([down, exact("drive", 7205), up, exact("queue", 7505)], POINT_S)
    assert [names(group) for group in groups] == [["p99", "drive"], ["p99", "queue"]]


def test_a_step_beside_missing_points_may_be_at_any_of_them() -> None:
    times = [at * POINT_S for at in (*range(100), *range(300, 400))]
    one = Series("p99_ms", "ms", "", "", -1, times, [1.0] * 100 + [3.0] * 100, "")
    (step,) = shifts(one, POINT_S)
    assert (step.first, step.last, step.hidden) == (99 * POINT_S, 301 * POINT_S, True)
    assert not step.exact


def row(kind: str, since: float | None, to: float | None, device: str = "") -> dict[str, Any]:
    times = (at if at is None else datetime.fromtimestamp(BEGIN_S + at, UTC) for at in (since, to))
    names = ("kind", "job", "host", "device", "from_time", "to_time", "detail", "broker")
    return dict(zip(names, (kind, "node", "b1", device, *times, "", ""), strict=True))


def gaps(*parts: list[dict[str, Any]], last_s: int = 2 * PART_S) -> list[tuple[Any, ...]]:
    """The gaps of a drive whose points are from the start to ``last_s``."""
    drives = {("b1", "sdb"): (BEGIN_S, BEGIN_S + last_s)}
    rows = [row for part in parts for row in part]
    found = merged(rows, BEGIN_S, BEGIN_S + len(parts) * PART_S, drives, POINT_S)
    return [
        (
            each["kind"],
            *(at and at.timestamp() - BEGIN_S for at in (each["from_time"], each["to_time"])),
        )
        for each in found
        if each["kind"] != "present"
    ]


def test_a_gap_across_the_border_of_two_queries_is_one_gap() -> None:
    one = [row("present", 0, PART_S - 100), row("gap", PART_S - 100, None)]
    two = [row("present", PART_S + 500, 2 * PART_S)]
    assert gaps(one, two) == [("gap", PART_S - 100, PART_S + 500)]


def test_a_part_without_rows_is_a_gap() -> None:
    one, three = [row("present", 0, PART_S)], [row("present", 2 * PART_S, 3 * PART_S)]
    assert gaps(one, [], three) == [("gap", PART_S, 2 * PART_S)]


def test_silence_at_the_ends_is_a_gap() -> None:
    found = gaps([row("present", 90, PART_S)], [row("present", PART_S - 20, PART_S + 60)])
    assert found == [("gap", None, 90), ("gap", PART_S + 60, None)]


def test_silence_at_the_start_has_a_sentence() -> None:
    stated = sentences([row("present", 0, 1), row("gap", None, 90)], [])
    assert "no metrics of node on b1 before 10:01:30" in stated


def test_a_reset_seen_by_two_queries_is_reported_once() -> None:
    present = [row("present", 0, PART_S)], [row("present", PART_S - 20, 2 * PART_S)]
    reset = row("reset", PART_S - 10, PART_S - 9, "sdb")
    assert gaps(*([*each, reset] for each in present)) == [("reset", PART_S - 10, PART_S - 9)]


def test_a_drive_that_was_absent_across_the_border_of_two_queries() -> None:
    one = [row("present", 0, PART_S), row("went", PART_S - 600, None, "sdb")]
    two = [row("present", PART_S - 20, 2 * PART_S), row("came", None, PART_S + 30, "sdb")]
    assert gaps(one, two) == [("gap", PART_S - 600, PART_S + 30)]


def test_a_drive_with_later_points_did_not_disappear() -> None:
    present = [row("present", 0, PART_S)], [row("present", PART_S - 20, 2 * PART_S)]
    went = row("went", PART_S - 600, None, "sdb")
    assert gaps([*present[0], went], present[1]) == []
    assert gaps([*present[0], went], present[1], last_s=PART_S - 660) == [("went", PART_S - 600, None)]


def test_a_probe_refused_in_one_part_only_was_not_refused() -> None:
    present = [row("present", 0, PART_S)], [row("present", PART_S - 20, 2 * PART_S)]
    refused = row("refused", None, None)
    assert gaps([*present[0], refused], present[1]) == []
    assert gaps([*present[0], refused], [*present[1], refused]) == [("refused", None, None)]
