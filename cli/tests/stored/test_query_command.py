# SPDX-License-Identifier: Apache-2.0
"""``tailrace query`` as a user types it."""

import csv
import io
import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import Result
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.httpclient import HttpClient

from lab.simulated.model import Model
from tailrace.lookup import resolve
from tailrace.queries import catalogue
from tailrace.queries.header import parse
from tailrace.runs.store import EPOCH, RunRow, write
from tailrace.stack.api import Endpoints

Tailrace = Callable[..., Result]
COMMAND = Path(sys.executable).with_name("tailrace")

# What these look for (faults, backlogs, alerts, whole minutes, …) the golden run does not have.
NOTHING_IN_GOLDEN = {
    "audit_requests",
    "stages",
    "stages_by",
    "stages_measured",
    "stages_over_time",
    "alerts",
    "broker_log_counts",
    "broker_log_evidence",
    "broker_logs",
    "audit_clock_offsets",
    "audit_corrupt",
    "audit_received_late",
    "audit_received_order",
    "audit_clocks",
    "audit_killed",
    "audit_log_lost",
    "audit_offsets",
    "audit_transactions",
    "audit_unanswered",
    "audits_of_newest_runs",
    "audit_unsent",
    "backlog_drain",
    "campaign_runs",
    "duplicates",
    "host_conditions",
    "latency_points",
    "latency_steps",
    "loader_health",
    "newest_run_latency",
    "run_events",
}


def test_table_is_plain_text_without_a_terminal(tailrace: Tailrace, golden: Model) -> None:
    result = tailrace("query", "phases", "--run", golden.run_id)
    assert result.exit_code == 0, result.output
    header, *rows = result.stdout.splitlines()
    assert header.split() == ["phase", "start_time", "end_time", "duration_s"]
    assert [row.split()[0] for row in rows] == ["warmup", "measure", "drain", "end"]
    assert "2026-01-15 10:00:02" in rows[1]


def test_csv_json_and_tsv_hold_the_same_rows(tailrace: Tailrace, golden: Model) -> None:
    def answer(fmt: str) -> str:
        result = tailrace("query", "latency_percentiles", "--run", golden.run_id, "--format", fmt)
        assert result.exit_code == 0, result.output
        return result.stdout

    rows = json.loads(answer("json"))
    assert len(rows) == 4
    as_text = [{key: str(value) for key, value in row.items()} for row in rows]
    assert list(csv.DictReader(io.StringIO(answer("csv")))) == as_text
    assert list(csv.DictReader(io.StringIO(answer("tsv")), delimiter="\t")) == as_text


def test_json_of_no_rows_is_an_empty_array(tailrace: Tailrace, golden: Model) -> None:
    result = tailrace(
        *("query", "audit_offsets", "--run", golden.run_id, "--param", f"topic={golden.topic}"),
        *("--param", "partition=0", "--format", "json"),
    )
    assert json.loads(result.stdout) == []


def test_the_latest_run_is_the_default(tailrace: Tailrace, client: Client, golden: Model) -> None:
    Model("latest", started_s=2**31).insert(client)
    for arguments in ((), ("--run", "last")):
        result = tailrace("query", "run_manifest", "--format", "json", *arguments)
        assert [row["run_id"] for row in json.loads(result.stdout)] == ["latest"]


def test_a_rejected_run_is_listed_and_is_never_the_last(tailrace: Tailrace, client: Client, golden: Model) -> None:
    at = datetime(2100, 1, 1, tzinfo=UTC)
    row = RunRow("refused", "w", "d", "running", at, EPOCH, 1, 1, "", "", "{}", at)
    write(client, row)
    assert resolve(client) == "refused"
    write(client, row.ended("rejected", at))
    assert resolve(client) != "refused"
    rows = json.loads(tailrace("query", "runs", "--format", "json").stdout)
    assert ("refused", "rejected") in [(row["run_id"], row["state"]) for row in rows]


def test_print_gives_sql_that_runs_as_it_is(tailrace: Tailrace, client: Client, golden: Model) -> None:
    result = tailrace(
        *("query", "audit_offsets", "--run", golden.run_id, "--param", "topic=it's"),
        *("--param", "partition=0", "--print"),
    )
    assert rf"run_id = '{golden.run_id}' AND topic = 'it\'s' AND" in result.stdout
    assert "partition = CAST('0' AS Int32)" in result.stdout
    assert not re.search(r"\{\w+:", result.stdout)
    assert client.query(result.stdout).result_rows == []


@pytest.mark.parametrize("name", catalogue.names())
def test_what_is_printed_is_one_statement_that_answers_the_same(
    tailrace: Tailrace, client: Client, endpoints: Endpoints, golden: Model, name: str
) -> None:
    given = {p.name for p in catalogue.load(name).header.params}
    values = {"run_id": golden.run_id, "topic": golden.topic, "partition": "1", "limit": "7"}
    values["baseline"] = values["runs"] = golden.run_id
    if name == "signal_ranking":
        values |= {"from": "2026-01-15T10:00:08", "to": "2026-01-15T10:00:12"}
    params = [f"--param={key}={value}" for key, value in values.items() if key in given]
    printed = tailrace("query", name, *params, "--print")
    assert printed.exit_code == 0, printed.output
    asked = tailrace("query", name, *params, "--format", "csv")
    # As curl sends it, byte for byte; and through the client.
    request = urllib.request.Request(
        f"{endpoints.warehouse_url}/?default_format=CSVWithNames",
        printed.stdout.encode(),
        {
            "X-ClickHouse-User": endpoints.warehouse_user,
            "X-ClickHouse-Key": endpoints.warehouse_password,
        },
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert answer.read().decode() == asked.stdout
    rows = len(list(csv.reader(io.StringIO(asked.stdout)))) - 1
    assert len(client.query(printed.stdout).result_rows) == rows
    assert rows > 0 or name in NOTHING_IN_GOLDEN


@pytest.mark.parametrize("text", ["it's", "back\\slash", "two\nlines", "{run_id:String}", "tab\t", "é"])
def test_every_text_is_printed_as_itself(client: Client, text: str) -> None:
    header = "-- name: a\n-- purpose: x.\n-- param t String: t\n-- param run_id String: r\n"
    sql = f"{header}-- returns t String\nSELECT {{t:String}} AS t, {{run_id:String}}"
    question = catalogue.Query(parse(sql), sql)
    printed = question.statement({"t": text, "run_id": "other"})
    assert client.query(printed).result_rows == [(text, "other")]


def test_print_needs_no_warehouse_when_the_run_is_named(tailrace: Tailrace, nowhere: None) -> None:
    result = tailrace("query", "phases", "--run", "x", "--print")
    assert result.exit_code == 0
    assert "WHERE run_id = 'x'" in result.stdout


def test_list_shows_every_query_with_its_purpose(tailrace: Tailrace) -> None:
    result = tailrace("query", "--list")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines] == catalogue.names()
    assert all(len(line.split()) > 3 for line in lines)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["latency_percentile"], "latency_percentiles"),
        (["latency_percentiles", "--param", "x=1"], "no parameter 'x'"),
        (["latency_percentiles", "--param", "x"], "write it as name=value"),
        (["audit_offsets"], "parameter topic (topic) is missing"),
        (["runs", "--run", "golden"], "has no parameter run_id"),
        (["phases", "--run", "goldn"], "golden"),
        ([], "give the name of a query"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    tailrace: Tailrace, golden: Model, arguments: list[str], message: str
) -> None:
    result = tailrace("query", *arguments)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("runs", ["limit=many"], "limit=many: it must be a whole number from 0 to 4294967295"),
        ("latency_by_group", ["by=bogus"], "by=bogus: it must be run or second or topic or"),
        ("latency_by_group", ["stage=nonsense"], "stage=nonsense: it must be publish or"),
        ("latency_by_group", ["to_s=-5"], "to_s=-5: it must be 0 or > from_s (0)"),
        ("latency_by_group", ["from_s=3", "to_s=3"], "it must be 0 or > from_s (3)"),
        ("latency_by_group", ["from_s=abc"], "from_s=abc: it must be a number"),
        ("latency_by_group", ["from_s=nan"], "from_s=nan: it must be a number"),
        (
            "latency_by_group",
            ["by=consumer", "stage=publish"],
            "by=consumer needs stage=end_to_end, not publish",
        ),
        ("ramp_knee", ["percentile=200"], "percentile=200: it must be 0 to 100"),
        ("ramp_knee", ["step_s=0"], "step_s=0: it must be 1 to 86400"),
        ("audit_order", ["topic=t", "slices=2", "slice=2"], "it must be < slices (2)"),
        ("run_events", ["from=yesterday"], "it must be a time in UTC such as"),
        (
            "run_events",
            ["from=2026-01-15T10:00:00", "to=2026-01-15T09:00:00"],
            ">= from (2026-01-15T10:00:00)",
        ),
        ("ab_difference", ["baseline=goldn"], "nearest: golden"),
    ],
)
def test_a_wrong_value_is_one_line_and_exit_code_2(
    tailrace: Tailrace, golden: Model, name: str, values: list[str], message: str
) -> None:
    result = tailrace("query", name, *(f"--param={value}" for value in values))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


def test_a_table_without_rows_is_reported(tailrace: Tailrace, golden: Model) -> None:
    result = tailrace("query", "latency_steps", "--run", golden.run_id)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "time  before_us  after_us  ratio  score",
        "no rows",
    ]


@pytest.mark.parametrize("words", ["query runs", "query phases", "audit x", "report x"])
def test_an_error_of_the_warehouse_is_its_first_line(
    tailrace: Tailrace, without: Callable[..., AbstractContextManager[None]], words: str
) -> None:
    with without("v_runs"):
        result = tailrace(*words.split())
    assert result.exit_code == 1
    assert re.fullmatch(r"Error: [^\n]*Code: 60\.[^\n]*v_runs[^\n]*\n", result.stderr)


def test_a_query_may_take_hours(client: Client) -> None:
    assert isinstance(client, HttpClient)
    assert client.timeout.read_timeout == 6 * 3600


@pytest.mark.parametrize("arguments", [["query", "runs"], ["audit", "x"]])
def test_a_warehouse_that_is_down_is_one_line(tailrace: Tailrace, nowhere: None, arguments: list[str]) -> None:
    result = tailrace(*arguments)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "tailrace up" in result.stderr


def test_a_wrong_password_is_reported(tailrace: Tailrace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAILRACE_WAREHOUSE_PASSWORD", "wrong-one")
    result = tailrace("query", "runs")
    assert result.exit_code == 2
    assert "refuses user tester" in result.stderr
    assert "wrong-one" not in result.output


def test_a_closed_pipe_ends_quietly(tailrace: Tailrace, golden: Model) -> None:
    """``tailrace query … | head -1`` with the program itself, not in this process."""
    command = f"'{COMMAND}' query --list | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout.count("\n") == 1
    assert "Traceback" not in done.stderr
