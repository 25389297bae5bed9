# SPDX-License-Identifier: Apache-2.0
"""The report of a run that is running, failed, or has few rows: the page states it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from clickhouse_connect.driver.client import Client
from test_report_page import ask, page

Report = Callable[[str], Path]


def test_a_run_without_rows_is_reported_and_draws_nothing(report: Report) -> None:
    read = page(report, "empty")
    assert "This run was interrupted." in read.visible
    assert "Nothing was measured." in read.visible
    assert "Not audited" in read.visible
    assert read.data["charts"] == []
    assert not [tag for tag, _ in read.elements if tag == "figure"]


def test_failures_and_a_late_load_generator_are_reported(report: Report) -> None:
    read = page(report, "troubled")
    assert "Messages failed. 7 of 30,007 messages were not acknowledged" in read.visible
    assert "The load generator was late. Publish delay p50 is 3.02 ms" in read.visible
    assert "The load generator was late." not in page(report, "full").visible


def test_a_run_without_a_manifest_has_a_page(report: Report) -> None:
    read = page(report, "troubled")
    assert "the manifest names no drive" in read.visible
    assert "Broker –" in read.visible
    assert read.line("throughput", "acked")["values"][10] == pytest.approx(1_000, abs=5)


def test_a_running_run_is_marked_as_running(report: Report) -> None:
    assert "This run is still running. 30,000 acknowledged" in page(report, "running").visible


def test_a_run_in_its_measure_phase_shows_what_is_measured_so_far(client: Client, report: Report) -> None:
    read = page(report, "going")
    words = " ".join(read.visible.split())
    assert "measured 25 s so far" in words
    assert "No percentiles" not in words
    assert "acked and stored so far 30,000" in words
    assert "of the measure phase, which has no recorded end." in words
    for row in ask(client, "latency_percentiles_rollup", "going"):
        assert f"{row['p99_us'] / 1000:,.3f}" in words, row["stage"]
    (measure,) = [phase for phase in read.data["phases"] if phase["name"] == "measure"]
    assert measure["end"] >= 24
    # The explanation covers the whole run, not only its first second.
    assert "at 10:00:19 UTC (publish p99 " in words


def test_a_failed_run_has_its_reason(report: Report) -> None:
    read = page(report, "aborted")
    assert "This run failed. abortWhen.behind: a producer was <0.6 s> behind." in read.visible
    complaint = "The load generator reported errors. consumer 0: TimeoutException."
    assert read.visible.count(complaint) == 1
    assert "reported errors" not in page(report, "full").visible
