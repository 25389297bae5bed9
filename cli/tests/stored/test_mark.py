# SPDX-License-Identifier: Apache-2.0
"""``tailrace mark``: marks are shown, and are never evidence."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from clickhouse_connect.driver.client import Client
from test_explain_picture import embedded

from lab.simulated.hours import Hours
from lab.simulated.model import SECONDS, START_S, Model
from lab.simulated.per_second import Simulated, SimulatedFault
from lab.simulated.signatures import SIGNATURES
from tailrace.queries import catalogue

Tailrace = Callable[..., Result]
SLOW = next(levels for name, _, levels in SIGNATURES if name == "writes 10 ms slower")


def clock(second: float) -> str:
    return datetime.fromtimestamp(START_S + second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def marks(client: Client, run_id: str, kind: str = "mark") -> list[tuple[Any, ...]]:
    question = catalogue.load("run_marks")
    values = question.fill({"run_id": run_id, "kind": kind})
    rows = client.query(question.text, parameters=values).named_results()
    return [
        (
            *(row[name].timestamp() - START_S for name in ("time", "timeEnd")),
            *(row[name] for name in ("title", "text", "tags")),
        )
        for row in rows
    ]


def test_a_mark_is_stored_once_and_counted_by_no_audit(tailrace: Tailrace, client: Client, model: Model) -> None:
    model.insert(client)
    for _ in range(2):
        result = tailrace(
            *("mark", model.run_id, "drive limited\nto 50 MB/s", "--at", clock(7)),
            *("--to", clock(9)),
        )
        assert result.exit_code == 0, result.output
    times = f"{clock(7).replace('T', ' ')} to {clock(9)[11:]}"
    assert result.stdout == (f"marked run {model.run_id}: fault at {times} UTC: drive limited to 50 MB/s\n")
    result = tailrace("mark", model.run_id, "it's over", "--at", clock(11), "--kind", "note")
    assert result.exit_code == 0, result.output
    assert marks(client, model.run_id) == [
        (7, 9, "fault", "drive limited to 50 MB/s", "mark,fault"),
        (11, 11, "note", "it's over", "mark,note"),
    ]
    assert marks(client, model.run_id, "event") == []
    audited = tailrace("audit", model.run_id)
    assert audited.exit_code == 0, audited.output
    counts = catalogue.load("audit_counts")
    given = counts.fill({"run_id": model.run_id, "source": "rollup"})
    rows = client.query(counts.text, parameters=given)
    (events,) = [row for row in rows.named_results() if row["stream"] == "run_events"]
    assert events["stored"] == events["recorded"] == 4


def test_a_run_that_goes_on_is_marked_now(tailrace: Tailrace, client: Client) -> None:
    now = datetime.now(UTC)
    began = now - timedelta(seconds=60)
    row = ["marked-going", "w", "d", "running", began, datetime.fromtimestamp(0, UTC)]
    client.insert("runs", [[*row, 1, 1, "", "", "", "", began]])
    assert tailrace("mark", "marked-going", "pulled the plug").exit_code == 0
    ((start, end, *words),) = marks(client, "marked-going")
    assert start == end
    assert abs(start + START_S - now.timestamp()) < 60
    assert words == ["fault", "pulled the plug", "mark,fault"]
    late = (now + timedelta(hours=1)).isoformat()
    assert "(now)" in tailrace("mark", "marked-going", "later", "--at", late).stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x"], "give the time with --at, from "),
        (["x", "--at", "yesterday"], "--at yesterday: not a time; write it as 2026-01-01T12:00:00"),
        (["x", "--at", clock(-60)], f"--at {clock(-60)}: run "),
        (["x", "--at", clock(5), "--to", clock(SECONDS + 900)], f"--to {clock(SECONDS + 900)}: "),
        (["x", "--at", clock(9), "--to", clock(7)], f"--to {clock(7)} is before --at {clock(9)}"),
        ([" \n", "--at", clock(5)], "TEXT: write 1 to 200 characters"),
        (["\x1b[31m", "--at", clock(5)], "without control characters"),
        (["x" * 201, "--at", clock(5)], "TEXT: write 1 to 200 characters"),
    ],
)
def test_bad_input_is_one_line(
    tailrace: Tailrace, client: Client, golden: Model, arguments: list[str], message: str
) -> None:
    result = tailrace("mark", golden.run_id, *arguments)
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert marks(client, golden.run_id) == []


def test_explain_shows_a_mark_beside_an_episode_and_never_uses_it(tailrace: Tailrace, client: Client) -> None:
    run = Simulated("marked-slow", [SimulatedFault(60, 75, SLOW)])
    run.insert(client)
    before = json.loads(tailrace("explain", "marked-slow", "--json").stdout)
    plain = tailrace("explain", "marked-slow").stdout
    for text, at in (("the network was cut", 61), ("long before", 20)):
        assert tailrace("mark", "marked-slow", text, "--at", clock(at)).exit_code == 0
    after = json.loads(tailrace("explain", "marked-slow", "--json").stdout)
    (episode,) = after["episodes"]
    assert episode["verdict"]["cause"] == "slow_drive"
    assert episode.pop("marked_by_hand") == ["fault: the network was cut"]
    assert before["episodes"][0].pop("marked_by_hand") == []
    assert after == before
    printed = tailrace("explain", "marked-slow").stdout.splitlines()
    line = "   marked: fault, 10:01:01: the network was cut"
    assert [each for each in printed if each not in plain.splitlines()] == [line]


def test_a_step_of_a_long_run_has_its_mark(tailrace: Tailrace, client: Client) -> None:
    step = "if(h >= 1, 3, 1)"
    Hours("marked-long", latency=step, drive=step, hours=2).insert(client)
    (change,) = json.loads(tailrace("explain", "marked-long", "--json").stdout)["changes"]
    assert change["marked_by_hand"] == []
    at = change["moved"][0]["time"].removesuffix("Z")
    assert tailrace("mark", "marked-long", "new drive", "--at", at).exit_code == 0
    (marked,) = json.loads(tailrace("explain", "marked-long", "--json").stdout)["changes"]
    assert marked == change | {"marked_by_hand": ["fault: new drive"]}
    printed = tailrace("explain", "marked-long").stdout
    assert f"   marked: fault, {at[11:]}: new drive\n   closer: " in printed


def test_the_report_draws_and_lists_marks(tailrace: Tailrace, client: Client, tmp_path: Path) -> None:
    Simulated("marked-report", [SimulatedFault(60, 75, SLOW)]).insert(client)
    given = ("--at", clock(60), "--to", clock(75))
    assert tailrace("mark", "marked-report", "<b>slower</b>", *given).exit_code == 0
    target = tmp_path / "r.html"
    assert tailrace("report", "marked-report", "--out", target).exit_code == 0
    html = target.read_text(encoding="utf-8")
    drawn = [each for each in embedded(html)["phases"] if each["name"] == "mark"]
    assert drawn == [{"name": "mark", "label": "<b>slower</b>", "start": 50, "end": 65}]
    when = '<th scope="row">2026-01-15 10:01:00 to 10:01:15</th>'
    assert f"<tr>{when}<td>fault</td><td>&lt;b&gt;slower&lt;/b&gt;</td></tr>" in html
