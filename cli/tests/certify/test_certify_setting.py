# SPDX-License-Identifier: Apache-2.0
"""A certificate states how many copies its messages had, and what an interrupted one has tried."""

import json
from pathlib import Path

import pytest

from tailrace.certify import command, setting, trial
from tailrace.certify.certificate import Certificate, Line
from tailrace.certify.checks import Check
from tailrace.certify.claims import Claim, all_claims
from tailrace.certify.cluster import Address, Cluster
from tailrace.runs.planning import Plan
from tailrace.stack.api import StackPaths


def plan(factor: int, **topic: str) -> Plan:
    return Plan({"replication_factor": factor, "topic_config": topic})


@pytest.mark.parametrize(
    ("given", "least"), [(plan(1), "2"), (plan(1, **{"min.insync.replicas": "1"}), "1")], ids=["cluster", "topic"]
)
def test_what_the_topic_does_not_state_is_the_clusters(given: Plan, least: str) -> None:
    found = setting.copies(given, {"min.insync.replicas": "2"})
    assert found == {"replication.factor": "1", "min.insync.replicas": least}


def test_one_copy_is_stated_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(Cluster, "addresses", lambda _self: [Address(1, "b", 9092)])
    driver = tmp_path / "mine.yaml"
    driver.write_text("name: mine\n")
    options = trial.Options("c", StackPaths.load(), driver, None, 60, None, 7, tmp_path, tmp_path)
    cluster = Cluster(options.paths, tmp_path / "client.properties", False)
    known = {"metadata.version": "29", "min.insync.replicas": "1"}
    facts = setting.facts(cluster, known, setting.copies(plan(1), known), options)
    assert next(iter(facts.items())) == (
        "copies",
        "replication.factor=1, min.insync.replicas=1; one copy: a broker that is lost takes its messages with it",
    )
    assert facts["driver"] == f"mine, {driver}"
    assert facts["features"] == "metadata.version=29"


def stopped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, after: int) -> Certificate:
    """A certificate of all claims that is interrupted in the claim number ``after``."""
    tried: list[Claim] = []

    def trying(claim: Claim, *_more: object) -> Line:
        if len(tried) == after:
            raise KeyboardInterrupt
        tried.append(claim)
        return Line(claim, {}, "r", check=Check(10, (), 0.1), failed_sends=3)

    monkeypatch.setattr(command, "_tried", trying)
    monkeypatch.setattr(trial, "prepared", lambda *_given: type("Ready", (), {"plan": plan(3)}))
    cluster = Cluster(StackPaths.load(), tmp_path, False)
    monkeypatch.setattr(trial, "cluster", lambda *_given: cluster)
    monkeypatch.setattr(Cluster, "facts", lambda _self: {"transaction.version": "2"})
    monkeypatch.setattr(Cluster, "addresses", lambda _self: [])
    driver = tmp_path / "mine.yaml"
    driver.write_text("name: mine\n")
    options = trial.Options("c", cluster.paths, driver, None, 60, None, 7, tmp_path, tmp_path)
    return command._certificate(all_claims(), options)


@pytest.mark.parametrize("after", [0, 1])
def test_an_interrupted_certificate_writes_what_there_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, after: int
) -> None:
    names = [claim.name for claim in all_claims()]
    found = stopped(monkeypatch, tmp_path, after)
    assert not found.holds
    assert found.result.startswith(f"RESULT claims={len(names)} hold={after} ")
    assert found.result.endswith(f" interrupted={names[after]}")
    written = json.loads((tmp_path / command.DOCUMENT).read_text())
    assert (written["interrupted"], written["untried"]) == (names[after], names[after:])
    assert [line["failed_sends"] for line in written["claims"]] == [3] * after
    page = (tmp_path / command.PAGE).read_text()
    assert f"<dt>interrupted</dt><dd>in {names[after]}</dd>" in page
