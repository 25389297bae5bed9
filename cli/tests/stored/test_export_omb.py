# SPDX-License-Identifier: Apache-2.0
"""The result file has OpenMessaging Benchmark's fields, and the run's numbers in them."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from lab.simulated.model import MEASURE_S, RATE, Model

# The public fields of its TestResult class.
SCALARS = [
    *("workload", "driver", "messageSize", "topics", "partitions"),
    *("producersPerTopic", "consumersPerTopic"),
]
ARRAYS = ["publishRate", "publishErrorRate", "consumeRate", "backlog"]
LATENCIES = ["publishLatency", "publishDelayLatency", "endToEndLatency"]
POINTS = ["Avg", "50pct", "75pct", "95pct", "99pct", "999pct", "9999pct", "Max"]


@pytest.fixture
def exported(golden: Model, tailrace: Callable[..., Result]) -> dict[str, Any]:
    done = tailrace("export-omb", golden.run_id)
    assert done.exit_code == 0, done.output
    content: dict[str, Any] = json.loads(done.output)
    return content


def aggregated(name: str) -> str:
    return f"aggregated{name[0].upper()}{name[1:]}"


def test_the_fields_are_theirs(exported: dict[str, Any]) -> None:
    expected = {*SCALARS, *ARRAYS}
    for name in LATENCIES:
        expected |= {name + point for point in POINTS}
        expected |= {aggregated(name) + point for point in (*POINTS, "Quantiles")}
    assert set(exported) == expected


def test_rates_are_per_second_of_each_period(exported: dict[str, Any]) -> None:
    periods = MEASURE_S // 10
    assert len(exported["publishRate"]) == periods
    assert exported["publishRate"] == pytest.approx([RATE] * periods, rel=0.01)
    assert exported["consumeRate"] == pytest.approx([RATE] * periods, rel=0.05)
    # Three sends failed half a second into the measure phase.
    assert exported["publishErrorRate"] == [0.3, 0]
    assert all(0 <= behind < RATE for behind in exported["backlog"])
    for name in LATENCIES:
        assert all(len(exported[name + point]) == periods for point in POINTS)


def nearest_rank(values: list[int], share: float) -> int:
    return sorted(values)[max(1, math.ceil(len(values) * share)) - 1]


def test_latencies_are_the_runs_in_their_units(exported: dict[str, Any], golden: Model) -> None:
    measured = {
        "publishLatency": [m.ack - m.intended - m.delay for m in golden.published if m.measured],
        "publishDelayLatency": [m.delay for m in golden.published if m.measured],
        "endToEndLatency": golden.measured("receive"),
    }
    shares = {"50pct": 0.5, "95pct": 0.95, "99pct": 0.99, "9999pct": 0.9999, "Max": 1.0}
    for name, values in measured.items():
        unit = 1 if name == "publishDelayLatency" else 1000
        for point, share in shares.items():
            exact = nearest_rank(values, share) / unit
            assert exported[aggregated(name) + point] == pytest.approx(exact), (name, point)
        mean = sum(values) / len(values) / unit
        assert exported[aggregated(name) + "Avg"] == pytest.approx(mean, rel=0.005)
        quantiles = exported[aggregated(name) + "Quantiles"]
        assert list(map(float, quantiles))[-1] == 100
        assert list(quantiles.values())[-1] == pytest.approx(max(values) / unit, rel=0.005)
        first = values[: 10 * RATE]
        assert exported[name + "99pct"][0] == pytest.approx(nearest_rank(first, 0.99) / unit, rel=0.005)


def test_the_period_is_the_users(golden: Model, tailrace: Callable[..., Result], tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    done = tailrace("export-omb", golden.run_id, "--period", "1", "--out", str(out))
    assert done.exit_code == 0, done.output
    content = json.loads(out.read_text())
    assert len(content["publishRate"]) == MEASURE_S


def test_a_run_without_a_measure_phase_is_one_line(golden: Model, tailrace: Callable[..., Result]) -> None:
    done = tailrace("export-omb", "no-such-run")
    assert done.exit_code == 2
    assert "no run 'no-such-run'" in done.output
