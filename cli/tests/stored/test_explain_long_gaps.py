# SPDX-License-Identifier: Apache-2.0
"""Long runs whose metrics have gaps, resets, late drives, or no recorded end."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from click.testing import Result
from clickhouse_connect.driver.client import Client

from lab.simulated.hours import Hours
from lab.simulated.model import START_S

Tailrace = Callable[..., Result]
P99 = "publish_p99_ms"


def explained(client: Client, tailrace: Tailrace, hours: Hours) -> tuple[dict[str, Any], str]:
    """As JSON and as text."""
    hours.insert(client)
    found, text = tailrace("explain", hours.run_id, "--json"), tailrace("explain", hours.run_id)
    assert (found.exit_code, text.exit_code) == (0, 0), found.output + text.output
    return json.loads(found.stdout), text.stdout


def hour(time: str) -> float:
    return (datetime.fromisoformat(time).timestamp() - START_S) / 3600


def test_a_drive_that_slows_down_in_a_gap(client: Client, tailrace: Tailrace) -> None:
    hours = Hours("unseen", "if(h >= 17, 2, 1)", "if(h >= 17, 2.5, 1)", silent=(16, 22))
    found, text = explained(client, tailrace, hours)
    (change,) = found["changes"]
    moved = {each["metric"]: each for each in change["moved"]}
    assert hour(moved[P99]["time"]) == pytest.approx(17, abs=10 / 3600)
    drive = moved["drive_write_ms"]
    assert (drive["exact_to_the_second"], drive["after_first_s"]) == (False, None)
    assert hour(drive["not_before"]) == pytest.approx(16, abs=3 / 60)
    assert hour(drive["not_after"]) == pytest.approx(22, abs=3 / 60)
    assert "in the order in which they moved:\n     publish_p" in text
    assert "first of those whose time is known" in text
    assert "somewhere between 2026-01-16T01:5" in text
    (gap,) = [each for each in found["unseen"] if "gap in metrics of node on localhost" in each]
    assert "01:59:58" in gap
    assert "08:00:00" in gap


def test_a_cycle_across_a_gap_is_no_step(client: Client, tailrace: Tailrace) -> None:
    rhythm = "1 + 0.3 * sin(2 * pi() * h / 24)"
    found, _ = explained(client, tailrace, Hours("tides", rhythm, rhythm, silent=(21, 27)))
    assert found["changes"] == []


def test_a_drive_that_appears_late_has_no_trend_of_the_run(client: Client, tailrace: Tailrace) -> None:
    drive = "if(h >= 30, pow(1.8, (h - 30) / 6), 1)"
    found, text = explained(client, tailrace, Hours("young-drive", drive=drive, since=30))
    (change,) = found["changes"]
    (moved,) = change["moved"]
    assert (change["kind"], moved["metric"], moved["device"]) == ("trend", "drive_write_ms", "sdb")
    assert change["covers"] == pytest.approx(6 / 36, abs=0.01)
    assert "over 17% of the run, between 2026-01-16T16:0" in text
    assert any("drive sdb on localhost appeared at" in each for each in found["unseen"])
    assert not any("drive sda" in each for each in found["unseen"])


# One at the border of two queries, and one inside.
@pytest.mark.parametrize("restarted", [3, 4.2])
def test_counters_that_restart_are_named(client: Client, tailrace: Tailrace, restarted: float) -> None:
    found, _ = explained(client, tailrace, Hours(f"restarted-hours-{restarted}", hours=6, restarted=restarted))
    assert found["changes"] == []
    resets = [each for each in found["unseen"] if "counters of drive sdb on localhost" in each]
    assert len(resets) == 1
    assert not any("gap" in each or "appeared" in each for each in found["unseen"])


def test_up_and_down_are_two_steps_each_with_its_own_second(client: Client, tailrace: Tailrace) -> None:
    """Twelve minutes, which is less than what counts as one group."""
    late = 40 / 3600
    drive = f"if(h >= 12 - {late} and h < 12.2 - {late}, 3, 1)"
    hours = Hours("twelve-minutes", "if(h >= 12 and h < 12.2, 3, 1)", drive)
    found, _ = explained(client, tailrace, hours)
    up, down = found["changes"]
    for change, begin, rises in ((up, 12, True), (down, 12.2, False)):
        first, *rest = change["moved"]
        assert first["metric"] == "drive_write_ms"
        assert hour(first["time"]) == pytest.approx(begin - late, abs=5 / 3600)
        p99 = next(each for each in rest if each["metric"] == P99)
        assert p99["after_first_s"] == pytest.approx(40, abs=10)
        assert all((each["during"] > each["before"]) is rises for each in change["moved"])


def test_long_takes_no_times(tailrace: Tailrace) -> None:
    result = tailrace("explain", "any", "--long", "--from", "2026-01-15T12:00:00")
    assert result.exit_code == 2
    assert "--long covers the whole run; leave out --from and --to" in result.output


@pytest.mark.parametrize("phase", ["measure", "warmup"])
def test_points_of_a_run_without_a_recorded_end(client: Client, tailrace: Tailrace, phase: str) -> None:
    Hours(f"killed-{phase}", hours=1, phases=((phase, 0.01),)).insert(client)
    result = tailrace("query", "latency_points", "--run", f"killed-{phase}", "--format", "json")
    times = [row["time"] for row in json.loads(result.stdout)]
    # From the first whole minute to the last one that has all its messages.
    assert (len(times), min(times)[-8:-3], max(times)[-8:-3]) == (58, "10:01", "10:58")
