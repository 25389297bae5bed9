# SPDX-License-Identifier: Apache-2.0
"""Runs of 36 hours: steps, trends, and the first signal that moved."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from click.testing import Result
from clickhouse_connect.driver.client import Client

from lab.simulated.hours import Hours
from lab.simulated.model import START_S

PERCENTILES = {f"publish_{name}_ms" for name in ("p50", "p90", "p99", "p99_9", "p99_99")}
Explain = Callable[[Hours], dict[str, Any]]


@pytest.fixture
def explain(client: Client, tailrace: Callable[..., Result]) -> Explain:
    def run(hours: Hours) -> dict[str, Any]:
        hours.insert(client)
        result = tailrace("explain", hours.run_id, "--json")
        assert result.exit_code == 0, result.output
        found: dict[str, Any] = json.loads(result.output)
        return found

    return run


def second(moved: dict[str, Any]) -> float:
    return datetime.fromisoformat(moved["time"]).timestamp() - START_S


def names(moved: list[dict[str, Any]]) -> set[str]:
    return {each["metric"] for each in moved}


def test_a_drive_that_slows_down_after_twelve_hours(explain: Explain) -> None:
    drive = "if(h >= 12 - 40 / 3600, 2.5, 1)"
    found = explain(Hours("slowdown", latency="if(h >= 12, 2, 1)", drive=drive))
    (change,) = found["changes"]
    assert change["kind"] == "step"
    assert names(change["moved"]) == PERCENTILES | {"drive_write_ms"}
    first, *rest = change["moved"]
    assert (first["metric"], first["device"]) == ("drive_write_ms", "sdb")
    assert second(first) == pytest.approx(12 * 3600 - 40, abs=4)
    assert first["during"] / first["before"] == pytest.approx(2.5, rel=0.15)
    p99 = next(each for each in rest if each["metric"] == "publish_p99_ms")
    assert p99["after_first_s"] == pytest.approx(40, abs=10)
    p90 = next(each for each in rest if each["metric"] == "publish_p90_ms")
    assert (p90["exact_to_the_second"], p90["after_first_s"]) == (False, None)
    assert p99["during"] / p99["before"] == pytest.approx(2, rel=0.15)


def test_drives_with_one_name_on_several_hosts_are_distinguished(
    explain: Explain, tailrace: Callable[..., Result]
) -> None:
    drive = "if(h >= 3 - 40 / 3600, 2.5, 1)"
    hours = Hours("hosts", "if(h >= 3, 2, 1)", drive, hours=6, host="b2", calm=("b1", "b3"))
    (change,) = explain(hours)["changes"]
    drives = [each for each in change["moved"] if each["metric"] == "drive_write_ms"]
    assert [(each["host"], each["device"]) for each in drives] == [("b2", "sdb")]
    assert second(drives[0]) == pytest.approx(3 * 3600 - 40, abs=4)
    assert "drive_write_ms of sdb on b2" in tailrace("explain", "hosts", "--long").output


def test_retention_reached(explain: Explain) -> None:
    found = explain(Hours("retention", latency="if(h >= 20.5, 1.5, 1)", discards="if(h >= 20.5, 40, 0)"))
    (change,) = found["changes"]
    assert names(change["moved"]) == PERCENTILES | {"drive_discards_per_s"}
    assert all(second(each) == pytest.approx(20.5 * 3600, abs=60) for each in change["moved"])
    assert {each["exact_to_the_second"] for each in change["moved"][:3]} == {True}


def test_a_slow_drift(explain: Explain) -> None:
    found = explain(Hours("drift", latency="pow(1.5, h / 36)", drive="pow(1.8, h / 36)"))
    assert {change["kind"] for change in found["changes"]} == {"trend"}
    moved = [each for change in found["changes"] for each in change["moved"]]
    assert names(moved) == PERCENTILES | {"drive_write_ms"}
    drive = next(each for each in moved if each["metric"] == "drive_write_ms")
    assert drive["during"] / drive["before"] == pytest.approx(1.8, rel=0.2)


def test_a_daily_cycle_is_neither_step_nor_trend(explain: Explain) -> None:
    rhythm = "1 + 0.3 * sin(2 * pi() * h / 24)"
    found = explain(Hours("daily", latency=rhythm, drive=rhythm))
    assert found["changes"] == []


def test_a_level_run_has_no_change(explain: Explain) -> None:
    found = explain(Hours("nothing"))
    assert found["changes"] == []


def test_percentiles_with_too_few_messages_are_left_out(client: Client, tailrace: Callable[..., Result]) -> None:
    """The text names the percentile that it leaves out, as does ``--long`` on a short run."""
    Hours("short", hours=1).insert(client)
    result = tailrace("explain", "short", "--long")
    assert result.exit_code == 0, result.output
    assert "no step and no trend" in result.output
    assert "p50 of end_to_end: a point of 10 s has 0 messages" in result.output
