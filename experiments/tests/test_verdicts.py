# SPDX-License-Identifier: Apache-2.0
"""Verdicts on short experiments: each of the three outcomes, from rows whose answer is known."""

from dataclasses import replace

import pytest
from clickhouse_connect.driver.client import Client

from lab.simulated.trial import Trial, verdicts

FLUSHED = {"topic_config": {"flush.messages": "1"}}
KEYS = {"behaviour": {"keys": "roundRobin"}}
LIMIT = {"drive_limit_mb_per_s": 40.0}


def words(rows: list[dict[str, object]]) -> list[object]:
    return [row["verdict"] for row in rows]


def thrice(*trials: Trial) -> list[Trial]:
    """Each of them three times, the fewest runs of a side that a comparison is judged by."""
    return [replace(trial, run_id=f"{trial.run_id}-{n}") for trial in trials for n in range(3)]


@pytest.mark.parametrize(
    ("name", "flushed", "verdict"),
    [
        ("slower", {"p99_ms": "30"}, "holds"),
        ("less", {"reached": 0.8}, "holds"),
        ("alike", {}, "does not hold"),
        ("noisy", {"p99_ms": "30", "steal": 0.2}, "cannot tell"),
    ],
)
def test_fsync(client: Client, name: str, flushed: dict[str, object], verdict: str) -> None:
    plain = Trial(f"fsync-{name}-off")
    on = replace(plain, run_id=f"fsync-{name}-on", plan=FLUSHED, **flushed)
    [row] = verdicts(client, "verdict_fsync", thrice(plain, on))
    assert row["verdict"] == verdict, row["reason"]
    assert row["default_p99_ms"] == pytest.approx(10, rel=0.05)


def test_fsync_leaves_out_what_was_noisy_and_judges_the_rest(client: Client) -> None:
    off = [Trial(f"fsync-left-off-{n}", steal=0.3 if n == 1 else 0) for n in (1, 2, 3, 4)]
    on = [replace(run, run_id=run.run_id.replace("off", "on"), plan=FLUSHED) for run in off]
    slower = [replace(off[0], p99_ms="900"), *off[1:], replace(on[0], p99_ms="1")]
    slower += [replace(run, p99_ms="30") for run in on[1:]]
    [row] = verdicts(client, "verdict_fsync", slower)
    assert (row["verdict"], row["flushed_p99_ms"]) == ("holds", pytest.approx(30, rel=0.05))
    assert row["reason"].endswith("; 2 of 8 runs left out: the machine was noisy")
    [first, second] = verdicts(client, "runs_left_out", slower)
    assert (first["run_id"], second["run_id"]) == ("fsync-left-off-1", "fsync-left-on-1")
    assert first["reason"] == "the machine was noisy: 30 % of its CPU time was stolen"


def test_fsync_of_a_run_that_is_too_late_for_any_p99_is_judged_by_its_rate(client: Client) -> None:
    plain = Trial("fsync-late-off")
    on = replace(plain, run_id="fsync-late-on", plan=FLUSHED, reached=0.3, timely=False)
    [row] = verdicts(client, "verdict_fsync", thrice(plain, on))
    assert (row["verdict"], row["flushed_p99_ms"]) == ("holds", None)
    assert row["reason"].startswith("no message of the measured time arrived, 6144 messages/s")
    off = replace(plain, run_id="fsync-even-off")
    even = replace(on, run_id="fsync-even-on", reached=1.0)
    [row] = verdicts(client, "verdict_fsync", thrice(off, even))
    assert row["verdict"] == "cannot tell"


def test_fsync_of_one_kind_alone_cannot_tell(client: Client) -> None:
    [row] = verdicts(client, "verdict_fsync", [Trial("fsync-alone", plan=FLUSHED)])
    assert (row["verdict"], row["authors"]) == ("cannot tell", "holds")
    assert row["reason"] == "it takes a run with flush.messages=1 and one without"
    loud = [Trial("fsync-loud-on", plan=FLUSHED), Trial("fsync-loud-off", steal=0.3)]
    [row] = verdicts(client, "verdict_fsync", loud)
    assert "one without that may be judged; 1 of 2 runs left out" in row["reason"]


def test_fsync_of_two_runs_of_a_kind_cannot_tell(client: Client) -> None:
    trials = thrice(Trial("fsync-few-off"), Trial("fsync-few-on", plan=FLUSHED, p99_ms="30"))
    [row] = verdicts(client, "verdict_fsync", trials[:-1])
    assert row["verdict"] == "cannot tell"
    assert row["reason"].endswith("; a verdict takes 3 runs of each kind that may be judged, there are 2 and 3")


def producers(
    name: str, many: dict[str, object], tls: bool = False, rates: tuple[int, ...] = (10_000, 20_000, 30_000)
) -> list[Trial]:
    config = {"producer_config": {"security.protocol": "SSL"}} if tls else {}
    found = []
    for rate in rates:
        few = Trial(f"prod-{name}-4-{rate}", offered=rate, plan={"producers": 4, **config})
        plan = {"producers": 50, **config}
        found += thrice(few, replace(few, run_id=f"prod-{name}-50-{rate}", plan=plan, **many))
    return found


def test_producers(client: Client) -> None:
    [worse] = verdicts(client, "verdict_producers", producers("worse", {"p99_ms": "45"}))
    assert (worse["verdict"], worse["few"], worse["many"], worse["rates"]) == ("holds", 4, 50, 3)
    assert worse["worst_ratio"] == pytest.approx(4.5, rel=0.05)
    [fewer] = verdicts(client, "verdict_producers", producers("fewer", {"reached": 0.8}))
    assert (fewer["verdict"], fewer["many_reached"]) == ("holds", pytest.approx(0.8))
    [alike] = verdicts(client, "verdict_producers", producers("alike", {"p99_ms": "12"}))
    assert alike["verdict"] == "does not hold"
    [late] = verdicts(client, "verdict_producers", producers("late", {"lag_ms": 300}))
    assert late["verdict"] == "cannot tell"
    assert "load generator was the limit" in late["reason"]


def test_one_noisy_rate_denies_nothing_and_hides_nothing(client: Client) -> None:
    calm = producers("calm", {"p99_ms": "12"})
    [unsure] = verdicts(client, "verdict_producers", [replace(calm[0], steal=0.3), *calm[1:]])
    assert (unsure["verdict"], unsure["rates"]) == ("cannot tell", 2)
    assert "; a rate takes 3 runs on each side that may be judged, 1 of 3 has fewer; " in unsure["reason"]
    assert unsure["reason"].endswith("; 1 of 18 runs left out: the machine was noisy")
    [gone] = verdicts(client, "verdict_producers", [*(replace(run, steal=0.3) for run in calm[:6]), *calm[6:]])
    assert (gone["verdict"], gone["rates"]) == ("cannot tell", 2)
    worse = producers("bad", {"p99_ms": "45"}, rates=(10_000, 20_000, 30_000, 40_000))
    [sure] = verdicts(client, "verdict_producers", [replace(worse[0], steal=0.3), *worse[1:]])
    assert (sure["verdict"], sure["rates"]) == ("holds", 3)


def test_rates_of_one_run_a_side_are_not_compared(client: Client) -> None:
    [row] = verdicts(client, "verdict_producers", producers("once", {"p99_ms": "45"})[::3])
    assert (row["verdict"], row["rates"], row["worst_ratio"]) == ("cannot tell", 0, None)
    assert row["reason"] == (
        "no rate can be compared; a rate takes 3 runs on each side that may be judged, 3 of 3 have fewer"
    )


def test_many_producers_too_late_for_any_p99_do_much_worse(client: Client) -> None:
    gone = producers("gone", {"timely": False, "reached": 0.1})
    [row] = verdicts(client, "verdict_producers", gone)
    assert (row["verdict"], row["rates"], row["worst_ratio"]) == ("holds", 3, None)
    assert row["reason"] == "no p99 to compare; 3 of 3 rates reached by few producers alone"
    both = [replace(run, run_id=f"{run.run_id}-late", timely=False, reached=0.1) for run in gone]
    [row] = verdicts(client, "verdict_producers", both)
    assert row["verdict"] == "cannot tell"


def test_producers_with_and_without_tls_are_two_questions(client: Client) -> None:
    both = [*producers("plain", {}), *producers("tls", {"p99_ms": "45"}, tls=True)]
    rows = verdicts(client, "verdict_producers", both)
    assert [(row["tls"], row["verdict"]) for row in rows] == [(0, "does not hold"), (1, "holds")]


def test_without_a_rate_in_common_nothing_is_compared(client: Client) -> None:
    apart = [Trial("apart-1", offered=1000), Trial("apart-2", offered=2000, plan={"producers": 9})]
    assert words(verdicts(client, "verdict_producers", apart)) == ["cannot tell"]


def test_record_keys(client: Client) -> None:
    def run(name: str, count: int, reached: float, **more: object) -> Trial:
        plan = {**KEYS, "producers": count, "partitions": 288}
        made = Trial(f"keys-{name}-{count}", offered=512_000, plan=plan, reached=reached)
        return replace(made, **more)

    [row] = verdicts(client, "verdict_record_keys", [run("a", 50, 0.7), run("a", 100, 1.0)])
    assert (row["verdict"], row["authors"]) == ("holds", "holds")
    assert (row["producers_needed"], row["tried"]) == (100, [50, 100])
    [row] = verdicts(client, "verdict_record_keys", [run("b", 50, 0.5), run("b", 100, 0.64)])
    assert (row["verdict"], row["producers_needed"]) == ("does not hold", None)
    assert row["best_share"] == pytest.approx(0.64)
    noisy = [run("c", 50, 0.5), run("c", 100, 1.0, steal=0.3)]
    [row] = verdicts(client, "verdict_record_keys", noisy)
    assert row["verdict"] == "cannot tell"
    assert row["reason"] == "at best 50 % of it; 1 of 2 runs left out: the machine was noisy"
    other = [run("d", 50, 0.5, system="redpanda")]
    [row] = verdicts(client, "verdict_record_keys", other)
    assert (row["system"], row["authors"]) == ("redpanda", "does not hold")


def test_record_keys_of_a_small_form_have_what_was_published(client: Client) -> None:
    def run(rate: int, partitions: int) -> Trial:
        plan = {**KEYS, "partitions": partitions}
        return Trial(f"keys-small-{rate}-{partitions}", offered=rate, plan=plan)

    small = [run(20_480, 72), run(10_240, 72), run(10_240, 25), run(4_096, 100)]
    rows = verdicts(client, "verdict_record_keys", small)
    authors = {(row["offered_per_s"], row["partitions"]): row["authors"] for row in rows}
    assert authors == {
        **{(20_480, 72): "does not hold", (10_240, 72): "holds"},
        **{(10_240, 25): "holds", (4_096, 100): "not reported"},
    }


def ramp(name: str, reached: list[float], top_mb: float, **more: object) -> list[Trial]:
    steps = [
        Trial(f"ramp-{name}-{n}", offered=(n + 1) * 10_000, reached=share, experiment=LIMIT)
        for n, share in enumerate(reached)
    ]
    return [replace(step, written_mb=top_mb * (n + 1) / len(steps), **more) for n, step in enumerate(steps)]


def test_drive_limit(client: Client) -> None:
    [row] = verdicts(client, "verdict_drive_limit", ramp("full", [1, 1, 0.9], 38.5))
    assert (row["verdict"], row["kept_up"], row["rates"]) == ("holds", 2, 3)
    assert row["share"] == pytest.approx(38.5 / 40)
    assert row["reason"] == "wrote 38.5 of 40 MB/s, and acknowledged up to 27.6 MB/s"
    [row] = verdicts(client, "verdict_drive_limit", ramp("short", [1, 0.8, 0.6], 25))
    assert row["verdict"] == "does not hold"
    [row] = verdicts(client, "verdict_drive_limit", ramp("low", [1, 1, 1], 25))
    assert row["verdict"] == "cannot tell"
    assert "no rate was too high" in row["reason"]


def test_an_unmeasured_limit_or_a_noisy_machine_shows_nothing(client: Client) -> None:
    unmeasured = ramp("unmeasured", [1, 0.8], 25, experiment={})
    assert words(verdicts(client, "verdict_drive_limit", unmeasured)) == ["cannot tell"]
    noisy = ramp("noisy", [1, 0.8], 39, steal=0.4)
    [row] = verdicts(client, "verdict_drive_limit", noisy)
    assert row["verdict"] == "cannot tell"
    assert row["reason"].endswith("; 2 of 2 runs left out: the machine was noisy")


def backlog(name: str, ends: str = "backlog_drained", **more: object) -> Trial:
    marks = [("warmup", 0), ("backlog_build", 10), ("backlog_drain", 40), ("measure", 100)]
    slow = "if(s >= 10 AND s < 70, 20000, 10)"
    made = Trial(f"backlog-{name}", seconds=120, marks=marks, p99_ms=slow)
    return replace(made, events=[(100, "phase_end", ends)] if ends else [], **more)


def test_backlog(client: Client) -> None:
    runs = [backlog("1"), backlog("2", "not_backlog_drained"), backlog("3", "")]
    runs += [backlog("4", failed=["lost"]), Trial("backlog-5")]
    rows = verdicts(client, "verdict_backlog", runs)
    assert words(rows) == ["holds", "does not hold", "cannot tell", "cannot tell", "cannot tell"]
    assert (rows[0]["build_s"], rows[0]["drain_s"], rows[0]["sub_second_after_s"]) == (30, 60, 30)
    reason = "drained in 60 s, built in 30 s; p99 was below a second for good 30 s after"
    assert rows[0]["reason"] == f"{reason} consumers resumed"
    assert rows[1]["reason"] == "not drained in 60 s"
    assert rows[1]["drain_s"] is None
    assert rows[3]["reason"] == "the audit failed: lost"


def test_a_backlog_of_minutes_is_stated_in_minutes(client: Client) -> None:
    marks = [("backlog_build", 0), ("backlog_drain", 100), ("measure", 370)]
    events = [(370, "phase_end", "backlog_drained")]
    long = Trial("backlog-long", seconds=400, marks=marks, events=events)
    [row] = verdicts(client, "verdict_backlog", [long])
    assert row["reason"].startswith("drained in 4.5 min, built in 100 s; ")


def test_a_backlog_that_is_drained_and_a_latency_that_stays_are_distinguished(client: Client) -> None:
    [row] = verdicts(client, "verdict_backlog", [backlog("slow", p99_ms="if(s >= 10, 3000, 10)")])
    assert row["verdict"] == "holds"
    assert "p99 did not come back below a second under load" in row["reason"]
    assert row["sub_second_after_s"] == 80


def test_what_was_never_sent_spoils_no_verdict(client: Client) -> None:
    [row] = verdicts(client, "verdict_backlog", [backlog("unsent", failed=["unsent"])])
    assert row["verdict"] == "holds"


def test_what_no_group_received_of_a_backlog_spoils_no_verdict_either(client: Client) -> None:
    never = backlog("never", "not_backlog_drained", failed=["missing", "unsent"])
    loud = replace(never, run_id="backlog-loud", steal=0.3)
    gone = backlog("gone", failed=["missing"])
    unanswered = backlog("unanswered", "not_backlog_drained", failed=["not_drained"])
    rows = verdicts(client, "verdict_backlog", [gone, loud, never, unanswered])
    assert words(rows) == ["cannot tell", "cannot tell", "does not hold", "does not hold"]
    assert "noisy" in rows[1]["reason"]


def test_runs_of_two_systems_are_judged_apart(client: Client) -> None:
    both = [backlog("k"), backlog("r", "not_backlog_drained", system="redpanda")]
    rows = verdicts(client, "verdict_backlog", both)
    assert [(r["system"], r["verdict"], r["authors"]) for r in rows] == [
        ("kafka", "holds", "holds"),
        ("redpanda", "does not hold", "does not hold"),
    ]
