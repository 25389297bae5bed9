# SPDX-License-Identifier: Apache-2.0
"""What a run leaves in VictoriaMetrics and in the warehouse, of the metrics in the catalogue."""

import subprocess
import sys
from pathlib import Path

import pytest

from lab.stand.victoriametrics import query
from tailrace.api import KEPT_METRICS, LEFT_OUT_METRICS, REPO_ROOT, Endpoints, StackPaths, connect, metrics_catalogue

pytestmark = pytest.mark.e2e

COMMAND = str(Path(sys.executable).with_name("tailrace"))
RUN = "metrics-of-a-run"


@pytest.fixture(scope="module")
def run(stack: StackPaths) -> str:
    smoke = str(REPO_ROOT / "workloads" / "smoke.yaml")
    command = [COMMAND, "run", smoke, "--run-id", RUN, "--no-report"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=180)
    assert done.returncode == 0, done.stderr
    return RUN


def names(when: str) -> set[str]:
    metrics = metrics_catalogue.all_metrics(metrics_catalogue.load())
    return {m.name for m in metrics if m.when == when and not m.optional}


def test_every_metric_of_a_run_was_there(stack: StackPaths, run: str) -> None:
    url = Endpoints.load(stack).victoriametrics_url
    wanted = names(metrics_catalogue.RUN)
    if query(url, "ioprobe_up == 1") == []:
        wanted = {name for name in wanted if not name.startswith("ioprobe_")}
    rows = query(url, 'count by (__name__) (last_over_time({__name__!=""}[5m]))')
    assert wanted - {labels["__name__"] for labels, _ in rows} == set()


def test_the_run_keeps_what_the_selection_names(run: str) -> None:
    client = connect()
    sql = "SELECT metric FROM v_host_metrics WHERE run_id = {r:String} GROUP BY metric"
    kept = {row[0] for row in client.query(sql, parameters={"r": run}).result_rows}
    always = names(metrics_catalogue.ALWAYS)
    matching = client.query(
        "SELECT arrayFilter(n -> match(n, {kept:String}) AND NOT match(n, {out:String}), {names:Array(String)})",
        parameters={
            "kept": f"^({'|'.join(KEPT_METRICS)})$",
            "out": f"^({LEFT_OUT_METRICS})$",
            "names": sorted(always),
        },
    ).result_rows[0][0]
    assert len(matching) > 60
    assert set(matching) - kept == set()
