# SPDX-License-Identifier: Apache-2.0
"""Runs the named queries, and states the command line that shows the same rows."""

import json
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from clickhouse_connect.driver.client import Client

from tailrace.queries.catalogue import load

Row = dict[str, Any]


class Ask(Protocol):
    """``ask(name, **params)`` returns the rows of the named query for one run."""

    def __call__(self, name: str, /, **params: Any) -> list[Row]: ...


def rows(client: Client, name: str, /, **params: Any) -> list[Row]:
    """The rows of the named query. Write the parameter ``from``, a keyword of Python, as ``since``."""
    query = load(name)
    values = query.fill(_texts(params))
    return [dict(row) for row in client.query(query.text, parameters=values).named_results()]


@dataclass(frozen=True)
class RunReader:
    """Reads one run through the named queries."""

    client: Client
    run_id: str

    def ask(self, name: str, /, **params: Any) -> list[Row]:
        """The rows of the named query for this run, or for another ``run_id`` among ``params``."""
        return rows(self.client, name, **{"run_id": self.run_id, **params})

    def command(self, name: str, **params: Any) -> str:
        """The command line that shows the rows of ``ask``."""
        given = "".join(f" --param {key}={value}" for key, value in _texts(params).items())
        return f"tailrace query {name} --run {self.run_id}{given}"


@contextmanager
def concurrently(count: int = 2) -> Iterator[Executor]:
    """Runs ``count`` queries at a time; each occupies one core of the warehouse.

    An error or Ctrl-C cancels the queries that have not started; the others end first.
    """
    threads = ThreadPoolExecutor(count)
    try:
        yield threads
    except BaseException:
        threads.shutdown(wait=False, cancel_futures=True)
        raise
    threads.shutdown()


def moment(second: float) -> str:
    """Seconds since 1970 as the value of a query's parameter."""
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def json_object(text: str) -> Row:
    """The JSON object in ``text``; empty if there is none, as in rows of old runs."""
    try:
        parsed = json.loads(text or "{}")
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _texts(params: dict[str, Any]) -> dict[str, str]:
    return {("from" if key == "since" else key): str(value) for key, value in params.items()}
