# SPDX-License-Identifier: Apache-2.0
"""Verdicts that need the order of events: retention, and made-up runs of 36 hours."""

from dataclasses import replace

import pytest
from clickhouse_connect.driver.client import Client

from lab.simulated.trial import Trial, verdicts

HOURS = 3600
RESTLESS = "10 * exp(2 * ((cityHash64(s, 7) % 1000) / 1000 - 0.5))"


def judge(client: Client, query: str, trial: Trial) -> dict[str, object]:
    [row] = verdicts(client, query, [trial])
    return row


def retention(name: str, p99_ms: str, **more: object) -> Trial:
    """Ten minutes under load; the first segment goes in the fifth."""
    moves = {"deleted": "if(s >= 300, s * 100, 0)", **more}
    return replace(Trial(f"retention-{name}", seconds=600, p99_ms=p99_ms), **moves)


@pytest.mark.parametrize(
    ("name", "p99_ms", "verdict", "reason"),
    [
        ("step", "if(s >= 312, 25, 10)", "holds", "rose by 15"),
        ("level", "10", "does not hold", "did not rise"),
        ("less", "if(s >= 312, 7, 10)", "does not hold", "did not rise"),
        # Too high before for a step to be seen.
        ("fell", "if(s >= 312, 4, 10)", "cannot tell", "was coming down, from "),
        ("cold-until-then", "if(s >= 290, 10, 400)", "cannot tell", "was coming down"),
        ("before", "if(s >= 270, 25, 10)", "does not hold", "-30 s after"),
        ("late", "if(s >= 385, 25, 10)", "does not hold", "85 s after"),
        # Clients that have just started: the fall of that is greater than the step.
        ("cold", "multiIf(s < 260, 400, s >= 312, 25, 10)", "holds", "rose by 15"),
        # A level that goes up and down by half every second.
        ("restless-step", f"{RESTLESS} * if(s >= 312, 4, 1)", "holds", "rose by"),
    ],
)
def test_retention(client: Client, name: str, p99_ms: str, verdict: str, reason: str) -> None:
    row = judge(client, "verdict_retention", retention(name, p99_ms))
    assert row["verdict"] == verdict, row["reason"]
    assert reason in str(row["reason"])
    assert (row["broker"], row["authors"]) == ("1", "does not hold")


@pytest.mark.parametrize(("factor", "verdict"), [(1, "does not hold"), (1.3, "cannot tell"), (1.5, "cannot tell")])
def test_a_step_that_noise_makes_as_well_never_holds(client: Client, factor: float, verdict: str) -> None:
    p99_ms = f"{RESTLESS} * if(s >= 312, {factor}, 1)"
    row = judge(client, "verdict_retention", retention(f"restless-{factor}", p99_ms))
    assert row["verdict"] == verdict, row["reason"]


def test_retention_that_was_not_reached_or_at_once_tells_nothing(client: Client) -> None:
    never = judge(client, "verdict_retention", retention("never", "10", deleted="0"))
    assert (never["verdict"], never["reached_time"]) == ("cannot tell", None)
    soon = judge(client, "verdict_retention", retention("soon", "10", deleted="s * 100"))
    assert (soon["verdict"], soon["step_ms"] is None) == ("cannot tell", False)
    lost = judge(client, "verdict_retention", retention("lost", "10", failed=["lost"]))
    assert lost["reason"] == "the audit failed: lost"


def long(name: str, p99_ms: str = "10", drive_ms: str = "0.4", **more: object) -> Trial:
    made = Trial(f"long-{name}", system="redpanda", seconds=36 * HOURS)
    return replace(made, p99_ms=p99_ms, drive_ms=drive_ms, **more)


def test_36_hours_with_a_drive_that_grows_slow_after_12(client: Client) -> None:
    """As published: writes of 0.06 ms grow to many times that, p99 of 11 ms to 3.5 s."""
    drive = "if(h >= 12, 0.06 * 8 * (1 + 0.4 * sin(h * 9)), 0.06)"
    row = judge(client, "verdict_long_run", long("slow", "if(h >= 12.02, 3500, 11)", drive))
    assert (row["verdict"], row["authors"]) == ("holds", "holds"), row["reason"]
    assert (row["hours"], row["device"]) == (36, "localhost sdb")
    assert row["drive_rose_h"] == pytest.approx(12, abs=0.2)
    assert row["latency_rose_h"] == pytest.approx(12.02, abs=0.2)
    assert row["latency_ratio"] == pytest.approx(318, rel=0.1)
    lag_s = float(str(row["lag_s"]))
    assert 0 <= lag_s <= 600
    assert str(row["reason"]).startswith("writes of localhost sdb came to take ")
    when = f"{lag_s:.0f} s after it" if lag_s else "with it"
    assert str(row["reason"]).endswith(f" times {when}")


def test_36_hours_that_begin_worse_than_they_end(client: Client) -> None:
    """Kafka got better for hours, as published: that must not hide what comes later."""
    drive = "multiIf(h < 4, 6, h >= 12, 1, 0.4)"
    trial = long("worse-first", "multiIf(h < 4, 300, h >= 12.02, 30, 10)", drive)
    row = judge(client, "verdict_long_run", trial)
    assert row["verdict"] == "holds", row["reason"]
    assert row["drive_rose_h"] == pytest.approx(12, abs=0.2)
    assert row["latency_ratio"] == pytest.approx(3, rel=0.1)


@pytest.mark.parametrize(
    ("name", "p99_ms", "drive_ms", "reason"),
    [
        ("calm", "10", "0.4", "neither"),
        ("daily", "10 * (1 + 0.2 * sin(h * 0.26))", "0.4 * (1 + 0.2 * sin(h * 0.26))", "neither"),
        ("drive-only", "10", "if(h >= 12, 4, 0.4)", "kept its level"),
        ("latency-only", "if(h >= 20, 40, 10)", "0.4", "no drive grew slow"),
        ("latency-first", "if(h >= 8, 40, 10)", "if(h >= 12, 4, 0.4)", "before"),
        ("better", "if(h < 4, 30, 10)", "if(h < 4, 2, 0.4)", "neither"),
        ("burst", "if(h BETWEEN 12 AND 16, 400, 10)", "if(h BETWEEN 12 AND 16, 4, 0.4)", "neither"),
    ],
)
def test_36_hours_without_that(client: Client, name: str, p99_ms: str, drive_ms: str, reason: str) -> None:
    row = judge(client, "verdict_long_run", long(name, p99_ms, drive_ms))
    assert row["verdict"] == "does not hold", row["reason"]
    assert reason in str(row["reason"])


def test_a_short_run_without_event_and_a_noisy_long_one_tell_nothing(client: Client) -> None:
    short = judge(client, "verdict_long_run", Trial("long-short", seconds=240))
    assert (short["verdict"], short["authors"]) == ("cannot tell", "does not hold")
    noisy = long("noisy", "if(h >= 12, 100, 10)", "if(h >= 12, 4, 0.4)", steal=0.1)
    assert judge(client, "verdict_long_run", noisy)["verdict"] == "cannot tell"


def test_four_minutes_with_a_drive_that_is_made_slow(client: Client) -> None:
    trial = Trial("long-made", seconds=240, p99_ms="if(s >= 125, 80, 10)")
    row = judge(client, "verdict_long_run", replace(trial, drive_ms="if(s >= 120, 6, 0.4)"))
    assert row["verdict"] == "holds", row["reason"]
