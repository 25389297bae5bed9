# SPDX-License-Identifier: Apache-2.0
"""``tailrace plan`` with the load generator as it is built."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tailrace.main import cli
from tailrace.runs.plan import peak
from tailrace.stack.paths import REPO_ROOT

PUBLISHED = REPO_ROOT / "experiments" / "kafka-vs-redpanda"


def plan(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["plan", *(str(each) for each in arguments)])


def test_one_run_is_shown_in_full() -> None:
    shown = plan(PUBLISHED / "2-long-run" / "36h.yaml")
    assert shown.exit_code == 0, shown.output
    lines = dict(line.split(maxsplit=1) for line in shown.output.splitlines() if " " in line)
    assert lines["topics"] == "1 with 288 partitions"
    assert lines["clients"] == "4 producers, 4 consumers in 1 groups"
    assert lines["sent"] == "136,396,800,000, 139.7 TB"
    # 288 partitions of 38 GB and an open segment of this machine's broker.
    kept = "11.02 TB after it"
    assert lines["disk"] == f"139.7 TB over all brokers, before retention, {kept}"
    assert lines["measure"].split() == [
        "129,600",
        "time",
        "1,024,000",
        "132,710,400,000",
        "135,895,449,600,000",
    ]
    assert lines["rate"] == "1,024,000 messages/s, 1.049 GB/s"
    # The driver sets the first three; the stack's broker is the default.
    assert lines["producers"] == "acks=all, linger.ms=1, batch.size=131072, compression.type as Kafka's default"
    assert lines["brokers"].startswith("127.0.0.1:")
    assert "payload payload/payload-1Kb.data: no such file, made from its name" in shown.output
    assert "no --driver was given: disk assumes replication factor 1" in shown.output


SMALL = (
    "topics: 1\npartitionsPerTopic: 1\nproducersPerTopic: 1\nsubscriptionsPerTopic: 1\n"
    "consumerPerSubscription: 1\nmessageSize: 100\n"
)


def test_a_curves_peak_is_shown(tmp_path: Path) -> None:
    (tmp_path / "w.yaml").write_text(
        SMALL + "testDuration: 10m\nrateCurve: [{at: 0s, rate: 1000}, {at: 5m, rate: 60000}, {at: 20m, rate: 0}]\n"
    )
    shown = plan(tmp_path / "w.yaml")
    assert shown.exit_code == 0, shown.output
    lines = dict(line.split(maxsplit=1) for line in shown.output.splitlines() if " " in line)
    assert lines["phase"].split() == ["seconds", "at", "most", "until", "messages/s", "peak", "messages", "bytes"]
    assert lines["measure"].split()[3] == "60,000"
    assert lines["rate"].endswith("at most 60,000 messages/s")


def test_a_peak_may_be_where_the_phase_ends() -> None:
    points = [{"at_seconds": 0, "messages_per_second": 100}, {"at_seconds": 200, "messages_per_second": 300}]
    assert peak({"seconds": 100, "curve": points}) == 200
    assert peak({"seconds": 300, "curve": points}) == 300


def test_totals_state_that_a_drain_sends_too(tmp_path: Path) -> None:
    (tmp_path / "w.yaml").write_text(
        SMALL + "producerRate: 1000\nwarmupDurationMinutes: 0\ntestDurationMinutes: 1\nconsumerBacklogSizeGB: 1\n"
    )
    shown = plan(tmp_path / "w.yaml", "--dialect", "redpanda").output
    lines = dict(line.split(maxsplit=1) for line in shown.splitlines() if " " in line)
    # A GiB of 100 bytes, and a minute.
    assert lines["sent"] == "at least 10,797,419, 1.08 GB"
    assert lines["received"] == "at least 10,797,419"
    assert "note: dialect redpanda: testDuration" in shown
    assert "note: dialect redpanda: testDuration" not in plan(tmp_path / "w.yaml", "--dialect", "omb").output


def test_a_dialect_is_passed_on(tmp_path: Path) -> None:
    (tmp_path / "w.yaml").write_text(
        "topics: 1\npartitionsPerTopic: 1\nproducersPerTopic: 1\nsubscriptionsPerTopic: 1\n"
        "consumerPerSubscription: 1\nmessageSize: 100\nproducerRate: 10\ntestDurationMinutes: 1\n"
    )
    guessed = plan(tmp_path / "w.yaml").output
    assert "dialect redpanda would make it 30 min (--dialect redpanda)" in guessed
    planned = json.loads(plan(tmp_path / "w.yaml", "--dialect", "redpanda", "--json").output)
    assert planned["dialect"] == "redpanda"
    assert planned["phases"][0]["seconds"] == 1800


def test_the_points_of_a_campaign_are_a_table() -> None:
    shown = plan(PUBLISHED / "4-record-keys" / "50MBs-40-80-topics.yaml")
    assert "2 points, 2 runs" in shown.output
    assert [line.split()[:2] for line in shown.output.splitlines()[2:5]] == [
        ["point", "topics"],
        ["0", "40"],
        ["1", "80"],
    ]
    one = json.loads(plan(PUBLISHED / "4-record-keys" / "50MBs-40-80-topics.yaml", "--point", 1, "--json").output)
    assert one["varied"] == {"topics": "80"}
    assert len(one["topics"]) == 80


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("topics: 0\n", "w.yaml:1: topics: must be from 1"),
        ("vary: [{topics: 5}]\n", "w.yaml:1: vary.topics: must be a list of values, not 5"),
    ],
)
def test_bad_input_is_exit_code_2(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "w.yaml").write_text(text)
    refused = plan(tmp_path / "w.yaml")
    assert refused.exit_code == 2
    assert problem in refused.stderr
