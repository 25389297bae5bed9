# SPDX-License-Identifier: Apache-2.0
"""The end of the demo's summary: explain's answer beside what the demo did, whatever the answer is."""

from clickhouse_connect.driver.client import Client

from lab.simulated.model import START_S
from lab.simulated.per_second import Levels, Simulated, SimulatedFault
from lab.simulated.signatures import SIGNATURES
from tailrace.demo import answer
from tailrace.explain.explanation import Explanation, explain
from tailrace.marks.reading import Mark
from tailrace.queries.ask import RunReader

# The second from the run's start at which latency rises, and how far.
AT_S, TO_S = 60, 70
MADE = Mark(START_S + AT_S, START_S + TO_S, "fault", "the demo's neighbour")


def explained(client: Client, name: str, cause: str) -> Explanation:
    levels: Levels = next(levels for _, named, levels in SIGNATURES if named == cause)
    run = Simulated(name, [SimulatedFault(AT_S, TO_S, levels)])
    run.insert(client)
    return explain(RunReader(client, run.run_id))


def test_the_neighbour_is_named(client: Client) -> None:
    found = explained(client, "demo-neighbour", "drive_neighbour")
    assert answer.cause(found, MADE) == "drive_neighbour"
    printed = list(answer.lines(found, MADE))
    assert printed[1].startswith("  10:01:00 for 1")
    assert ": publish p99 up to " in printed[1]
    assert printed[2].startswith("    drive_neighbour of drive sdb at broker 1 (high confidence, score ")
    assert (
        "the demo's neighbour used the drive from 10:01:00 to 10:01:10 UTC; explain named it."
        " The percentiles above include these seconds." in printed
    )


def test_another_cause_is_printed_as_it_is(client: Client) -> None:
    found = explained(client, "demo-wrong", "slow_drive")
    assert answer.cause(found, MADE) == "slow_drive"
    assert any("; explain names slow_drive then, so it is wrong, or" in line for line in answer.lines(found, MADE))


def test_an_episode_at_another_time_is_not_the_neighbour_s(client: Client) -> None:
    found = explained(client, "demo-elsewhere", "drive_neighbour")
    later = Mark(START_S + 100, START_S + 110, "fault", "")
    assert answer.cause(found, later) == "none"
    printed = list(answer.lines(found, later))
    assert printed[2].startswith("    drive_neighbour ")
    assert any("explain found no episode then" in line for line in printed)


def test_a_quiet_demo_has_no_comparison(client: Client) -> None:
    Simulated("demo-quiet", []).insert(client)
    first, calm, last = answer.lines(explain(RunReader(client, "demo-quiet")), None)
    assert first.startswith("tailrace explain, from the measurements alone")
    assert calm.startswith(("  latency stayed at its baseline", "  no episode of "))
    assert last == "evidence and queries: tailrace up; tailrace explain demo-quiet"
