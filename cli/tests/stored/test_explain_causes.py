# SPDX-License-Identifier: Apache-2.0
"""``tailrace explain`` on simulated runs whose faults look like measured faults."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result
from clickhouse_connect.driver.client import Client

from lab.simulated.model import START_S
from lab.simulated.per_second import CALM, Levels, Simulated, SimulatedFault
from lab.simulated.signatures import SIGNATURES
from tailrace.contracts import CAUSES
from tailrace.explain.document import document
from tailrace.explain.explanation import explain
from tailrace.explain.rules import RULES
from tailrace.queries.ask import RunReader

BEGIN, END = 60, 75


def explained(client: Client, run: Simulated) -> dict[str, Any]:
    run.insert(client)
    return document(explain(RunReader(client, run.run_id)))


def verdicts(found: dict[str, Any]) -> list[str]:
    return [episode["verdict"]["cause"] for episode in found["episodes"]]


def test_every_cause_of_the_contract_has_a_rule() -> None:
    assert {rule.cause for rule in RULES} | {"unknown"} == set(CAUSES)


@pytest.mark.parametrize(("name", "cause", "levels"), SIGNATURES, ids=lambda value: str(value)[:40])
def test_the_cause_is_named(client: Client, name: str, cause: str, levels: Levels) -> None:
    run = Simulated(name, [SimulatedFault(BEGIN, END, levels)], seed=len(name))
    found = explained(client, run)
    (episode,) = found["episodes"]
    assert episode["verdict"]["cause"] == cause, json.dumps(episode, indent=1)
    assert episode["from"] == "2026-01-15T10:01:00Z"
    of_drive = cause in ("slow_drive", "slow_flush", "throttled_above_drive", "drive_neighbour")
    assert episode["verdict"]["device"] == ("sdb" if of_drive else None)
    of_broker = of_drive or cause in ("cpu_starvation", "broker_pause", "retention_delete")
    assert episode["verdict"]["broker"] == (1 if of_broker else None)
    assert episode["stage"] == ("end_to_end" if cause == "consumer_stalled" else "publish")


@pytest.mark.parametrize(
    ("name", "cause", "levels"),
    [each for each in SIGNATURES if each[1] in ("slow_drive", "throttled_above_drive")],
    ids=lambda value: str(value)[:40],
)
def test_without_ioprobe(client: Client, name: str, cause: str, levels: Levels) -> None:
    run = Simulated(f"{name}-bare", [SimulatedFault(BEGIN, END, levels)], without=("ioprobe",))
    found = explained(client, run)
    assert verdicts(found) == [cause], json.dumps(found["episodes"], indent=1)
    assert "no metrics of ioprobe: sync calls, I/O requests by process" in found["unseen"]


def test_a_leader_change(client: Client) -> None:
    moved = [(61.2, "leader_change", "t/0", '{"from":1,"to":2}')]
    run = Simulated("moved", [SimulatedFault(60, 66, {"p50": 300, "p99": 900})], events=moved)
    (episode,) = explained(client, run)["episodes"]
    assert episode["verdict"]["cause"] == "leader_change"
    (evidence, *_) = episode["ranked"][0]["evidence"]
    assert evidence["metric"] == "leader_changes"
    assert evidence["query"].startswith("tailrace query run_events --run moved")


def test_a_rebalance(client: Client) -> None:
    names = ("revoked", "assigned")
    moved = [(60.5 + n, "rebalance", name, "{}") for n, name in enumerate(names)]
    levels = {"deliver": 3000, "received": 5}
    run = Simulated("rebalanced", [SimulatedFault(60, 66, levels)], events=moved)
    (episode,) = explained(client, run)["episodes"]
    assert (episode["verdict"]["cause"], episode["stage"]) == ("leader_change", "end_to_end")


def test_a_slowdown_without_evidence_is_unknown(client: Client) -> None:
    run = Simulated("riddle", [SimulatedFault(BEGIN, END, {"p50": 400, "p99": 900, "local_ms": 2})])
    run.without = ("kafka", "procprobe", "ioprobe")
    (episode,) = explained(client, run)["episodes"]
    assert episode["verdict"]["cause"] == "unknown"
    assert episode["ranked"] == []


def test_messages_that_come_late_while_consumers_go_on_are_unknown(client: Client) -> None:
    run = Simulated("delayed", [SimulatedFault(BEGIN, END, {"deliver": 4000})])
    (episode,) = explained(client, run)["episodes"]
    assert (episode["verdict"]["cause"], episode["stage"]) == ("unknown", "end_to_end")


@pytest.mark.parametrize(("received", "cause"), [(60, "unknown"), (0, "consumer_stalled")])
def test_unmeasured_drives_may_have_delayed_consumers(client: Client, received: float, cause: str) -> None:
    levels = {"deliver": 4000, "received": received}
    jobs = ("node", "kafka", "procprobe", "ioprobe", "")
    run = Simulated(f"unseen-{received}", [SimulatedFault(BEGIN, END, levels)], without=jobs)
    (episode,) = explained(client, run)["episodes"]
    assert episode["verdict"]["cause"] == cause, json.dumps(episode, indent=1)
    assert all(each["evidence"] for each in episode["ranked"])


def test_two_episodes_two_causes(client: Client) -> None:
    by_name = {name: levels for name, _, levels in SIGNATURES}
    faults = [
        SimulatedFault(40, 55, by_name["writes 10 ms slower"]),
        SimulatedFault(100, 112, by_name["stopped by a signal"]),
    ]
    found = explained(client, Simulated("both", faults))
    assert verdicts(found) == ["slow_drive", "broker_pause"]


def test_a_part_of_the_run(client: Client, tailrace: Callable[..., Result]) -> None:
    levels = next(levels for name, _, levels in SIGNATURES if name == "writes 10 ms slower")
    Simulated("parted", [SimulatedFault(40, 55, levels), SimulatedFault(100, 112, levels)]).insert(client)
    result = tailrace(
        *(
            "explain",
            "parted",
            "--json",
            "--from",
            "2026-01-15T10:01:20",
            "--to",
            "2026-01-15T10:02:00",
        )
    )
    assert result.exit_code == 0, result.output
    found = json.loads(result.output)
    assert [episode["from"] for episode in found["episodes"]] == ["2026-01-15T10:01:40Z"]
    assert (found["from"], found["to"]) == ("2026-01-15T10:01:20Z", "2026-01-15T10:02:01Z")


def test_the_text_and_its_queries(client: Client, tailrace: Callable[..., Result]) -> None:
    """The queries in the text can be run, and show the numbers of the text."""
    levels = next(levels for name, _, levels in SIGNATURES if name == "writes 10 ms slower")
    Simulated("texted", [SimulatedFault(BEGIN, END, levels)]).insert(client)
    result = tailrace("explain", "texted")
    assert result.exit_code == 0, result.output
    assert "slow_drive of drive sdb at broker 1 (high confidence" in result.output
    commands = [line.split()[1:] for line in result.output.splitlines() if "tailrace query" in line]
    commands = [words[words.index("query") :] for words in commands]
    assert len(commands) > 3
    for command in commands:
        shown = tailrace(*command, "--format", "csv")
        assert shown.exit_code == 0, shown.output
        assert len(shown.output.splitlines()) > 20


def test_a_broker_stopped_on_a_machine_that_is_too_busy_to_scrape_it(client: Client) -> None:
    """As measured once: ``up`` was 0 before, too, and partitions lost their leader meanwhile."""
    lost = [(73.0 + n, "leader_change", f"t/{n}", '{"from":1,"to":-1}') for n in range(3)]
    back = [(76.0 + n, "leader_change", f"t/{n}", '{"from":-1,"to":1}') for n in range(3)]
    run = Simulated(
        "busy",
        [SimulatedFault(60, 77, {"p50": 4000, "p99": 9000, "broker_cores": 0, "cpu_pressure": 0})],
        calm={**CALM, "up": 0, "cpu_pressure": 0.8, "p50": 300, "p99": 700},
        events=lost + back,
    )
    (episode,) = explained(client, run)["episodes"]
    assert episode["verdict"]["cause"] == "broker_pause"
    assert "leader_change" not in [cause["cause"] for cause in episode["ranked"]]


def test_the_slow_one_of_several_brokers_is_named(client: Client) -> None:
    """Both drives are on one host; the leaders of the rows identify the slow broker."""
    levels = next(levels for name, _, levels in SIGNATURES if name == "writes 10 ms slower")
    run = Simulated("two", [SimulatedFault(BEGIN, END, levels)], devices=("sdc", "sdb"), brokers=(2, 1))
    run.insert(client)
    columns = [run.run_id, 0, 0, "t"]
    published = [
        # Partition n is led by broker n + 1.
        [*columns, at % 2, at, due := (START_S + at) * 1_000_000, 0, due + us, 100]
        for at in range(150)
        for us in ([1_500_000 if at % 2 and BEGIN <= at < END else 3_000] * 3)
    ]
    client.insert("publishes", published)
    leaders = [[run.run_id, 0, START_S * 1_000_000 - 1, "t", n, n + 1, "localhost"] for n in (0, 1)]
    client.insert("partition_leaders", leaders)
    found = document(explain(RunReader(client, run.run_id)))
    (episode,) = found["episodes"]
    assert (episode["verdict"]["cause"], episode["verdict"]["broker"]) == ("slow_drive", 2)
    assert episode["verdict"]["device"] == "sdc"
    evidence = {each["metric"]: each for each in episode["ranked"][0]["evidence"]}
    assert evidence["drive_write_ms" if "drive_write_ms" in evidence else "request_write_ms"]["rho"] > 0.5


@pytest.mark.parametrize(("local_ms", "cause"), [(7.3, "cpu_starvation"), (4.5, "network")])
def test_a_rise_that_is_partly_the_brokers_is_not_the_networks(client: Client, local_ms: float, cause: str) -> None:
    """As in a quiet run of the fault lab, while the hypervisor took a part of a core."""
    calm = {**CALM, "p50": 3.8, "p99": 28, "local_ms": 3.7}
    levels = {"p50": 14, "p99": 170, "steal_cores": 0.23, "local_ms": local_ms}
    run = Simulated(f"part-of-{cause}", [SimulatedFault(BEGIN, END, levels)], calm=calm)
    (episode,) = explained(client, run)["episodes"]
    assert episode["verdict"]["cause"] == cause, json.dumps(episode, indent=1)
