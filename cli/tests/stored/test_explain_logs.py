# SPDX-License-Identifier: Apache-2.0
"""Lines of broker logs are shown beside a verdict and beside the report's episodes."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from clickhouse_connect.driver.client import Client
from test_explain_causes import BEGIN, END

from lab.simulated.hours import Hours
from lab.simulated.model import START_S
from lab.simulated.per_second import Simulated, SimulatedFault
from lab.simulated.signatures import SIGNATURES
from tailrace.explain.logs import printable, uncollected

SLOW = next(levels for name, _, levels in SIGNATURES if name == "writes 10 ms slower")
COLUMNS = ["run_id", "time", "host", "source", "level", "logger", "message"]
HOSTILE = "evil \x1b[31m<script>alert(1)</script>"


def write(client: Client, run_id: str, *lines: tuple[float, str, str, str]) -> None:
    """Each line: (second of the run, source, level, message)."""
    rows = [
        [run_id, int((START_S + at) * 1_000_000), "broker1", source, level, "Log", message]
        for at, source, level, message in lines
    ]
    client.insert("broker_logs", rows, column_names=COLUMNS)


def without_logs(text: str) -> str:
    return re.sub(r"   logs around it.*?(?=   all signals)", "", text, flags=re.S)


def test_lines_are_beside_the_verdict_and_do_not_change_it(client: Client, tailrace: Callable[..., Result]) -> None:
    Simulated("logless", [SimulatedFault(BEGIN, END, SLOW)]).insert(client)
    before = tailrace("explain", "logless").stdout
    assert "logs around it" not in before
    assert "broker logs" not in before
    assert json.loads(tailrace("explain", "logless", "--json").stdout)["episodes"][0]["logs"] is None
    write(
        client,
        "logless",
        (20, "kafka", "ERROR", "long before it"),
        (BEGIN - 2, "kernel", "WARN", "nvme nvme1: I/O 12 QID 3 timeout, aborting"),
        *((BEGIN + at / 10, "kafka", "WARN", f"Append took {at} ms") for at in range(30)),
        *((BEGIN + 1, "kafka", "ERROR", f"error {name}") for name in "abcdef"),
        (BEGIN + 2, "kafka", "INFO", "Rolled a segment"),
    )
    text = tailrace("explain", "logless").stdout
    assert without_logs(text) == before
    shown = text.partition("logs around it, the most severe lines first:\n")[2].splitlines()
    assert shown[0].strip() == ("10:00:58 broker1 kernel WARN nvme nvme1: I/O 12 QID 3 timeout, aborting")
    assert shown[1].strip() == "10:01:01 broker1 kafka ERROR error a"
    assert shown[5].strip() == "… 3 kinds more, 37 lines in all"
    command = shown[6].split()
    assert command[:3] == ["tailrace", "query", "broker_log_evidence"]
    proof = tailrace(*command[1:], "--format", "json").stdout
    assert len(json.loads(proof)) == 8
    assert "(×30)" not in text
    (episode,) = json.loads(tailrace("explain", "logless", "--json").stdout)["episodes"]
    assert [line["level"] for line in episode["logs"]["lines"]] == ["WARN", *["ERROR"] * 4]
    assert (episode["logs"]["more_kinds"], episode["logs"]["all_lines"]) == (3, 37)
    assert episode["verdict"]["cause"] == "slow_drive"


def test_the_pages_show_lines_as_text(client: Client, tailrace: Callable[..., Result], tmp_path: Path) -> None:
    Simulated("logged-page", [SimulatedFault(BEGIN, END, SLOW)]).insert(client)
    write(
        client,
        "logged-page",
        (BEGIN, "kafka", "ERROR", HOSTILE),
        (BEGIN, "kafka", "INFO", "fine"),
        (90, "gc", "WARN", "GC(1) Pause Full (System.gc()) 9M->4M(64M) 1234.500ms"),
        (91, "kernel", "INFO", "XFS (sdb1): Ending clean mount"),
    )
    for command, option in (("explain", "--html"), ("report", "--out")):
        page = tmp_path / f"{command}.html"
        assert tailrace(command, "logged-page", option, page).exit_code == 0
        html = page.read_text(encoding="utf-8")
        assert "evil  [31m&lt;script&gt;alert(1)&lt;/script&gt;" in html
        assert "tailrace query broker_log_evidence --run logged-page" in html
        assert "no broker logs" not in html
    (row,) = re.findall(r'<tr><th scope="row">broker1</th><td>kafka</td>.*</tr>', html)
    assert re.findall(r'class="n">([^<]*)<', row) == ["0", "1", "0", "2"]
    assert "1 more log has no warning." in html
    assert "1234.500ms" in html
    assert '<a href="#logs">' in html


def test_a_log_without_warnings_is_reported_as_such(
    client: Client, tailrace: Callable[..., Result], tmp_path: Path
) -> None:
    Simulated("calm-log", [SimulatedFault(BEGIN, END, SLOW)]).insert(client)
    write(client, "calm-log", (30, "kafka", "INFO", "a"), (BEGIN, "kafka", "INFO", "b"))
    assert "logs around it: no warning, error or long" in tailrace("explain", "calm-log").stdout
    assert tailrace("report", "calm-log", "--out", tmp_path / "r.html").exit_code == 0
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "No warning, error or fatal line among 2." in html
    assert html.count('<table class="logs">') == 0


def test_a_run_on_one_machine_does_not_mention_logs(
    client: Client, tailrace: Callable[..., Result], tmp_path: Path
) -> None:
    Simulated("no-log", [SimulatedFault(BEGIN, END, SLOW)]).insert(client)
    assert tailrace("report", "no-log", "--out", tmp_path / "r.html").exit_code == 0
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert 'id="logs"' not in html
    assert "broker logs" not in html


def test_a_run_on_other_machines_reports_missing_logs(
    client: Client, tailrace: Callable[..., Result], tmp_path: Path
) -> None:
    run = Simulated("far-log", [SimulatedFault(BEGIN, END, SLOW)])
    run.insert(client)
    row: list[Any] = [text.replace("localhost", "broker1") if isinstance(text, str) else text for text in run._run()]
    client.insert("runs", [[*row[:-1], row[-1] + 1]])
    assert "  no broker logs were collected" in tailrace("explain", "far-log").stdout
    assert tailrace("report", "far-log", "--out", tmp_path / "r.html").exit_code == 0
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "No broker logs were collected (Vector ships them, on clusters)." in html
    assert '<table class="logs">' not in html


def test_a_step_of_a_long_run_has_the_lines_around_it(
    client: Client, tailrace: Callable[..., Result], tmp_path: Path
) -> None:
    step = "if(h >= 1, 3, 1)"
    Hours("logged-long", latency=step, drive=step, hours=2).insert(client)
    write(
        client,
        "logged-long",
        (600, "kafka", "ERROR", "long before it"),
        (3590, "kernel", "ERROR", "nvme1: critical warning"),
    )
    text = tailrace("explain", "logged-long").stdout
    assert "broker1 kernel ERROR nvme1: critical warning" in text
    assert "long before it" not in text
    (change,) = json.loads(tailrace("explain", "logged-long", "--json").stdout)["changes"]
    assert [line["source"] for line in change["logs"]["lines"]] == ["kernel"]
    page = tmp_path / "long.html"
    assert tailrace("explain", "logged-long", "--html", page).exit_code == 0
    assert "nvme1: critical warning" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("sending", "hosts", "missing"),
    [
        ([], ["localhost", "localhost"], []),
        ([], ["b1", "b2"], ["no broker logs were collected (Vector ships them, on clusters)"]),
        (["b1"], ["b1", "b2", "b3"], ["no line of the logs on b2, b3 was collected"]),
        (["b1"], ["b1"], []),
    ],
)
def test_hosts_that_sent_no_line_are_named(sending: list[str], hosts: list[str], missing: list[str]) -> None:
    assert uncollected([{"host": host} for host in sending], hosts) == missing


def test_control_characters_do_not_reach_a_terminal() -> None:
    assert printable("a\x1b[2Jb\nc\u202ed\x07") == "a [2Jb c d"
