# SPDX-License-Identifier: Apache-2.0
"""``tailrace runs``: what is stored, and for how long."""

import sys
from pathlib import Path

import click

from tailrace import warehouse
from tailrace.archive import delete as deleting
from tailrace.archive import retention
from tailrace.archive.exporting import export
from tailrace.archive.importing import import_run
from tailrace.archive.tables import find
from tailrace.audit.command import audit_run
from tailrace.audit.partial import MESSAGES
from tailrace.lookup import LAST, resolve
from tailrace.queries import catalogue
from tailrace.queries.render import show
from tailrace.stack import ttls


@click.group()
def runs() -> None:
    """List, keep, export, import and delete stored runs.

    \b
    Examples:
      tailrace runs list
      tailrace runs pin demo-20260101-120000-a1b2 --note "before the new drives"
      tailrace runs export last --out demo      Parquet files and a manifest
      tailrace runs import demo                 into another warehouse, audited again
      tailrace runs ttl publishes=30d deliveries=30d
    """


@runs.command("list")
def list_runs() -> None:
    """List every stored run, the newest first."""
    answer = warehouse.connect().query(catalogue.load("runs_kept").text)
    show(answer.column_names, answer.result_rows, sys.stdout)


@runs.command()
@click.argument("run_id", metavar="RUN")
@click.option("--note", default="", help="Why it is kept.")
def pin(run_id: str, note: str) -> None:
    """Keep RUN: no TTL takes its rows, and deleting it needs --force."""
    client = warehouse.connect()
    found = resolve(client, run_id)
    retention.pin(client, found, note)
    click.echo(f"pinned {found}")


@runs.command()
@click.argument("run_id", metavar="RUN")
def unpin(run_id: str) -> None:
    """Let the TTLs apply to RUN again."""
    client = warehouse.connect()
    found = resolve(client, run_id)
    retention.unpin(client, found)
    click.echo(f"unpinned {found}")


@runs.command("export")
@click.argument("run_id", metavar="RUN", default=LAST)
@click.option("--out", type=click.Path(path_type=Path), help="New folder; default: RUN's name.")
@click.option("--without-messages", is_flag=True, help="Leave out the messages, keep their rollups.")
def export_run(run_id: str, out: Path | None, without_messages: bool) -> None:
    """Write RUN (default: last) into one folder: Parquet files per table, manifest, checksums."""
    client = warehouse.connect()
    found = resolve(client, run_id)
    folder = out or Path(found)
    export(client, found, folder, click.echo, MESSAGES if without_messages else ())
    click.echo(f"exported {found} to {folder}")


@runs.command("import")
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
def import_folder(folder: Path) -> None:
    """Store the run that was exported to FOLDER, and audit it as where it came from.

    One that was exported without its messages keeps the verdict it came with.

    Exit status 1 when the audit differs from the exported one.
    """
    client = warehouse.connect()
    run = import_run(client, folder, click.echo)
    if run.left_out:
        click.echo(f"imported {run.run_id}, without {' and '.join(run.left_out)}")
        return
    verdict = audit_run(client, run.run_id, sys.stdout)
    if not verdict.agrees_with(run.audit):
        click.echo("the audit differs from the one the run was exported with", err=True)
        raise SystemExit(1)
    click.echo(f"imported {run.run_id}")


@runs.command()
@click.argument("run_id", metavar="RUN")
@click.option("--force", is_flag=True, help="Delete it even if it is pinned or running.")
def delete(run_id: str, force: bool) -> None:
    """Delete every row of RUN for good. Rewrites the parts that hold them, which may take minutes."""
    found, total = deleting.delete(warehouse.connect(), run_id, force, click.echo)
    click.echo(f"deleted {found}: {total:,} rows")


@runs.command()
@click.argument("settings", metavar="[TABLE=DAYSd|TABLE=none]...", nargs=-1)
@click.option("--file", type=click.Path(path_type=Path), help="More settings, one a line.")
@click.option("--print", "print_only", is_flag=True, help="Write the SQL instead of running it.")
def ttl(settings: tuple[str, ...], file: Path | None, print_only: bool) -> None:
    """Show or set how long each table keeps rows of runs that are not pinned.

    By default everything is kept. The engine deletes expired rows when it merges parts, and
    checks existing rows in the background. Every tailrace up applies stack/ttls.env again.
    """
    client = warehouse.connect()
    tables = find(client)
    known = [table.name for table in tables if table.time_column]
    wanted = ttls.read(file, known) if file else {}
    wanted |= dict(ttls.parse(text, known) for text in settings)
    if wanted:
        for statement in retention.statements(tables, wanted, retention.pinned(client)):
            if print_only:
                click.echo(f"{statement};")
            else:
                client.command(statement)
    if not print_only:
        for table in find(client):
            if table.time_column:
                limit = retention.days(table)
                click.echo(f"{table.name:20}{'none' if limit is None else f'{limit}d'}")
