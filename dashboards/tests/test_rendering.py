# SPDX-License-Identifier: Apache-2.0
"""How a file of queries/ becomes a dashboard's statement."""

import pytest

from boards import rendering
from boards.rendering import Expression
from boards.targets import take_targets
from tailrace.api import BadInput


def test_parameters_become_variables_macros_and_values() -> None:
    sql = rendering.points("latency_over_time", {"p99": "p99_us"}, stage="publish", topic="it's")
    assert sql.startswith("SELECT q.time AS time, q.p99_us AS p99\nFROM\n(\n    -- queries/latency_over_time.sql\n")
    assert "run_id = ${run:singlequote} AND stage = 'publish'" in sql
    assert "'it\\'s' = 'all' OR topic = 'it\\'s'" in sql
    assert "CAST($__interval_s AS UInt32)" in sql
    assert "BETWEEN CAST($__fromTime AS DateTime('UTC')) AND CAST($__toTime AS DateTime('UTC'))" in sql
    assert sql.endswith("\nWHERE $__timeFilter(q.time)\nORDER BY time")


def test_seconds_become_points() -> None:
    sql = rendering.per_second(
        "loader_health", {"late": "lag_max_ms"}, ["worker"], how="avg", run_id=Expression("${run:singlequote}")
    )
    head, _, tail = sql.partition("\nFROM\n")
    chosen = "toString(q.worker) AS worker, avg(q.lag_max_ms) AS late"
    assert head == f"SELECT $__timeInterval(q.time) AS time, {chosen}"
    assert tail.endswith(") AS q\nWHERE $__timeFilter(q.time)\nGROUP BY time, worker\nORDER BY time, worker")


def test_a_table_picks_columns_and_writes_some_as_text() -> None:
    sql = rendering.rows("audit_counts", ["worker", "lost"], texts=["lost_reasons"])
    assert sql.startswith("SELECT q.worker AS worker, q.lost AS lost, toString(q.lost_reasons) AS lost_reasons\n")
    assert "$__timeFilter" not in sql
    assert rendering.rows("run_events", ["kind"], time="time").endswith("\nWHERE $__timeFilter(q.time)")


def test_a_variable_is_one_column() -> None:
    chosen = "arrayJoin(arrayPushFront(groupArray(toString(q.topic)), 'all'))"
    sql = rendering.options("run_topics", "topic", first="all")
    assert sql.startswith(f"SELECT {chosen} AS value\nFROM\n")


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("phases", {"stage": "publish"}, "no parameter 'stage'"),
        ("ab_difference", {}, "parameter baseline"),
        ("latency_over_time", {"stage": "publihs"}, "it must be"),
        ("no_such_query", {}, "no query 'no_such_query'"),
    ],
)
def test_a_wrong_parameter_is_named(name: str, given: dict[str, str], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        rendering.question(name, given)


def test_an_expression_may_stand_for_a_choice() -> None:
    sql = rendering.question("latency_heatmap", {"stage": Expression("${stage:singlequote}")})
    assert "stage = ${stage:singlequote}" in sql


def test_no_promql_is_dropped() -> None:
    asked = {"one": "a", "two": "b", "three": "c"}
    assert len(take_targets({"promql": dict(asked)})) == 3
    with pytest.raises(BadInput, match="at most 3 expressions under promql, not one, two, three, four"):
        take_targets({"promql": {**asked, "four": "d"}})
