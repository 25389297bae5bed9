# SPDX-License-Identifier: Apache-2.0
"""``tailrace seeds``: what it refuses, and what it shows and writes of runs that are stored."""

import io
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import Result
from clickhouse_connect.driver.client import Client
from test_verdict_read_to_end import BASELINES, grid
from test_verdict_read_to_end import published as times
from trial import Trial

from tailrace.seeds import chart, page, results, show
from tailrace.seeds.conduct import Answer, ask
from tailrace.seeds.experiment import chosen, experiments, published
from tailrace.stack.api import StackPaths

Tailrace = Callable[..., Result]
SEEDS = published(StackPaths.load().root)
DRIVE = {
    **{"model": "m", "bytes": 1, "rotational": "0", "scheduler": "none"},
    **{"file_system": "xfs", "mount_options": "noatime"},
}
SIDE = {
    "versions": {"java": "17", "kafka_client": "4.4.0"},
    "client_jvm": ["-Xmx1g"],
    "host": {"cpus": 2, "cpu_model": "c", "memory_bytes": 2**30, "os": "o", "kernel": "k"},
    "brokers": [{"id": 1, "host": "localhost", "log_device": "sdb", "drive": DRIVE}],
}
CLIENTS = {
    **{"replication_factor": 3, "workers": 1, "topic_config": {}},
    **{"producer_config": {"acks": "all"}, "consumer_config": {}},
}


def answer(client: Client, name: str, trials: list[Trial]) -> Answer:
    [experiment] = chosen(SEEDS, [name])
    runs = [trial.run_id for trial in trials]
    for trial in trials:
        trial.insert(client)
    table = ask(client, experiment.table, runs) if experiment.table else []
    return Answer(experiment, runs, ask(client, experiment.verdict, runs), table)


def drawn(picture: str) -> list[list[tuple[float, float]]]:
    """The points of each line."""
    lines = re.findall(r'<polyline points="([^"]*)"', picture)
    return [
        [(float(x), float(y)) for x, y in re.findall(r"([\d.]+),([\d.]+)", line)] for line in lines
    ]


def test_experiments_are_listed_without_a_stack(nowhere: None, tailrace: Tailrace) -> None:
    result = tailrace("seeds", "--list")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert len(lines) == 8
    name, _, claim = lines[6].partition(" ")
    assert (name, claim.strip()) == ("6-backlog", "The backlog is drained while the load goes on")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["7-backlog"], "no experiment '7-backlog'; nearest: 6-backlog"),
        (["6-backlog", "--system", "redpanda"], "--system redpanda: the stack has none"),
        (["0-fsync", "--system", "redpanda"], "0-fsync: an experiment on kafka only"),
        (["6-backlog"], "6-backlog: it needs 3 brokers and the stack has one"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_started(
    tailrace: Tailrace, arguments: list[str], says: str
) -> None:
    result = tailrace("seeds", *arguments)
    assert result.exit_code == 2
    assert says in result.output
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
    fair = tailrace("seeds", "--pair", "pair-kafka", "pair-redpanda")
    assert (fair.exit_code, fair.output.split(":")[0]) == (0, "may be compared")
    unfair = tailrace("seeds", "--pair", "pair-kafka", "pair-zgc")
    assert unfair.exit_code == 1
    assert (
        "client JVM: options: -Xmx1g in pair-kafka, -Xmx40g -XX:+UseZGC in pair-zgc"
        in unfair.output
    )
    assert "not to be compared: 1 differences" in unfair.output
    flushed = tailrace("seeds", "--pair", "pair-flushing", "pair-redpanda")
    own = "brokers' own settings: flush.messages=1 in pair-flushing, as shipped in pair-redpanda"
    assert (flushed.exit_code, own in flushed.output) == (1, True)


def test_the_table_and_the_result_line_count_verdicts(client: Client) -> None:
    marks = [("backlog_build", 0), ("backlog_drain", 20), ("measure", 40)]
    base = Trial("shown-1", marks=marks, events=[(40, "phase_end", "backlog_drained")])
    never = replace(base, run_id="shown-2", events=[(40, "phase_end", "not_backlog_drained")])
    noisy = replace(base, run_id="shown-3", steal=0.5)
    found = answer(client, "6-backlog", [base, never, noisy])
    out = io.StringIO()
    show.numbers(found, out)
    show.verdicts([found], out)
    text = out.getvalue()
    assert "again: tailrace query verdict_backlog --param runs=shown-1,shown-2,shown-3" in text
    assert text.count("6-backlog") == 3
    line = show.result_line(2, [found])
    assert line == "RESULT experiments=2 ran=1 holds=1 not=1 cannot_tell=1"


def kept(client: Client, state: Path, name: str, trials: list[Trial]) -> results.Result:
    paths = replace(StackPaths.load(), state=state)
    return results.store(paths, answer(client, name, trials), "small", "kafka", client, None)


def test_a_page_tells_machine_numbers_and_draws_the_grid(client: Client, tmp_path: Path) -> None:
    more = {"experiment": {"baselines": BASELINES}, "more": SIDE}
    found = kept(client, tmp_path, "feldera", grid(client, "paged", times, **more))
    page.write(tmp_path / "page.md", experiments(SEEDS), [found])
    text = (tmp_path / "page.md").read_text()
    assert "2 × c, 1 GiB, o, kernel k; java 17, kafka_client 4.4.0." in text
    claim = "threads help below 1 KiB, as a rule"
    assert f"| feldera | small | kafka | {claim} | holds | not reported |" in text
    assert "The study's 15 conclusions: 14 reproduced, 0 contradicted, 1 cannot tell" in text
    assert "![seconds by event size](page-feldera-small-kafka.svg)" in text
    assert text.count("| 1024 | 16 | perPartition |") == 1
    # Of 32 places librdkafka read none, kcat the topics of eight.
    assert text.count("| not measured") == 32 + 24
    lines = drawn((tmp_path / "page-feldera-small-kafka.svg").read_text())
    # Four ways to thread twice, wc and cat | wc at each size, kcat at the two that it read.
    assert [len(points) for points in lines] == [4] * 8 + [4, 2, 4]


def test_the_key_of_the_full_grid_is_in_the_picture() -> None:
    ways = ["one", "perPartition", *(f"pool {number}" for number in (1, 2, 4, 8, 16))]
    ratios = {"wc_ratio": 9, "cat_wc_ratio": 5, "kcat_ratio": 2, "rdkafka_ratio": 3}
    picture = chart.grid(
        [
            {"event_bytes": size, "partitions": p, "threads": way, "seconds": size / 256, **ratios}
            for size in (256, 512, 1024)
            for p in (1, 16)
            for way in ways
        ]
    )
    height = float(re.findall(r'viewBox="0 0 760 (\d+)"', picture)[0])
    keys = re.findall(r'y="(\d+)">([^<]*partition[^<]*|wc -l|cat \| wc -l)<', picture)
    assert [text for _y, text in keys[-5:-1]] == [
        *("kcat, 1 partition", "kcat, 16 partitions"),
        *("librdkafka, 1 partition", "librdkafka, 16 partitions"),
    ]
    assert len(keys) == 2 * 7 + 2 + 2 * 2
    assert max(float(y) for y, _text in keys) < height


def test_a_page_of_two_systems_says_whether_they_may_be_compared(
    client: Client, tmp_path: Path
) -> None:
    settings = [(0, "topic", "settings", '{"flush.messages":"9223372036854775807"}')]
    paths = replace(StackPaths.load(), state=tmp_path)
    own = Trial("beside-kafka", plan=CLIENTS, more=SIDE, events=settings)
    zgc = {**SIDE, "client_jvm": ["-XX:+UseZGC"]}

    def systems(theirs: Trial) -> str:
        for system, trial in (("kafka", own), ("redpanda", theirs)):
            said = answer(client, "2-long-run", [trial])
            results.store(paths, said, "small", system, client, None)
        kept_now = results.stored(paths, [said.experiment])
        page.write(tmp_path / "page.md", [said.experiment], kept_now)
        text = (tmp_path / "page.md").read_text()
        [line] = re.findall(r"^\| 2-long-run \| small \| ((?:may|not).*) \|$", text, re.M)
        return str(line)

    alike = replace(own, run_id="beside-redpanda", system="redpanda")
    assert systems(alike).startswith("may be compared")
    other = replace(alike, run_id="beside-zgc", more=zgc)
    line = "client JVM: options: -Xmx1g in kafka, -XX:+UseZGC in redpanda"
    assert systems(other) == f"not to be compared: {line}"


def test_what_was_not_run_is_said_to_be_so(
    client: Client, tmp_path: Path, tailrace: Tailrace, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = [("backlog_build", 0), ("backlog_drain", 20), ("measure", 40)]
    drained = [(40, "phase_end", "backlog_drained")]
    found = kept(
        client, tmp_path, "6-backlog", [Trial("said-1", marks=marks, events=drained, more=SIDE)]
    )
    monkeypatch.setenv("TAILRACE_STATE", str(tmp_path))
    done = tailrace("seeds", "--stored", "--page", str(tmp_path / "all.md"))
    last = "RESULT experiments=8 ran=1 holds=1 not=0 cannot_tell=0"
    assert (done.exit_code, done.output.splitlines()[-1]) == (0, last)
    text = (tmp_path / "all.md").read_text()
    assert f"| 6-backlog | kafka | {found.ended[:10]} | not run yet |" in text
    assert "| 6-backlog | redpanda | not run yet | not run yet |" in text
    # Seven of Kafka's eight small forms, its full forms, and all of the other system's seven.
    assert text.count("not run yet") == 7 + 8 + 2 * 7
    (results.folder(StackPaths.load()) / "small-kafka-6-backlog.json").write_text("{}")
    refused = tailrace("seeds", "--stored")
    assert (refused.exit_code, "no result of an experiment" in refused.output) == (2, True)


def test_judged_runs_are_exported_beside_the_page(client: Client, tmp_path: Path) -> None:
    trials = [Trial("exported-1", more=SIDE)]
    paths = replace(StackPaths.load(), state=tmp_path)
    said = answer(client, "2-long-run", trials)
    found = results.store(paths, said, "small", "kafka", client, tmp_path / "runs")
    assert found.exports[0]["rows"] > 0
    page.write(tmp_path / "page.md", [said.experiment], [found])
    text = (tmp_path / "page.md").read_text()
    assert f"| exported-1 | runs/exported-1 | {found.exports[0]['rows']} |" in text
    assert results.stored(paths, [said.experiment])[0].exports == found.exports
    # Judged once more, and after an export that was cut off.
    again = results.store(paths, said, "small", "kafka", client, tmp_path / "runs")
    assert again.exports == found.exports
    shutil.rmtree(tmp_path / "runs")
    (tmp_path / "runs" / "exported-1.part" / "left").mkdir(parents=True)
    anew = results.store(paths, said, "small", "kafka", client, tmp_path / "runs")
    assert anew.exports[0]["rows"] == found.exports[0]["rows"]


def test_a_time_in_a_verdict_is_kept_as_text(client: Client, tmp_path: Path) -> None:
    paths = replace(StackPaths.load(), state=tmp_path)
    said = answer(client, "2-long-run", [Trial("timed-1", more=SIDE)])
    rows = [{**row, "reached_time": datetime(2026, 3, 1, 12, tzinfo=UTC)} for row in said.rows]
    results.store(paths, replace(said, rows=rows), "small", "kafka", client, None)
    [found] = results.stored(paths, [said.experiment])
    assert found.answer.rows[0]["reached_time"] == "2026-03-01T12:00:00+00:00"


@pytest.mark.parametrize("setting", ["acks=1", "linger.ms=0"])
def test_a_pair_of_drivers_that_differ_is_refused(
    tmp_path: Path, tailrace: Tailrace, setting: str
) -> None:
    [own] = chosen(SEEDS, ["3-retention"])
    shutil.copytree(own.folder, tmp_path / "3-retention")
    shutil.copytree(SEEDS / "drivers", tmp_path / "drivers")
    theirs = tmp_path / "drivers" / "small" / "redpanda-acks-all.yaml"
    name = setting.partition("=")[0]
    theirs.write_text(re.sub(rf"{name}=\w+", setting, theirs.read_text()))
    refused = tailrace("seeds", "--from", str(tmp_path), "--small")
    assert refused.exit_code == 2
    assert "3-retention: the two systems' drivers are no fair pair:" in refused.output
    assert f"{name}: " in refused.output
    assert refused.output.count("\n") == 1


def test_a_slower_size_is_drawn_higher() -> None:
    rows = [
        {"event_bytes": 256, "partitions": 1, "threads": "one", "seconds": 8.0},
        {"event_bytes": 1024, "partitions": 1, "threads": "one", "seconds": 2.0},
    ]
    [[(x1, y1), (x2, y2)]] = drawn(chart.grid(rows))
    assert x1 < x2
    assert y1 < y2
