# SPDX-License-Identifier: Apache-2.0
"""The catalogue of metrics is what a running stack exposes, and docs/METRICS.md is made of it."""

from pathlib import Path

import pytest
import yaml

from lab.stand.victoriametrics import missing_names, query
from tailrace.errors import BadInput
from tailrace.metrics import catalogue
from tailrace.stack.api import Endpoints, StackPaths
from tailrace.stack.paths import REPO_ROOT

GOOD = "- {section: S, source: s, metrics: [{name: a, unit: s, meaning: m, promql: a}]}\n"


def test_the_page_is_made_of_the_catalogue() -> None:
    page = catalogue.PAGE.read_text(encoding="utf-8")
    assert page == catalogue.page(catalogue.load()), "run make metrics-catalogue"


def test_every_metric_of_an_idle_stack_is_there(stack: StackPaths) -> None:
    url = Endpoints.load(stack).victoriametrics_url
    metrics = list(catalogue.all_metrics(catalogue.load()))
    wanted = {m.name for m in metrics if m.when == catalogue.ALWAYS and not m.optional}
    assert missing_names(url, wanted) == set()


def test_the_brokers_pressure_is_there_or_reported_missing(stack: StackPaths) -> None:
    url = Endpoints.load(stack).victoriametrics_url
    assert missing_names(url, {"procprobe_pressure_up"}) == set()
    ((_, up),) = query(url, 'procprobe_pressure_up{group="broker"}')
    stalls = query(url, 'procprobe_pressure_seconds_total{group="broker"}')
    assert (up, len(stalls)) in ((1.0, 6), (0.0, 0))


def test_what_is_missing_from_an_idle_stack_has_its_reason() -> None:
    reasons = {m.when for m in catalogue.all_metrics(catalogue.load())}
    assert all(len(r) > 20 for r in reasons - {catalogue.ALWAYS, catalogue.RUN})


def test_what_vmalert_records_is_in_the_catalogue() -> None:
    files = [*(REPO_ROOT / "dashboards" / "alerts").glob("*.yaml")]
    groups = [g for file in files for g in yaml.safe_load(file.read_text("utf-8"))["groups"]]
    recorded = {rule["record"] for group in groups for rule in group["rules"] if "record" in rule}
    names = {metric.name for metric in catalogue.all_metrics(catalogue.load())}
    assert recorded == {name for name in names if name.startswith("tailrace:")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD + GOOD, "a named twice; keep one"),
        (GOOD.replace("unit: s, ", ""), "section S, a: unit missing or unknown"),
        (GOOD.replace("unit: s", "unit: s, wehn: run"), "section S, a: wehn missing or unknown"),
    ],
)
def test_a_wrong_catalogue_is_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "metrics.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=message):
        catalogue.load(file)
