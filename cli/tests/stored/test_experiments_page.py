# SPDX-License-Identifier: Apache-2.0
"""Results of experiments as they are kept, written as pages and drawn."""

import json
import re
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from clickhouse_connect.driver.client import Client
from test_experiments_command import BROKER, CLIENTS, DRIVE, SEEDS, SIDE, kept, outcome

from lab.simulated.model import START_S
from lab.simulated.reading_grid import BASELINES, grid
from lab.simulated.reading_grid import published as times
from lab.simulated.trial import Trial
from tailrace.experiments import chart, page, results
from tailrace.experiments.experiment import chosen, experiments
from tailrace.stack.api import StackPaths


def drawn(picture: str) -> list[list[tuple[float, float]]]:
    """The points of each line."""
    lines = re.findall(r'<polyline points="([^"]*)"', picture)
    return [[(float(x), float(y)) for x, y in re.findall(r"([\d.]+),([\d.]+)", line)] for line in lines]


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


def test_what_may_not_be_judged_is_stated_once_and_drawn_hollow(client: Client, tmp_path: Path) -> None:
    trials = grid(client, "hollow", times, more=SIDE)
    noisy = [replace(trial, steal=0.3) for trial in trials[:2]]
    found = kept(client, tmp_path, "feldera", [*noisy, *trials[2:]])
    page.write(tmp_path / "page.md", experiments(SEEDS), [found])
    text = (tmp_path / "page.md").read_text()
    assert text.count("hollow-256-1-one") == 1
    finished = "2 of 32 runs left out (--restart runs all again):\n\n* the machine was noisy: 30 % of"
    assert text.count(finished) == 1
    assert text.count("; 2 of 32 runs left out |") == text.count("| feldera | small |")
    picture = (tmp_path / "page-feldera-small-kafka.svg").read_text()
    assert picture.count('fill="white" stroke=') == 2
    assert "hollow: may not be judged" in picture


def test_a_page_of_one_result_has_claim_reason_day_and_drive(client: Client, tmp_path: Path) -> None:
    drained = [(40, "phase_end", "backlog_drained")]
    marks = [("backlog_build", 0), ("backlog_drain", 20), ("measure", 40)]
    large = {**DRIVE, "bytes": 2 * 1024**3}
    more = {**SIDE, "brokers": [{**BROKER, "drive": large}]}
    trial = Trial("own-drive", marks=marks, events=drained, more=more)
    finished = replace(outcome(client, "6-backlog", [trial]), drive={"bytesPerSecond": "40MB"})
    paths = replace(StackPaths.load(), state=tmp_path)
    results.store(paths, finished, "small", "kafka", client, None)
    [found] = results.stored(paths, [finished.experiment])
    page.one(tmp_path / "one.md", found)
    text = (tmp_path / "one.md").read_text()
    # When it was run, not when it is judged.
    assert f"Ended {datetime.fromtimestamp(START_S + 60, UTC).isoformat()}." in text
    assert "| the backlog is drained while the load goes on | holds | holds | drained in " in text
    assert "The first broker's drive: m, 2 GiB, xfs, noatime." in text
    assert "made for this experiment, by the fault lab: bytesPerSecond 40MB." in text
    assert "; a self-test: the lab slows this drive |" in text
    [link] = re.findall(r"what was run\]\((.*?)\)", text)
    assert (tmp_path / link).resolve() == finished.experiment.folder / "README.md"


def test_a_result_that_was_kept_without_runs_left_out_is_shown(client: Client, tmp_path: Path) -> None:
    kept(client, tmp_path, "2-long-run", [Trial("kept-before", more=SIDE)])
    [file] = results.folder(replace(StackPaths.load(), state=tmp_path)).glob("*.json")
    text = json.loads(file.read_text())
    file.write_text(json.dumps({k: v for k, v in text.items() if k not in ("unjudged", "drive")}))
    [found] = results.stored(replace(StackPaths.load(), state=tmp_path), chosen(SEEDS, ["2-long-run"]))
    page.write(tmp_path / "page.md", [found.outcome.experiment], [found])
    assert "## 2-long-run, small, kafka" in (tmp_path / "page.md").read_text()


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


def test_a_page_of_two_systems_states_whether_they_may_be_compared(client: Client, tmp_path: Path) -> None:
    settings = [(0, "topic", "settings", '{"flush.messages":"9223372036854775807"}')]
    paths = replace(StackPaths.load(), state=tmp_path)
    own = Trial("beside-kafka", plan=CLIENTS, more=SIDE, events=settings)
    zgc = {**SIDE, "client_jvm": ["-XX:+UseZGC"]}

    def systems(theirs: Trial) -> str:
        for system, trial in (("kafka", own), ("redpanda", theirs)):
            finished = outcome(client, "2-long-run", [trial])
            results.store(paths, finished, "small", system, client, None)
        kept_now = results.stored(paths, [finished.experiment])
        page.write(tmp_path / "page.md", [finished.experiment], kept_now)
        text = (tmp_path / "page.md").read_text()
        [line] = re.findall(r"^\| 2-long-run \| small \| ((?:may|not).*) \|$", text, re.M)
        return str(line)

    alike = replace(own, run_id="beside-redpanda", system="redpanda")
    assert systems(alike).startswith("may be compared")
    other = replace(alike, run_id="beside-zgc", more=zgc)
    line = "client JVM: options: -Xmx1g in kafka, -XX:+UseZGC in redpanda"
    assert systems(other) == f"not to be compared: {line}"


def test_judged_runs_are_exported_beside_the_page(client: Client, tmp_path: Path) -> None:
    trials = [Trial("exported-1", more=SIDE)]
    paths = replace(StackPaths.load(), state=tmp_path)
    finished = outcome(client, "2-long-run", trials)
    found = results.store(paths, finished, "small", "kafka", client, tmp_path / "runs")
    assert found.exports[0]["rows"] > 0
    page.write(tmp_path / "page.md", [finished.experiment], [found])
    text = (tmp_path / "page.md").read_text()
    assert f"| exported-1 | runs/exported-1 | {found.exports[0]['rows']} |" in text
    assert results.stored(paths, [finished.experiment])[0].exports == found.exports
    # Where they do not lie below the page, it names none of their folders.
    (tmp_path / "deep").mkdir()
    page.write(tmp_path / "deep" / "page.md", [finished.experiment], [found])
    elsewhere = (tmp_path / "deep" / "page.md").read_text()
    assert "kept elsewhere:\n\n| run | rows | bytes | sha256 |\n" in elsewhere
    # Judged once more, and after an export that was cut off.
    again = results.store(paths, finished, "small", "kafka", client, tmp_path / "runs")
    assert again.exports == found.exports
    shutil.rmtree(tmp_path / "runs")
    (tmp_path / "runs" / "exported-1.part" / "left").mkdir(parents=True)
    again = results.store(paths, finished, "small", "kafka", client, tmp_path / "runs")
    assert again.exports[0]["rows"] == found.exports[0]["rows"]


def test_a_time_in_a_verdict_is_kept_as_text(client: Client, tmp_path: Path) -> None:
    paths = replace(StackPaths.load(), state=tmp_path)
    finished = outcome(client, "2-long-run", [Trial("timed-1", more=SIDE)])
    rows = [{**row, "reached_time": datetime(2026, 3, 1, 12, tzinfo=UTC)} for row in finished.rows]
    results.store(paths, replace(finished, rows=rows), "small", "kafka", client, None)
    [found] = results.stored(paths, [finished.experiment])
    assert found.outcome.rows[0]["reached_time"] == "2026-03-01T12:00:00+00:00"


def test_a_slower_size_is_drawn_higher() -> None:
    rows = [
        {"event_bytes": 256, "partitions": 1, "threads": "one", "seconds": 8.0},
        {"event_bytes": 1024, "partitions": 1, "threads": "one", "seconds": 2.0},
    ]
    [[(x1, y1), (x2, y2)]] = drawn(chart.grid(rows))
    assert x1 < x2
    assert y1 < y2
