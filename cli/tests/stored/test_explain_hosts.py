# SPDX-License-Identifier: Apache-2.0
"""Runs of several hosts: the host of a signal, clocks that were set, hosts of load generators."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from clickhouse_connect.driver.client import Client
from test_explain_causes import BEGIN, END, explained
from test_explain_picture import embedded

from lab.simulated.model import START_S
from lab.simulated.per_second import Simulated, SimulatedFault
from lab.simulated.signatures import SIGNATURES
from tailrace.explain.document import document
from tailrace.explain.explanation import explain
from tailrace.explain.missing_metrics import sentences
from tailrace.explain.signals import Broker
from tailrace.queries.ask import RunReader

SLOW = next(levels for name, _, levels in SIGNATURES if name == "writes 10 ms slower")


def beside(client: Client, run_id: str, host: str, since: int = -10) -> None:
    """Give the run the metrics of another, quiet host from this second on."""
    calm = Simulated(f"{run_id}-{host}", seed=7)
    calm.insert(client)
    client.command(
        "INSERT INTO host_metrics (run_id, metric, job, host, device, labels, time, value)"
        " SELECT {run:String}, metric, job, {host:String}, device, labels, time, value"
        " FROM host_metrics WHERE run_id = {calm:String} AND host != ''"
        " AND time >= fromUnixTimestamp({since:UInt32})",
        parameters={
            "run": run_id,
            "host": host,
            "calm": calm.run_id,
            "since": START_S + since,
        },
    )


def test_the_slow_one_of_two_drives_with_one_name_is_named_and_drawn(
    client: Client, tailrace: Callable[..., Result], tmp_path: Path
) -> None:
    run = Simulated("namesakes", [SimulatedFault(BEGIN, END, SLOW)])
    run.insert(client)
    beside(client, run.run_id, "other")
    target = tmp_path / "why.html"
    result = tailrace("explain", run.run_id, "--html", target)
    assert result.exit_code == 0, result.output
    assert "slow_drive of drive sdb at broker 1" in result.output
    assert "request_write_ms of sdb on localhost" in result.output
    (command,) = [line for line in result.output.splitlines() if "=request_write_ms " in line]
    shown = tailrace(*command.split()[1:], "--format", "json")
    assert {row["host"] for row in json.loads(shown.stdout)} == {"localhost"}
    charts = embedded(target.read_text(encoding="utf-8"))["charts"]
    (drawn,) = [c for c in charts if c["title"] == "request write ms of sdb on localhost"]
    assert drawn["query"].endswith("--param host=localhost")
    # The axis begins with the measure phase, 10 s into the run.
    assert min(drawn["series"][0]["values"][BEGIN - 9 : END - 11]) > 5


def test_a_load_generator_on_a_separate_host(client: Client, tailrace: Callable[..., Result]) -> None:
    levels = {"loader_stopped": 1, "delay_p99": 2000}
    run = Simulated("far", [SimulatedFault(BEGIN, END, levels)], loader_host="loader")
    (episode,) = explained(client, run)["episodes"]
    verdict, (best, *_) = episode["verdict"], episode["ranked"]
    assert (verdict["cause"], verdict["broker"]) == ("load_generator", None)
    assert {each["metric"]: each["host"] for each in best["evidence"]}["loader_stopped"] == "loader"
    assert "at broker" not in tailrace("explain", run.run_id).stdout


@pytest.mark.parametrize(("hosts", "cause"), [("a", "consumer_stalled"), ("ab", "unknown")])
def test_a_clock_that_was_set_moves_latency_between_hosts(client: Client, hosts: str, cause: str) -> None:
    measured = [
        (0, "clock", "measured_start", json.dumps({"host": host, "offset_us": 0, "bound_us": 50})) for host in hosts
    ]
    step = (30, "clock_step", "realtime", '{"step_us":-400000}')
    levels = {"deliver": 15, "received": 60}
    run = Simulated(f"set-{hosts}", [SimulatedFault(60, 100, levels)], events=[*measured, step])
    found = explained(client, run)
    (episode,) = found["episodes"]
    assert (episode["verdict"]["cause"], episode["stage"]) == (cause, "end_to_end")
    reason = "a load generator's clock was set by -400.0 ms"
    assert episode["verdict"]["why"].startswith(reason) == (cause == "unknown")
    assert any(each.startswith(f"{reason} (seen at 10:00:30)") for each in found["unseen"])


def test_a_clock_step_too_small_for_the_rise_explains_nothing(client: Client) -> None:
    """It was followed for 46 s at 0.5 ms a second, and latency rose by seconds."""
    measured = [
        (0, "clock", "measured_start", json.dumps({"host": host, "offset_us": 0, "bound_us": 50})) for host in "ab"
    ]
    step = (30, "clock_step", "realtime", '{"step_us":9000000}')
    levels = {"deliver": 4000, "received": 10}
    run = Simulated("set-far", [SimulatedFault(BEGIN, END, levels)], events=[*measured, step])
    (episode,) = explained(client, run)["episodes"]
    assert episode["verdict"]["cause"] == "consumer_stalled"


def test_a_host_that_comes_late_has_no_late_drives(client: Client) -> None:
    run = Simulated("joined")
    run.insert(client)
    beside(client, run.run_id, "other", since=60)
    unseen = document(explain(RunReader(client, run.run_id)))["unseen"]
    assert "no metrics of node on other before 10:01:00" in unseen
    assert not any("appeared" in each for each in unseen)


def test_a_broker_s_host_without_metrics_is_named() -> None:
    rows = [
        {"kind": "present", "job": job, "host": host, "device": ""}
        for job, host in (("node", "b1"), ("node", "b2"), ("procprobe", "b1"), ("loadgen", "l1"))
    ]
    unseen = sentences(rows, [Broker(1, "b1", "sdb"), Broker(2, "b2", "sdb")])
    assert unseen == [
        "no metrics of the broker's JMX agent: stages of requests, log flushes, pauses, retention",
        "no metrics on b2 of procprobe: CPU and pressure of the broker alone",
        "no metrics of ioprobe: sync calls, I/O requests by process",
    ]
