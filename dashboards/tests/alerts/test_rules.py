# SPDX-License-Identifier: Apache-2.0
"""The alert rules' own unit tests, run by vmalert-tool, and what they must cover."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from lab.stand.program import built
from tailrace.api import REPO_ROOT, StackPaths

RULES = REPO_ROOT / "dashboards" / "alerts"
SETTINGS = {"TAILRACE_SLO_P99_MS": "100", "TAILRACE_GRAFANA_URL": "http://127.0.0.1:3000"}


def unit_test(file: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [
            built(StackPaths.load().bin / "vmalert-tool"),
            "unittest",
            "-disableAlertgroupLabel",
            f"--files={file}",
        ],
        env=os.environ | SETTINGS,
        capture_output=True,
        text=True,
        check=False,
    )


def alerts() -> dict[str, dict[str, Any]]:
    return {
        rule["alert"]: rule
        for file in RULES.glob("*.yaml")
        for group in yaml.safe_load(file.read_text(encoding="utf-8"))["groups"]
        for rule in group["rules"]
        if "alert" in rule
    }


@pytest.mark.parametrize("file", sorted((RULES / "tests").glob("*.yaml")), ids=lambda f: f.stem)
def test_unit_tests_pass(file: Path) -> None:
    done = unit_test(file)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_rule_that_fires_too_early_fails_its_unit_test(tmp_path: Path) -> None:
    for file in RULES.glob("*.yaml"):
        text = file.read_text(encoding="utf-8")
        (tmp_path / file.name).write_text(text.replace("> 0.1\n", "> 0.0001\n"), encoding="utf-8")
    tests = tmp_path / "tests"
    tests.mkdir()
    source = RULES / "tests" / "drives_test.yaml"
    (tests / source.name).write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    done = unit_test(tests / source.name)
    assert done.returncode != 0
    assert 'alertname="FlushStall", device="sdb"' in done.stdout + done.stderr


def test_every_alert_is_tested_both_ways() -> None:
    fires: set[str] = set()
    silent: set[str] = set()
    for file in (RULES / "tests").glob("*.yaml"):
        for test in yaml.safe_load(file.read_text(encoding="utf-8"))["tests"]:
            series = {line["series"] for line in test["input_series"]}
            for case in test["alert_rule_test"]:
                found = case["exp_alerts"]
                (fires if found else silent).add(case["alertname"])
                # Fewer alerts than devices, hosts or runs: the others are silent beside it.
                if found and len(found) < len(subjects(series)):
                    silent.add(case["alertname"])
    assert fires == set(alerts())
    assert silent == set(alerts())


def subjects(series: set[str]) -> set[str]:
    """What the series are about: text between braces without what only cuts it further."""
    return {text.partition("{")[2].partition(", vmrange")[0] for text in series}


def test_every_alert_states_what_and_where_to_look() -> None:
    for name, rule in alerts().items():
        assert rule["labels"]["severity"] in ("info", "warning", "critical"), name
        assert "{{ $" in rule["annotations"]["summary"], name
        assert rule["annotations"]["dashboard"].startswith("%{TAILRACE_GRAFANA_URL}/d/"), name
        # A full disk belongs to no run: it stays full between runs.
        if name != "DiskFull":
            assert rule["labels"]["run_id"] == "{{ $labels.tailrace_run_id }}", name
