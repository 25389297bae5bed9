# SPDX-License-Identifier: Apache-2.0
"""Backlog, lag and cost of runs worked out in Python."""

import pytest
from clickhouse_connect.driver.client import Client

from lab.simulated.model import MEASURE_S, RATE, SECONDS, START_S, WARMUP_S, Model, nearest_rank, second
from lab.simulated.named_query import ask
from lab.simulated.traces import MEASURE_US, START_US, US, Faulty, Trace


@pytest.fixture(scope="module")
def lagging(client: Client) -> Faulty:
    model = Faulty("lagging")
    model.insert(client)
    return model


def test_backlog_grows_and_drains(client: Client) -> None:
    # 50 a second for 60 s; those due in seconds 5 to 9 are received in seconds 20 to 40.
    dues = [START_US + n * US // 50 for n in range(3000)]
    late = range(START_US + 5 * US, START_US + 10 * US)
    trace = Trace(
        "backlog",
        [(due, 15 * US + 3 * (due - late[0]) if due in late else 2000) for due in dues],
    )
    trace.insert(client)
    rows = ask(client, "backlog_per_second", run_id=trace.run_id)
    backlog = 0
    for row in rows:
        low = START_US + second(row) * US
        acked = sum(low <= due + us // 2 < low + US for due, us in trace.messages)
        received = sum(low <= due + us < low + US for due, us in trace.messages)
        backlog += acked - received
        assert (row["backlog"], row["growth_per_s"]) == (backlog, acked - received)
        if row["growth_per_s"] > 0 and row["drained_in_s"] is not None:
            assert backlog > 0
    most = max(row["backlog"] for row in rows)
    assert most >= 100
    assert rows[-1]["backlog"] == 0
    assert [row["drained_in_s"] for row in rows if row["backlog"] == 0] == [None] * sum(
        row["backlog"] == 0 for row in rows
    )
    draining = [row for row in rows if row["drained_in_s"]]
    assert draining
    for row in draining:
        at = rows.index(row)
        trend = [r["growth_per_s"] for r in rows[max(0, at - 9) : at + 1]]
        expected = -row["backlog"] / (sum(trend) / len(trend))
        assert row["drained_in_s"] == pytest.approx(expected)


def test_backlog_counts_every_group(client: Client, lagging: Faulty) -> None:
    rows = ask(client, "backlog_per_second", run_id=lagging.run_id)
    # Two groups owe each message; three never came, two came twice, and one unknown came.
    assert rows[-1]["backlog"] == 2 * len(lagging.published) - (len(lagging.delivered) + len(lagging.second_group))


def test_lag_per_group(client: Client, lagging: Faulty) -> None:
    rows = ask(client, "lag_per_group", run_id=lagging.run_id)
    assert len(rows) == 2 * (SECONDS + 2)
    for group in (0, 1):
        lag = 0
        for row in [r for r in rows if r["subscription"] == group]:
            low = START_US + second(row) * US
            acked = sum(low <= m.ack < low + US for m in lagging.published)
            # The engine counts milliseconds passed on the clock, borders included.
            ms = [m.receive // 1000 - m.intended // 1000 for m in lagging.group(group) if low <= m.receive < low + US]
            lag += acked - len(ms)
            assert (row["received_per_s"], row["lag_messages"]) == (len(ms), lag)
            expected = (nearest_rank(ms, 50), max(ms)) if ms else (None, None)
            assert (row["lag_p50_ms"], row["lag_max_ms"]) == expected


def test_cost_per_event(client: Client, golden: Model) -> None:
    model = Model("cost")
    model.insert(client)
    metrics = []
    for s in range(SECONDS + 2):
        at = (START_S + s) * 1000
        reset = s >= 10  # the broker came back with its counter at 0
        cpu = 0.25 * (s - 10) if reset else 5 + 0.5 * s
        metrics += [
            ["process_cpu_seconds_total", "kafka", "b", "", {}, at, cpu],
            ["node_cpu_seconds_total", "node", "b", "", {"mode": "user", "cpu": "0"}, at, 0.3 * s],
            ["node_cpu_seconds_total", "node", "b", "", {"mode": "user", "cpu": "1"}, at, 0.1 * s],
            ["node_cpu_seconds_total", "node", "b", "", {"mode": "idle", "cpu": "0"}, at, 9.0 * s],
            ["node_network_transmit_bytes_total", "node", "b", "eth0", {}, at, 1000.0 * s],
            ["node_network_transmit_bytes_total", "node", "b", "lo", {}, at, 9999.0 * s],
        ]
    client.insert("host_metrics", [[model.run_id, *row] for row in metrics])
    rows = ask(client, "cost_per_event", run_id=model.run_id)
    found = {(row["job"], row["host"], row["resource"]): row for row in rows}
    low, high = MEASURE_US, MEASURE_US + MEASURE_S * US
    acked = sum(low <= m.ack < high for m in model.published)
    assert acked == MEASURE_S * RATE
    steps = MEASURE_S - 1  # from the first sample in the phase to the last one
    broker = 0.5 * (9 - WARMUP_S) + 0 + 0.25 * (SECONDS - 1 - 10)
    used = {
        ("kafka", "b", "process cpu"): broker,
        ("node", "b", "host cpu"): 0.4 * steps,
        ("node", "b", "network sent"): 1000 * steps,
        ("node", "localhost", "drive written"): 4096 * steps,
    }
    assert {key: row["used"] for key, row in found.items()} == pytest.approx(used)
    row = found["kafka", "b", "process cpu"]
    assert (row["unit"], row["event_unit"]) == ("s", "µs")
    assert row["per_event"] == pytest.approx(broker * 1e6 / acked)
    assert found["node", "b", "network sent"]["per_event"] == pytest.approx(1000 * steps / acked)
