# SPDX-License-Identifier: Apache-2.0
"""The fixture runs: one of each kind that a report must show."""

from typing import Any

from lab.simulated.fixture_run import FixtureRun

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
FAILURE = {
    "check": "stored",
    "where": "worker 0 publishes",
    "expected": 30_000,
    "actual": 27_000,
    "text": "worker 0 publishes: stored rows is 27000, expected 30000 <b>boo</b>",
}


def _point(point: int, size: str) -> dict[str, Any]:
    return {"name": "sweep", "point": point, "repeat": 0, "values": {"messageSize": size}}


FIXTURE_RUNS = {
    "full": FixtureRun("full", audit={"verdict": "pass", "partitions": 4, "failures": [], "notes": []}),
    "hostile": FixtureRun(
        "hostile",
        workload_name=HOSTILE,
        silent_s=(6, 7, 8),
        audit={"verdict": "fail", "partitions": 4, "failures": [FAILURE], "notes": []},
    ),
    "no-metrics": FixtureRun("no-metrics", metrics=False, spike_s=99),
    "empty": FixtureRun("empty", state="interrupted", events=False, metrics=False),
    "troubled": FixtureRun("troubled", late_us=3_000, failed=7, bare=True, marked_s=(10, 14)),
    "sweep-1": FixtureRun("sweep-1", measure_s=12, campaign=_point(0, "1 KB")),
    "sweep-2": FixtureRun("sweep-2", measure_s=12, spike_s=3, campaign=_point(1, "10 KB")),
    "running": FixtureRun("running", state="running", metrics=False),
    "going": FixtureRun("going", state="running", metrics=False, unended=True),
    "aborted": FixtureRun(
        "aborted",
        measure_s=8,
        state="failed",
        errors=(
            ("poll", "consumer 0: TimeoutException"),
            ("run_aborted", "abortWhen.behind: a producer was <0.6 s> behind"),
            ("poll", "consumer 0: TimeoutException"),
        ),
    ),
}
