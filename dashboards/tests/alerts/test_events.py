# SPDX-License-Identifier: Apache-2.0
"""What counts as one firing of an alert."""

import json
from typing import Any

from tailrace.api import Alert, firings


def line(labels: dict[str, str], samples: dict[int, Any]) -> bytes:
    metric = {"__name__": "ALERTS", "alertstate": "firing", "alertgroup": "g", **labels}
    document = {
        "metric": metric,
        "timestamps": [t * 1000 for t in samples],
        "values": [*samples.values()],
    }
    return json.dumps(document).encode()


STALL = {"alertname": "FlushStall", "severity": "warning", "run_id": "r1", "device": "sda"}


def stall(start: int, end: int, is_open: bool) -> Alert:
    return Alert("FlushStall", "warning", {"device": "sda"}, start * 1000, end * 1000, is_open)


def test_a_staleness_marker_ends_it_and_the_next_sample_is_a_new_one() -> None:
    found = firings([line(STALL, {10: 1, 12: 1, 14: None, 30: 1, 32: None})], "r1", 40_000)
    assert found == [stall(10, 12, False), stall(30, 30, False)]


def test_what_fires_to_the_end_is_open() -> None:
    assert firings([line(STALL, {10: 1, 38: 1})], "r1", 40_000) == [stall(10, 38, True)]


def test_samples_that_stop_long_before_the_end_are_no_open_alert() -> None:
    found = firings([line(STALL, {10: 1, 12: 1})], "r1", 1_000_000)
    assert found == [stall(10, 12, False)]


def test_a_long_pause_is_an_end() -> None:
    found = firings([line(STALL, {10: 1, 200: 1})], "r1", 210_000)
    assert found == [stall(10, 10, False), stall(200, 200, True)]


def test_a_series_in_several_lines_is_one_alert() -> None:
    lines = [line(STALL, {12: 1, 14: 1}), line(STALL, {10: 1}), line(STALL, {16: None})]
    assert firings(lines, "r1", 40_000) == [stall(10, 14, False)]


def test_another_runs_alert_is_left_out_and_one_of_no_run_is_kept() -> None:
    unlabelled = {key: value for key, value in STALL.items() if key != "run_id"}
    other = STALL | {"run_id": "r2"}
    found = firings([line(other, {10: 1}), line(unlabelled, {11: 1, 12: None})], "r1", 40_000)
    assert found == [stall(11, 11, False)]


def test_detail_is_json_with_the_end() -> None:
    assert json.loads(stall(10, 12, False).detail()) == {
        "severity": "warning",
        "end": 12.0,
        "labels": {"device": "sda"},
    }
    assert json.loads(stall(10, 12, True).detail())["end"] is None
