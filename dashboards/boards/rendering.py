# SPDX-License-Identifier: Apache-2.0
"""Turns files of queries/ into what Grafana's ClickHouse data source runs.

Parameters become Grafana's variables and macros, and a SELECT around the file picks columns, keeps
to the dashboard's time range, and sorts by time. Nothing else makes SQL for a dashboard.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tailrace.api import catalogue, quote


@dataclass(frozen=True)
class Expression:
    """Something that Grafana puts a value in for, as opposed to a value."""

    text: str


Value = str | Expression
# Names shown to columns; a plain list is shown under its own names.
Columns = Mapping[str, str] | Sequence[str]

# What fills a parameter wherever a query has one of that name and nothing else is given.
USUAL: Mapping[str, Expression] = {
    "run_id": Expression("${run:singlequote}"),
    # Each is quoted alone, then joined: a quote in an id stays a quote.
    "runs": Expression("arrayStringConcat([${runs:singlequote}], ',')"),
    "point_s": Expression("$__interval_s"),
    "from": Expression("$__fromTime"),
    "to": Expression("$__toTime"),
}
MACROS = ("$__timeFilter", "$__timeInterval", "$__fromTime", "$__toTime", "$__interval_s")


def question(name: str, given: Mapping[str, Value]) -> str:
    """The file ``name`` without its header, with every parameter filled in.

    Raises BadInput for a parameter that the file does not have or that has no value.
    """
    query = catalogue.load(name)
    usual = {p.name: USUAL[p.name] for p in query.header.params if p.name in USUAL}
    values: dict[str, Value] = {**usual, **given}
    query.fill({name: _sample(value, name) for name, value in values.items()})
    text = query.text[query.text.index("\n-- returns") :]
    text = "\n".join(line for line in text.splitlines() if not line.startswith("--")).strip()
    for param in query.header.params:
        value = values.get(param.name, param.default or "")
        text = text.replace(f"{{{param.name}:{param.type}}}", _literal(value, param.type))
    return text


def _sample(value: Value, name: str) -> str:
    """A value of the right kind for the query to check names by; expressions have none yet."""
    if isinstance(value, str):
        return value
    samples = {"point_s": "1", "from": "2026-01-15T10:00:00", "to": "2026-01-15T11:00:00"}
    return {**samples, "stage": "end_to_end"}.get(name, "all")


def _literal(value: Value, type_name: str) -> str:
    text = value.text if isinstance(value, Expression) else quote(value)
    return text if type_name == "String" else f"CAST({text} AS {type_name})"


def _around(name: str, given: Mapping[str, Value]) -> str:
    inner = re.sub(r"^", "    ", question(name, given), flags=re.M)
    return f"FROM\n(\n    -- queries/{name}.sql\n{inner}\n) AS q"


def _picked(columns: Mapping[str, str], form: str = "{}") -> list[str]:
    return [f"{form.format(f'q.{column}')} AS {shown}" for shown, column in columns.items()]


def _named(columns: Columns) -> Mapping[str, str]:
    return columns if isinstance(columns, Mapping) else {column: column for column in columns}


def points(query: str, columns: Columns, labels: Sequence[str] = (), **given: Value) -> str:
    """A time series of a query that makes the points itself (``point_s``)."""
    chosen = ["q.time AS time", *_picked(_named(labels), "toString({})"), *_picked(_named(columns))]
    order = ", ".join(["time", *labels])
    return f"SELECT {', '.join(chosen)}\n{_around(query, given)}\nWHERE $__timeFilter(q.time)\nORDER BY {order}"


def per_second(query: str, columns: Columns, labels: Sequence[str] = (), how: str = "max", **given: Value) -> str:
    """A time series of a query with a row per second; ``how`` makes one point of many seconds.

    ``max`` shows the worst second; a rate is to be averaged (``avg``).
    """
    chosen = ["$__timeInterval(q.time) AS time", *_picked(_named(labels), "toString({})")]
    chosen += _picked(_named(columns), f"{how}({{}})")
    group = ", ".join(["time", *labels])
    return (
        f"SELECT {', '.join(chosen)}\n{_around(query, given)}\n"
        f"WHERE $__timeFilter(q.time)\nGROUP BY {group}\nORDER BY {group}"
    )


def rows(query: str, columns: Columns, texts: Columns = (), time: str = "", **given: Value) -> str:
    """A table. ``texts`` are columns of types that Grafana has no cell for; ``time`` limits it."""
    chosen = _picked(_named(columns)) + _picked(_named(texts), "toString({})")
    where = f"\nWHERE $__timeFilter(q.{time})" if time else ""
    return f"SELECT {', '.join(chosen)}\n{_around(query, given)}{where}"


def options(query: str, column: str, first: str = "", **given: Value) -> str:
    """The values of a variable in the query's order; ``first`` is one more, such as ``all``."""
    value = f"toString(q.{column})"
    if first:
        value = f"arrayJoin(arrayPushFront(groupArray({value}), {quote(first)}))"
    return f"SELECT {value} AS value\n{_around(query, given)}"


FORMS: Mapping[str, Callable[..., str]] = {"points": points, "per_second": per_second, "rows": rows, "options": options}


def statement(form: str, entry: Mapping[str, Any]) -> str:
    """What an entry of a page asks for. A value ``$name`` is the dashboard's variable of that name."""
    return FORMS[form](**{key: _value(each) if isinstance(each, str | int) else each for key, each in entry.items()})


def _value(given: str | int) -> Value:
    text = str(given)
    return Expression(f"${{{text[1:]}:singlequote}}") if text.startswith("$") else text
