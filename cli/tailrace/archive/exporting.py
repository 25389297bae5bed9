# SPDX-License-Identifier: Apache-2.0
"""Writes a run into a folder: Parquet files per table, and a manifest."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

import jinja2
from clickhouse_connect.driver.client import Client

from tailrace import __version__, warehouse
from tailrace.archive.exported import DataFile, ExportedRun, TableFiles
from tailrace.archive.tables import RunTable, find, rows_of
from tailrace.errors import BadInput, Failed

# Rows per file. The warehouse builds each file in memory: some 60 bytes a row, more with long texts.
FILE_ROWS = 1_500_000
FILE_ROWS_OF_TEXTS = 250_000
PARQUET = {"output_format_parquet_compression_method": "zstd"}
MAGIC = b"PAR1"


def export(
    client: Client, run_id: str, folder: Path, say: Callable[[str], None], left_out: Sequence[str] = ()
) -> ExportedRun:
    """Write what is stored of the run into ``folder``, which must be new or empty.

    Skips the tables ``left_out``. Raises BadInput when the folder is not empty or the run is running, Failed when rows
    were added or deleted meanwhile.
    """
    audit = _verdict_of_ended(client, run_id)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"{folder}: is not empty; name another folder with --out")
    folder.mkdir(parents=True, exist_ok=True)
    tables = {}
    exported = [table for table in find(client) if table.name not in left_out]
    for table in exported:
        written = _table(client, table, run_id, folder)
        size = sum(file.bytes for file in written.files)
        say(f"{table.name}: {written.rows:,} rows, {size:,} B in {len(written.files)} files")
        tables[table.name] = written
    run = ExportedRun(
        run_id=run_id,
        exported_time=datetime.now(UTC).isoformat(timespec="seconds"),
        tailrace_version=__version__,
        engine_version=str(client.server_version),
        schema_version=warehouse.schema_version(client),
        audit=audit,
        tables=tables,
        left_out=tuple(left_out),
    )
    text = files("tailrace.archive").joinpath("README.md.j2").read_text("utf-8")
    readme = jinja2.Template(text, trim_blocks=True, keep_trailing_newline=True).render(run=run)
    (folder / "README.md").write_text(readme, encoding="utf-8")
    run.write(folder)
    return run


def _verdict_of_ended(client: Client, run_id: str) -> str:
    sql = "SELECT state, audit FROM v_runs WHERE run_id = {run_id:String}"
    state, audit = warehouse.select(client, sql, run_id=run_id)[0]
    if state == "running":
        raise BadInput(f"run {run_id} is running; export it when it has ended")
    return str(audit)


def _table(client: Client, table: RunTable, run_id: str, folder: Path) -> TableFiles:
    files = []
    for number, (condition, rows) in enumerate(_slices(client, table, run_id)):
        path = f"{table.name}/{number:05}.parquet"
        files.append(_file(client, table, run_id, condition, rows, folder, path))
    total = rows_of(client, table, run_id)
    if total != sum(file.rows for file in files):
        raise Failed(f"table {table.name}: rows of {run_id} were added or deleted meanwhile; export it again")
    return TableFiles(table.columns, total, tuple(files))


def _slices(client: Client, table: RunTable, run_id: str) -> Iterator[tuple[str, int]]:
    """Conditions that divide the run's rows into files, with the rows of each."""
    column = table.time_column
    if column is None:
        rows = rows_of(client, table, run_id)
        if rows:
            yield "true", rows
        return
    sql = (
        f"SELECT toUnixTimestamp({column}) AS s, count() FROM {table.source}"
        " WHERE run_id = {run_id:String} GROUP BY s ORDER BY s"
    )
    texts = any(kind == "String" or kind.startswith("Map") for _, kind in table.columns)
    most = FILE_ROWS_OF_TEXTS if texts else FILE_ROWS
    first, last, rows = 0, 0, 0
    for second, count in warehouse.select(client, sql, run_id=run_id):
        if rows and rows + count > most:
            yield _between(column, first, last), rows
            rows = 0
        if not rows:
            first = second
        last, rows = second, rows + count
    if rows:
        yield _between(column, first, last), rows


def _between(column: str, first: int, last: int) -> str:
    # The bounds have the column's type: against a DateTime, ClickHouse (26.7) reads `< 10` as `<= 9` when it selects
    # parts by microseconds, and skips those that start within second 9.
    start, end = (f"toDateTime64({at}, 6, 'UTC')" for at in (first, last + 1))
    return f"{column} >= {start} AND {column} < {end}"


def _file(client: Client, table: RunTable, run_id: str, condition: str, rows: int, folder: Path, path: str) -> DataFile:
    columns = ", ".join(name for name, _ in table.columns)
    these = f"FROM {table.source} WHERE run_id = {{run_id:String}} AND {condition}"
    found = warehouse.select(client, f"SELECT count() {these}", run_id=run_id)[0][0]
    if found != rows:
        raise Failed(f"{path}: has {found} rows of {rows}; export the run again, or report this")
    data = client.raw_query(f"SELECT {columns} {these}", parameters={"run_id": run_id}, settings=PARQUET, fmt="Parquet")
    if not (data.startswith(MAGIC) and data.endswith(MAGIC)):
        raise Failed(f"{path}: the warehouse's response ended early; export the run again")
    (folder / path).parent.mkdir(exist_ok=True)
    (folder / path).write_bytes(data)
    return DataFile(path, rows, len(data), hashlib.sha256(data).hexdigest())
