# SPDX-License-Identifier: Apache-2.0
"""What makes a run's numbers doubtful is found in stored rows and stated by summary, report and compare alike."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from clickhouse_connect.driver.client import Client

from lab.simulated.per_second import CALM, Levels, Simulated, SimulatedFault
from tailrace.audit.verdict import Totals, Verdict
from tailrace.page import conditions
from tailrace.queries.ask import RunReader, rows
from tailrace.runs import slo, summary

# Half the seconds of the measure phase, which is 10 to 70.
SECONDS = 70
HALF = (40, 70)


def stored(client: Client, name: str, levels: Levels | None = None, span: tuple[int, int] = HALF) -> Simulated:
    faults = [SimulatedFault(*span, levels)] if levels else []
    run = Simulated(name, faults, seconds=SECONDS, seed=3)
    run.insert(client)
    return run


def heads(client: Client, name: str, **manifest: object) -> list[tuple[str, str]]:
    return list(conditions.sentences(conditions.read(RunReader(client, name).ask, manifest)))


def test_a_calm_run_has_nothing_to_state(client: Client) -> None:
    stored(client, "calm")
    [host] = rows(client, "host_conditions", run_id="calm")
    assert (host["host"], host["seconds"], host["cores"]) == ("localhost", 60, 2)
    assert (host["used_up_s"], host["loader_s"]) == (0, 0)
    assert heads(client, "calm") == []


def test_cores_that_are_used_up_are_counted_in_seconds(client: Client) -> None:
    stored(client, "used-up", {"other_cores": 1.95}, (40, 61))
    [(head, text)] = heads(client, "used-up")
    assert head == "Saturated:"
    assert text.startswith("all 2 cores of localhost were used up in 2")  # the middle of two samples is a second off
    assert "of 60 s; latencies measure the CPU, not the broker" in text


def test_a_few_busy_seconds_are_no_condition(client: Client) -> None:
    stored(client, "used-up-briefly", {"other_cores": 1.95}, (40, 42))
    assert heads(client, "used-up-briefly") == []


def test_a_load_generator_that_takes_its_cores(client: Client) -> None:
    # No trend: it is so in most seconds from the beginning on.
    stored(client, "loader", {"loader_cores": 1.95, "broker_cores": 0, "other_cores": 0}, (5, 71))
    texts = [text for head, text in heads(client, "loader") if head == "Saturated:"]
    assert any("the load generator took 90 % or more of its cores on localhost" in text for text in texts)


def test_stolen_time_is_noise(client: Client) -> None:
    stored(client, "stolen", {"steal_cores": 0.3})
    [(head, text)] = heads(client, "stolen")
    assert head == "Noisy:"
    assert "the hypervisor took 5 % or more of localhost's CPU time in " in text


@pytest.mark.parametrize(
    ("levels", "stated"),
    [
        ({"p50": CALM["p50"] * 3, "p99": CALM["p99"] * 3}, "publish latency p50 rose by "),
        ({"loader_cores": CALM["loader_cores"] * 3}, "CPU time per message of the load generator rose by"),
    ],
)
def test_a_load_that_moved_was_not_steady(client: Client, levels: Levels, stated: str) -> None:
    name = f"moved-{next(iter(levels))}"
    stored(client, name, levels)
    assert any(head == "Not steady:" and text.startswith(stated) for head, text in heads(client, name))


def test_a_planned_curve_moves_by_design(client: Client) -> None:
    stored(client, "curve", {"p50": CALM["p50"] * 3, "p99": CALM["p99"] * 3}, (40, 71))
    assert [head for head, _ in heads(client, "curve")] == ["Not steady:"] * 2
    ramp = [{"at_seconds": 0, "messages_per_second": 100}, {"at_seconds": 60, "messages_per_second": 900}]
    phases = [{"name": "warmup"}, {"name": "measure", "curve": ramp}]
    assert heads(client, "curve", plan={"phases": phases}) == []
    phases[1]["curve"] = [{**point, "messages_per_second": 100} for point in ramp]
    assert len(heads(client, "curve", plan={"phases": phases})) == 2


def test_a_load_that_falls_behind_its_schedule(client: Client) -> None:
    stored(client, "behind", {"delay_p50": 900, "delay_p99": 1200})
    assert any("the load fell further and further behind its schedule" in text for _, text in heads(client, "behind"))


def test_a_warm_up_that_was_not_steady_names_what_moved(client: Client) -> None:
    run = Simulated(
        "cold", seconds=SECONDS, seed=3, events=[(10, "phase_end", "not_steady", "publish p99 fell by 40 %")]
    )
    run.insert(client)
    assert ("Not steady:", "the warm-up ended at its limit: publish p99 fell by 40 %.") in heads(client, "cold")


def test_bounds_on_conditions_decide_by_stored_values(client: Client) -> None:
    run = Simulated("bounds", [SimulatedFault(*HALF, {"other_cores": 1.95})], seconds=SECONDS, seed=3)
    run.events = [(10, "phase_end", "steady", "after 10 s")]
    run.insert(client)
    keys = {"saturated": 0.4, "stolen": 0.1, "steady": 1, "fit": 1}
    plan = {
        "slo": [
            {"key": key, "value": value, "direction": "at_least" if value == 1 else "at_most", "text": str(value)}
            for key, value in keys.items()
        ]
    }
    verdict = Verdict("bounds", Totals(0, 0, 0, 0, 0, 0, 0), 0, (), ())
    saturated, stolen, steady, fit = slo.judge(client, plan, verdict)
    assert (saturated.measured, saturated.kept) == (pytest.approx(0.5, abs=0.05), False)
    assert stolen.kept
    assert (steady.shown, steady.kept) == ("true", True)
    assert (fit.shown, fit.kept) == ("-", False)  # the run was not checked


def test_summary_report_and_compare_state_the_same(
    client: Client, tailrace: Callable[..., Result], tmp_path: Path
) -> None:
    stored(client, "head-calm")
    stored(client, "head-used-up", {"other_cores": 1.95})
    stated = "of localhost were used up in "
    out = io.StringIO()
    summary.show(summary.read(client, "head-used-up"), out)
    head, *_, last = out.getvalue().partition("failed ")
    assert f"! Saturated: all 2 cores {stated}" in head
    assert stated not in last
    found = tailrace("compare", "head-calm", "head-used-up", "--json")
    assert found.exit_code == 0, found.output
    notes = json.loads(found.stdout)["notes"]
    assert any(note.startswith(f"head-used-up: Saturated: all 2 cores {stated}") for note in notes)
    page = tmp_path / "report.html"
    found = tailrace("report", "head-used-up", "--out", page)
    assert found.exit_code == 0, found.output
    assert f"<b>Saturated:</b> all 2 cores {stated}" in page.read_text()
