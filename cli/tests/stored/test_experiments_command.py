# SPDX-License-Identifier: Apache-2.0
"""``tailrace experiments``: what it refuses, and what it shows and writes of runs that are stored."""

import io
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result
from clickhouse_connect.driver.client import Client

from lab.simulated.trial import Trial
from tailrace.experiments import results
from tailrace.experiments.execution import UNJUDGED, Outcome, ask
from tailrace.experiments.experiment import chosen, published
from tailrace.experiments.text import numbers, result_line, verdicts
from tailrace.stack.api import StackPaths

Tailrace = Callable[..., Result]
SEEDS = published(StackPaths.load().root)
DRIVE = {
    **{"model": "m", "bytes": 1, "rotational": "0", "scheduler": "none"},
    **{"file_system": "xfs", "mount_options": "noatime"},
}
BROKER = {"id": 1, "host": "localhost", "log_device": "sdb", "drive": DRIVE}
SIDE = {
    "versions": {"java": "17", "kafka_client": "4.4.0"},
    "client_jvm": ["-Xmx1g"],
    "host": {"cpus": 2, "cpu_model": "c", "memory_bytes": 2**30, "os": "o", "kernel": "k"},
    "brokers": [BROKER],
}
CLIENTS = {
    **{"replication_factor": 3, "workers": 1, "topic_config": {}},
    **{"producer_config": {"acks": "all"}, "consumer_config": {}},
}


def outcome(client: Client, name: str, trials: list[Trial]) -> Outcome:
    [experiment] = chosen(SEEDS, [name])
    runs = [trial.run_id for trial in trials]
    for trial in trials:
        trial.insert(client)
    table = ask(client, experiment.table, runs) if experiment.table else []
    unjudged = ask(client, UNJUDGED, runs)
    return Outcome(experiment, runs, ask(client, experiment.verdict, runs), table, unjudged)


def test_experiments_are_listed_without_a_stack(nowhere: None, tailrace: Tailrace) -> None:
    result = tailrace("experiments", "--list")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert len(lines) == 8
    name, _, claim = lines[6].partition(" ")
    assert (name, claim.strip()) == ("6-backlog", "The backlog is drained while the load goes on")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["7-backlog"], "no experiment '7-backlog'; nearest: 6-backlog"),
        (["6-backlog", "--system", "redpanda"], "--system redpanda: the stack has no such broker"),
        (["0-fsync", "--system", "redpanda"], "0-fsync: it runs on kafka only"),
        (["6-backlog"], "6-backlog: it needs 3 brokers and the stack has one"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_started(
    tailrace: Tailrace, arguments: list[str], message: str
) -> None:
    result = tailrace("experiments", *arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert result.output.count("\n") == 1


def test_a_pair_is_compared(client: Client, tailrace: Tailrace) -> None:
    settings = [(0, "topic", "settings", '{"flush.messages":"9223372036854775807"}')]
    kafka = Trial("pair-kafka", plan=CLIENTS, more=SIDE, events=settings)
    alike = replace(kafka, run_id="pair-redpanda", system="redpanda")
    zgc = {**SIDE, "client_jvm": ["-Xmx40g", "-XX:+UseZGC"]}
    other = replace(alike, run_id="pair-zgc", more=zgc)
    flushes = [(0, "topic", "settings", '{"flush.messages":"1"}')]
    flushing = replace(kafka, run_id="pair-flushing", events=flushes)
    for trial in (kafka, alike, other, flushing):
        trial.insert(client)
    fair = tailrace("experiments", "--pair", "pair-kafka", "pair-redpanda")
    assert (fair.exit_code, fair.output.split(":")[0]) == (0, "may be compared")
    unfair = tailrace("experiments", "--pair", "pair-kafka", "pair-zgc")
    assert unfair.exit_code == 1
    assert "client JVM: options: -Xmx1g in pair-kafka, -Xmx40g -XX:+UseZGC in pair-zgc" in unfair.output
    assert "not to be compared: 1 differences" in unfair.output
    flushed = tailrace("experiments", "--pair", "pair-flushing", "pair-redpanda")
    own = "brokers' own settings: flush.messages=1 in pair-flushing, as shipped in pair-redpanda"
    assert (flushed.exit_code, own in flushed.output) == (1, True)


def test_the_table_and_the_result_line_count_verdicts(client: Client) -> None:
    marks = [("backlog_build", 0), ("backlog_drain", 20), ("measure", 40)]
    base = Trial("shown-1", marks=marks, events=[(40, "phase_end", "backlog_drained")])
    never = replace(base, run_id="shown-2", events=[(40, "phase_end", "not_backlog_drained")])
    noisy = replace(base, run_id="shown-3", steal=0.5)
    found = outcome(client, "6-backlog", [base, never, noisy])
    out = io.StringIO()
    numbers(found, out)
    verdicts([found], out)
    text = out.getvalue()
    assert "again: tailrace query verdict_backlog --param runs=shown-1,shown-2,shown-3" in text
    assert text.count("6-backlog") == 3
    line = result_line(2, [found])
    assert line == "RESULT experiments=2 ran=1 holds=1 not=1 cannot_tell=1"


def kept(client: Client, state: Path, name: str, trials: list[Trial]) -> results.Result:
    paths = replace(StackPaths.load(), state=state)
    return results.store(paths, outcome(client, name, trials), "small", "kafka", client, None)


def test_what_was_not_run_is_stated(
    client: Client, tmp_path: Path, tailrace: Tailrace, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = [("backlog_build", 0), ("backlog_drain", 20), ("measure", 40)]
    drained = [(40, "phase_end", "backlog_drained")]
    found = kept(client, tmp_path, "6-backlog", [Trial("stated-1", marks=marks, events=drained, more=SIDE)])
    monkeypatch.setenv("TAILRACE_STATE", str(tmp_path))
    done = tailrace("experiments", "--stored", "--page", str(tmp_path / "all.md"))
    last = "RESULT experiments=8 ran=1 holds=1 not=0 cannot_tell=0"
    assert (done.exit_code, done.output.splitlines()[-1]) == (0, last)
    text = (tmp_path / "all.md").read_text()
    assert f"| 6-backlog | kafka | {found.ended[:10]} | not run yet |" in text
    assert "| 6-backlog | redpanda | not run yet | not run yet |" in text
    # Seven of Kafka's eight small forms, its full forms, and all of the other system's seven.
    assert text.count("not run yet") == 7 + 8 + 2 * 7
    (results.folder(StackPaths.load()) / "small-kafka-6-backlog.json").write_text("{}")
    refused = tailrace("experiments", "--stored")
    assert (refused.exit_code, "not an experiment's result" in refused.output) == (2, True)


@pytest.mark.parametrize("setting", ["acks=1", "linger.ms=0"])
def test_a_pair_of_drivers_that_differ_is_refused(tmp_path: Path, tailrace: Tailrace, setting: str) -> None:
    [own] = chosen(SEEDS, ["3-retention"])
    shutil.copytree(own.folder, tmp_path / "3-retention")
    shutil.copytree(SEEDS / "drivers", tmp_path / "drivers")
    theirs = tmp_path / "drivers" / "small" / "redpanda-acks-all.yaml"
    name = setting.partition("=")[0]
    theirs.write_text(re.sub(rf"{name}=\w+", setting, theirs.read_text()))
    refused = tailrace("experiments", "--from", str(tmp_path), "--small")
    assert refused.exit_code == 2
    assert "3-retention: the two systems' drivers differ:" in refused.output
    assert f"{name}: " in refused.output
    assert refused.output.count("\n") == 1
