# SPDX-License-Identifier: Apache-2.0
"""``tailrace seeds``: what it refuses, and what it shows and writes of runs that are stored."""

import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result
from clickhouse_connect.driver.client import Client
from test_verdict_read_to_end import BASELINES, grid
from test_verdict_read_to_end import published as times
from trial import Trial

from tailrace.seeds import chart, page, show
from tailrace.seeds.conduct import Answer, ask
from tailrace.seeds.experiment import chosen, published
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
    kafka = Trial("pair-kafka", plan=CLIENTS, more=SIDE)
    alike = replace(kafka, run_id="pair-redpanda", system="redpanda")
    zgc = {**SIDE, "client_jvm": ["-Xmx40g", "-XX:+UseZGC"]}
    other = replace(alike, run_id="pair-zgc", more=zgc)
    for trial in (kafka, alike, other):
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


def test_a_page_tells_machine_numbers_and_draws_the_grid(client: Client, tmp_path: Path) -> None:
    more = {"experiment": {"baselines": BASELINES}, "more": SIDE}
    found = answer(client, "feldera", grid(client, "paged", times, **more))
    page.write(tmp_path / "page.md", [found], client)
    text = (tmp_path / "page.md").read_text()
    assert "2 × c, 1 GiB, o, kernel k; java 17, kafka_client 4.4.0." in text
    claim = "threads help below 1 KiB, as a rule"
    assert f"| feldera | kafka | {claim} | holds | not reported |" in text
    assert "The study's 13 conclusions: 12 reproduced, 0 contradicted, 1 cannot tell" in text
    assert "![seconds by event size](page-feldera.svg)" in text
    assert text.count("| 1024 | 16 | perPartition |") == 1
    lines = drawn((tmp_path / "page-feldera.svg").read_text())
    # Four ways to thread twice, wc and cat | wc at each size, kcat at the two that it read.
    assert [len(points) for points in lines] == [4] * 8 + [4, 2, 4]


def test_a_slower_size_is_drawn_higher() -> None:
    rows = [
        {"event_bytes": 256, "partitions": 1, "threads": "one", "seconds": 8.0},
        {"event_bytes": 1024, "partitions": 1, "threads": "one", "seconds": 2.0},
    ]
    [[(x1, y1), (x2, y2)]] = drawn(chart.grid(rows))
    assert x1 < x2
    assert y1 < y2
