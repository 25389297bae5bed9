# SPDX-License-Identifier: Apache-2.0
"""``tailrace query`` as a user types it."""

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from clickhouse_connect.driver.client import Client
from model import Model

from tailrace.queries import catalogue

Tailrace = Callable[..., Result]
COMMAND = Path(sys.executable).with_name("tailrace")


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


def test_print_gives_sql_that_runs_as_it_is(
    tailrace: Tailrace, client: Client, golden: Model
) -> None:
    result = tailrace(
        *("query", "audit_offsets", "--run", golden.run_id, "--param", "topic=it's"),
        *("--param", "partition=0", "--print"),
    )
    sets = [line for line in result.stdout.splitlines() if line.startswith("SET ")]
    assert sets == [
        f"SET param_run_id = '{golden.run_id}';",
        r"SET param_topic = 'it\'s';",
        "SET param_partition = '0';",
        "SET param_subscription = '0';",
        "SET param_first = '5';",
    ]
    sql = result.stdout.split("\n", len(sets))[-1]
    assert sql.rstrip().endswith(";")
    assert sql.rstrip().rstrip(";") == catalogue.load("audit_offsets").text.rstrip()


def test_print_needs_no_warehouse_when_the_run_is_named(tailrace: Tailrace, nowhere: None) -> None:
    result = tailrace("query", "phases", "--run", "x", "--print")
    assert result.exit_code == 0
    assert result.stdout.startswith("SET param_run_id = 'x';")


def test_list_shows_every_query_with_its_purpose(tailrace: Tailrace) -> None:
    result = tailrace("query", "--list")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines] == catalogue.names()
    assert all(len(line.split()) > 3 for line in lines)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["latency_percentile"], "latency_percentiles"),
        (["latency_percentiles", "--param", "x=1"], "no parameter 'x'"),
        (["latency_percentiles", "--param", "x"], "write it as name=value"),
        (["audit_offsets"], "parameter topic (topic) is missing"),
        (["runs", "--run", "golden"], "reads no single run"),
        (["phases", "--run", "goldn"], "golden"),
        ([], "no query named"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    tailrace: Tailrace, golden: Model, arguments: list[str], said: str
) -> None:
    result = tailrace("query", *arguments)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert said in result.stderr


def test_a_value_of_the_wrong_type_is_one_line(tailrace: Tailrace) -> None:
    result = tailrace("query", "runs", "--param", "limit=many")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert "limit" in result.stderr


@pytest.mark.parametrize("arguments", [["query", "runs"], ["audit", "x"]])
def test_a_warehouse_that_is_down_is_one_line(
    tailrace: Tailrace, nowhere: None, arguments: list[str]
) -> None:
    result = tailrace(*arguments)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "tailrace up" in result.stderr


def test_a_wrong_password_is_said(tailrace: Tailrace, monkeypatch: pytest.MonkeyPatch) -> None:
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
