# SPDX-License-Identifier: Apache-2.0
"""Every query file keeps to its header and reads views only."""

import re

import pytest
from clickhouse_connect.driver.client import Client

from lab.simulated.model import Model
from tailrace.api import catalogue, header

# Filled in only to let the engine parse and type the query.
SAMPLE = {
    **{"run_id": "none", "baseline": "other", "topic": "none", "partition": "0"},
    "runs": "none,other",
    **{"from": "2026-01-15T10:00:00", "to": "2026-01-15T10:00:10"},
}


@pytest.fixture(params=catalogue.names())
def query(request: pytest.FixtureRequest) -> catalogue.Query:
    return catalogue.load(request.param)


def foreign_tables(client: Client, sql: str) -> set[str]:
    """What the query reads beside ``v_*`` views and its own WITH names.

    The engine parses and prints the query first, so neither comments nor layout hide a table.
    """
    text = client.query("SELECT formatQuery({q:String})", parameters={"q": sql}).result_rows[0][0]
    own = set(re.findall(r"(\w+) AS\s*\(\s*(?:SELECT|WITH)\b", text))
    read = set(re.findall(r"(?<!ARRAY )\b(?:FROM|JOIN|IN)\s+\(?([a-z`][\w.`]*)", text))
    return {name for name in read - own if not name.startswith("v_")}


def test_the_file_is_named_after_its_header(query: catalogue.Query) -> None:
    assert catalogue.load(query.header.name) == query
    assert query.header.purpose.endswith(".")


def test_header_params_are_the_params_in_the_text(query: catalogue.Query) -> None:
    used = set(re.findall(r"\{(\w+):([\w()']+)\}", query.text))
    assert used == {(param.name, param.type) for param in query.header.params}


def test_returns_is_what_the_engine_returns(client: Client, query: catalogue.Query) -> None:
    given = {p.name: SAMPLE[p.name] for p in query.header.params if p.default is None}
    described = client.query(f"DESCRIBE ({query.text})", parameters=query.fill(given))
    columns = [(row[0], " ".join(row[1].split())) for row in described.result_rows]
    returns = [(name, type_name) for name, type_name in query.header.returns]
    assert [(name, compact(t)) for name, t in columns] == [(name, compact(t)) for name, t in returns]


def test_lines_fit_a_screen_and_long_queries_give_a_reason(query: catalogue.Query) -> None:
    lines = query.text.splitlines()
    assert [line for line in lines if len(line) > 120] == []
    assert len(lines) <= 80 or "\n-- long:" in query.text, f"{len(lines)} lines without '-- long:'"


def compact(type_name: str) -> str:
    """Without the line breaks that the engine puts into tuples."""
    return re.sub(r"\s*([(),])\s*", r"\1", type_name)


def test_only_views_are_read(client: Client, query: catalogue.Query) -> None:
    assert foreign_tables(client, query.text) == set()


def test_allowed_values_are_the_values_in_the_text(query: catalogue.Query) -> None:
    for param in query.header.params:
        place = re.escape(f"{{{param.name}:{param.type}}}")
        compared = set(re.findall(rf"{place} = '([^']*)'", query.text))
        for listed in re.findall(rf"{place} IN \(([^)]*)\)", query.text):
            compared |= set(re.findall(r"'([^']*)'", listed))
        if param.type == "String" and (param.allowed or len(compared) > 1):
            assert compared <= set(param.allowed.split("|")), param.name
    for only in query.header.only:
        allowed = {param.name: param.allowed.split("|") for param in query.header.params}
        assert set(only.values) < set(allowed[only.name])
        assert set(only.needed) < set(allowed[only.other])


def test_the_engine_takes_what_the_header_allows(client: Client, golden: Model, query: catalogue.Query) -> None:
    """Every allowed text finds rows where the default does; ranges' ends, or 0, are no error."""
    required = {p.name: SAMPLE[p.name] for p in query.header.params if p.default is None}
    given = {name: golden.run_id if name == "run_id" else to for name, to in required.items()}
    usual = client.query(query.text, parameters=query.fill(given)).row_count
    for param in query.header.params:
        for value in tried(param):
            values = {**given, param.name: value}
            for only in query.header.only:
                if value in only.values and only.name == param.name:
                    values[only.other] = only.needed[0]
            answer = client.query(query.text, parameters=query.fill(values))
            # A query that chooses the newest run reads whichever one another test stored last.
            of_run = "run_id" in given and query.header.name not in ("run_events", "run_marks")
            if param.type == "String" and of_run:
                assert answer.row_count or not usual, (param.name, value)


def tried(param: header.Param) -> list[str]:
    """Values at which a wrong header would show."""
    if param.type == "String":
        return param.allowed.split("|") if param.allowed else []
    if ("Int" not in param.type and "Float" not in param.type) or param.default is None:
        return []
    ends = [end for end in param.allowed.split("..") if end and end.isdigit()]
    return ends or ["0"]


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("SELECT 1 FROM publishes", {"publishes"}),
        ("SELECT 1 FROM v_runs JOIN /* v_ */ ledger USING run_id", {"ledger"}),
        ("SELECT 1 FROM v_runs WHERE run_id IN runs", {"runs"}),
        ("WITH x AS (SELECT 1 FROM system.parts) SELECT * FROM x", {"system.parts"}),
        ("SELECT * FROM url('http://host/', CSV)", {"url"}),
    ],
)
def test_the_lint_sees_other_tables(client: Client, sql: str, found: set[str]) -> None:
    assert foreign_tables(client, sql) == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-- purpose: x.\n-- returns a UInt8\nSELECT 1", "no '-- name'"),
        ("-- name: a\n-- returns a UInt8\nSELECT 1", "no '-- purpose'"),
        ("-- name: a\n-- purpose: x.\nSELECT 1", "no '-- returns'"),
        ("-- name: a\n-- param x\nSELECT 1", "'-- param x' is not"),
        ("-- name: a\n-- only x=1 y=2\nSELECT 1", "'-- only x=1 y=2' is not"),
        ("-- name: a\n-- purpose: x.\n-- returns a\nSELECT 1", "'a' in '-- returns'"),
    ],
)
def test_an_incomplete_header_is_named(text: str, message: str) -> None:
    with pytest.raises(header.HeaderError, match=re.escape(message)):
        header.parse(text)


def test_a_header_is_read() -> None:
    text = (
        "-- SPDX-License-Identifier: Apache-2.0\n-- name: a\n-- purpose: Why.\n"
        "-- param n UInt32 = 5: how many\n-- param t DateTime64(3): when\n"
        "-- param s String = x in x|y: which\n-- only n=0|1 with s=x\n"
        "-- returns b Map(String, UInt8),\n--     c Tuple(x Int8, y Int8)\nSELECT 1"
    )
    parsed = header.parse(text)
    assert parsed.params == (
        header.Param("n", "UInt32", "5", "how many"),
        header.Param("t", "DateTime64(3)", None, "when"),
        header.Param("s", "String", "x", "which", "x|y"),
    )
    assert parsed.only == (header.Only("n", ("0", "1"), "s", ("x",)),)
    assert parsed.returns == (("b", "Map(String, UInt8)"), ("c", "Tuple(x Int8, y Int8)"))
