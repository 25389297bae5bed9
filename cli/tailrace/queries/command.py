# SPDX-License-Identifier: Apache-2.0
"""``tailrace query``: runs a named query."""

import sys
from collections.abc import Iterable
from io import BufferedIOBase
from typing import BinaryIO, cast

import click
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import ClickHouseError

from tailrace import warehouse
from tailrace.errors import BadInput, Failed
from tailrace.lookup import LAST, resolve
from tailrace.queries import catalogue
from tailrace.queries.render import show

RAW_FORMATS = {"csv": "CSVWithNames", "tsv": "TSVWithNames"}


@click.command()
@click.argument("name", required=False)
@click.option("--run", "run_id", metavar="ID", help="Run to read; default: last.")
@click.option("--param", "params", multiple=True, metavar="K=V", help="Value of a parameter; repeatable.")
@click.option("--format", "fmt", type=click.Choice(["table", "csv", "json", "tsv"]), default="table", show_default=True)
@click.option("--print", "print_only", is_flag=True, help="Write the SQL instead of running it.")
@click.option("--list", "list_only", is_flag=True, help="List the queries.")
def query(
    name: str | None, run_id: str | None, params: tuple[str, ...], fmt: str, print_only: bool, list_only: bool
) -> None:
    """Run the query queries/NAME.sql and print its rows.

    \b
    Examples:
      tailrace query --list
      tailrace query latency_percentiles
      tailrace query latency_beside_drive --run last --format csv > drive.csv
      tailrace query latency_percentiles --print    SQL to paste into any ClickHouse client
    """
    if list_only:
        for each in catalogue.names():
            click.echo(f"{each:32}{catalogue.load(each).header.purpose}")
        return
    if name is None:
        raise BadInput("give the name of a query; tailrace query --list shows all")
    query_file = catalogue.load(name)
    given = _pairs(params)
    if run_id is not None:
        if not query_file.takes_run():
            raise BadInput(f"query {name} has no parameter run_id; leave out --run")
        given["run_id"] = run_id
    needs_last = query_file.takes_run() and given.get("run_id", LAST) == LAST
    if print_only and not needs_last:
        click.echo(query_file.statement(query_file.fill(given)), nl=False)
        return
    unnamed = {"run_id": ""} if query_file.takes_run() else {}
    query_file.fill({**unnamed, **given})  # reports a wrong parameter before connecting
    client = warehouse.connect()
    if query_file.takes_run():
        given["run_id"] = resolve(client, given.get("run_id", LAST))
    if "baseline" in given:
        given["baseline"] = resolve(client, given["baseline"])
    values = query_file.fill(given)
    if print_only:
        click.echo(query_file.statement(values), nl=False)
        return
    try:
        _write(client, query_file, values, fmt)
    except ClickHouseError as err:
        raise Failed(f"query {name}: {warehouse.first_line(err)}") from err


def _pairs(params: Iterable[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in params:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise BadInput(f"--param {text}: write it as name=value")
        pairs[key] = value
    return pairs


def _write(client: Client, query_file: catalogue.Query, values: dict[str, str], fmt: str) -> None:
    sql = query_file.text
    if fmt == "table":
        result = client.query(sql, parameters=values)
        # A result without rows has no column names.
        names = result.column_names or [name for name, _ in query_file.header.returns]
        show(names, result.result_rows, sys.stdout)
        return
    sys.stdout.flush()
    out = sys.stdout.buffer
    if fmt == "json":
        _array(client.raw_stream(sql, parameters=values, fmt="JSONEachRow"), out)
        return
    for chunk in client.raw_stream(sql, parameters=values, fmt=RAW_FORMATS[fmt]):
        out.write(chunk)
    out.flush()


def _array(lines: object, out: BinaryIO) -> None:
    """Rows, one JSON object a line, as one JSON array."""
    separator = b"["
    pending = b""
    for chunk in cast(BufferedIOBase, lines):
        *whole, pending = (pending + chunk).split(b"\n")
        for line in whole:
            out.write(separator + b"\n" + line)
            separator = b","
    if pending:
        out.write(separator + b"\n" + pending)
        separator = b","
    out.write(b"[]\n" if separator == b"[" else b"\n]\n")
    out.flush()
