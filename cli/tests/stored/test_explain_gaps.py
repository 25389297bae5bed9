# SPDX-License-Identifier: Apache-2.0
"""Metrics with gaps, resets, drives that come late: no wrong verdict, and the gap is named."""

from collections.abc import Callable

import pytest
from click.testing import Result
from clickhouse_connect.driver.client import Client
from test_explain_causes import BEGIN, END, explained, verdicts

from lab.simulated.model import START_S
from lab.simulated.per_second import Simulated, SimulatedFault
from lab.simulated.signatures import SIGNATURES
from tailrace.explain.document import document
from tailrace.explain.explanation import explain
from tailrace.queries.ask import RunReader

LEVELS = {name: levels for name, _, levels in SIGNATURES}
WRITES = LEVELS["writes 10 ms slower"]


def test_a_gap_in_a_quiet_run_is_no_episode(client: Client) -> None:
    gaps = [("node", 50, 70), ("kafka", 50, 70), ("procprobe", 50, 70)]
    found = explained(client, Simulated("holes", missing=gaps))
    assert found["episodes"] == []
    assert "gap in metrics of node on localhost 10:00:49–10:01:10" in found["unseen"]
    assert "gap in metrics of kafka on localhost 10:00:49–10:01:10" in found["unseen"]


def test_of_several_brokers_on_a_host_the_one_without_metrics_is_named(client: Client) -> None:
    run = Simulated("shared", brokers=(1, 2, 3), devices=("sdb", "sdc", "sdd"))
    run.insert(client)
    # Beside broker 1, which answers all the time. Broker 3's metrics page never answered.
    rows = [
        [run.run_id, "kafka_broker_leaders", "kafka", "localhost", "", {"broker": "2"}, (START_S + second) * 1000, 2.0]
        for second in (*range(-5, 50), *range(70, run.seconds + 2))
    ]
    client.insert("host_metrics", rows)
    unseen = document(explain(RunReader(client, run.run_id)))["unseen"]
    assert "gap in metrics of kafka of broker 2 on localhost 10:00:49–10:01:10" in unseen
    assert any(each.startswith("no metrics of broker 3 on localhost of the broker's JMX agent") for each in unseen)
    assert not any("broker 1" in each for each in unseen)


def test_a_gap_over_the_fault_leaves_it_unknown(client: Client) -> None:
    jobs = ("node", "kafka", "procprobe", "ioprobe")
    gaps = [(job, BEGIN - 2, END + 5) for job in jobs]
    run = Simulated("blind", [SimulatedFault(BEGIN, END, WRITES)], missing=gaps)
    found = explained(client, run)
    assert verdicts(found) == ["unknown"]
    assert "gap in metrics of node on localhost 10:00:57–10:01:20" in found["unseen"]


def test_a_gap_in_half_of_the_fault_still_shows_it(client: Client) -> None:
    run = Simulated("half", [SimulatedFault(BEGIN, END, WRITES)], missing=[("node", BEGIN + 2, BEGIN + 8)])
    found = explained(client, run)
    assert verdicts(found) == ["slow_drive"]
    assert "gap in metrics of node on localhost 10:01:01–10:01:08" in found["unseen"]


def test_a_broker_without_metrics_is_not_a_stalled_broker(client: Client) -> None:
    """The JMX agent that never answered did not stop answering when latency rose."""
    run = Simulated("deaf", [SimulatedFault(BEGIN, END, WRITES)], calm={**Simulated("x").calm, "up": 0})
    found = explained(client, run)
    assert verdicts(found) == ["slow_drive"]


@pytest.mark.parametrize("at", [BEGIN + 3, 40])
def test_counters_that_restart(client: Client, at: int) -> None:
    resets = [("node", at), ("kafka", at), ("procprobe", at)]
    found = explained(client, Simulated(f"reset-{at}", [SimulatedFault(BEGIN, END, WRITES)], resets=resets))
    assert verdicts(found) == ["slow_drive"]
    assert any("counters of drive sdb on localhost restarted" in each for each in found["unseen"])


def test_counters_that_restart_in_a_quiet_run(client: Client) -> None:
    resets = [("node", 50), ("kafka", 60), ("procprobe", 70), ("ioprobe", 80)]
    found = explained(client, Simulated("reset", resets=resets))
    assert found["episodes"] == []


def test_a_drive_that_appears_in_the_episode(client: Client) -> None:
    run = Simulated(
        "late-drive",
        [SimulatedFault(BEGIN, END, LEVELS["stopped by a signal"])],
        appears=[("sdc", BEGIN + 1)],
        devices=("sdb", "sdc"),
    )
    found = explained(client, run)
    assert verdicts(found) == ["broker_pause"]
    assert any(each.startswith("drive sdc on localhost appeared at 10:01:01") for each in found["unseen"])


def test_the_broker_s_own_drive_appears_late(client: Client) -> None:
    """Its quiet time is unknown, so it is not named."""
    run = Simulated(
        "own-late", [SimulatedFault(BEGIN, END, WRITES)], appears=[("sdb", BEGIN + 4)], without=("ioprobe",)
    )
    found = explained(client, run)
    assert not [episode for episode in found["episodes"] if episode["verdict"]["device"] == "sda"]
    assert any("drive sdb on localhost appeared" in each for each in found["unseen"])


@pytest.mark.parametrize("phases", [("warmup", "measure"), ("warmup", "drain", "end")])
def test_a_run_without_a_recorded_start_or_end_of_the_measure_phase(client: Client, phases: tuple[str, ...]) -> None:
    """A load generator that was killed; a run recorded by another program."""
    gaps = [("kafka", 100, 110), ("ioprobe", 130, 200)]
    run = Simulated(phases[-1], [SimulatedFault(BEGIN, END, WRITES)], phases=phases, missing=gaps)
    found = explained(client, run)
    assert verdicts(found) == ["slow_drive"]
    assert "gap in metrics of kafka on localhost 10:01:39–10:01:50" in found["unseen"]
    assert "gap in metrics of ioprobe on localhost from 10:02:09 to the end" in found["unseen"]


def test_a_job_whose_first_sample_is_late(client: Client) -> None:
    found = explained(client, Simulated("tardy", missing=[("kafka", -5, 100)]))
    assert "no metrics of kafka on localhost before 10:01:40" in found["unseen"]


def test_a_drive_that_disappeared_and_came_back(client: Client) -> None:
    found = explained(client, Simulated("away", missing=[("sdb", 60, 100)]))
    unseen = [each for each in found["unseen"] if "gap in metrics" in each]
    assert unseen == ["gap in metrics of drive sdb on localhost 10:00:59–10:01:40"]


@pytest.mark.parametrize(
    ("reason", "what"),
    [
        ("block_requests: no BTF", "no I/O requests"),
        ("sync_calls: needs root; block_requests: needs root", "nothing"),
    ],
)
def test_a_probe_that_was_refused(client: Client, reason: str, what: str) -> None:
    run = Simulated(f"refused {what}", without=("ioprobe_up",))
    run.insert(client)
    at = (START_S + 20) * 1000
    labels = {"reason": reason}
    row = [run.run_id, "ioprobe_up", "ioprobe", "localhost", "", labels, at, 0.0]
    client.insert("host_metrics", [row])
    unseen = document(explain(RunReader(client, run.run_id)))["unseen"]
    assert f"ioprobe on localhost saw {what}: {reason}" in unseen


def test_hosts_whose_clocks_are_not_synchronised(client: Client) -> None:
    run = Simulated("clockless")
    run.insert(client)
    rows = [
        [run.run_id, "node_timex_sync_status", "node", host, "", {}, (START_S + 20) * 1000, kept]
        for host, kept in (("localhost", 1.0), ("other", 0.0))
    ]
    client.insert("host_metrics", rows)
    found = explained(client, Simulated("clockless-too"))
    assert not any("clock" in each for each in found["unseen"])
    unseen = document(explain(RunReader(client, run.run_id)))["unseen"]
    assert any(each.startswith("the clock of other is not synchronised") for each in unseen)


def test_no_metrics_at_all(client: Client) -> None:
    jobs = ("node", "kafka", "procprobe", "ioprobe", "")
    found = explained(client, Simulated("naked", [SimulatedFault(BEGIN, END, WRITES)], without=jobs))
    assert verdicts(found) == ["unknown"]
    assert len([each for each in found["unseen"] if each.startswith("no metrics of")]) == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere",), "no run 'nowhere'"),
        (("bad-input", "--from", "yesterday"), "--from yesterday: not a time; write it as"),
        (
            ("bad-input", "--from", "2026-01-15T10:05:00", "--to", "2026-01-15T10:01:00"),
            "--from 2026-01-15T10:05:00 is after --to 2026-01-15T10:01:00",
        ),
        (("bad-input", "--from", "2027-01-01"), "no second of the measure phase"),
    ],
)
def test_bad_input_is_one_line(
    client: Client, tailrace: Callable[..., Result], arguments: tuple[str, ...], message: str
) -> None:
    Simulated("bad-input", seconds=30).insert(client)
    result = tailrace("explain", *arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert len(result.output.splitlines()) == 1


def test_a_run_without_messages(client: Client, tailrace: Callable[..., Result]) -> None:
    client.insert("runs", [Simulated("void")._run()])
    result = tailrace("explain", "void")
    assert result.exit_code == 2
    assert "run void has no phase" in result.output
