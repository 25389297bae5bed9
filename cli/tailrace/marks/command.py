# SPDX-License-Identifier: Apache-2.0
"""``tailrace mark``: adds a note to a run about what you did to it."""

import hashlib
import json
from datetime import UTC, datetime

import click
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import ClickHouseError

from tailrace import warehouse
from tailrace.errors import BadInput, Failed
from tailrace.instant import instant
from tailrace.lookup import REJECTED, resolve
from tailrace.marks.reading import Mark

KINDS = ("fault", "note")
# Characters that fit beside a chart.
LONGEST = 200
COLUMNS = ("run_id", "worker", "time", "kind", "name", "detail")


@click.command()
@click.argument("run_id", metavar="RUN")
@click.argument("text", metavar="TEXT")
@click.option("--at", metavar="TIME", help="When, UTC; default: now, if the run is going on.")
@click.option("--to", metavar="TIME", help="Until when, UTC; default: the mark has no length.")
@click.option("--kind", type=click.Choice(KINDS), default="fault", show_default=True)
def mark(run_id: str, text: str, at: str | None, to: str | None, kind: str) -> None:
    """Note in RUN (or last) what you did to it: a plug pulled, a drive throttled, a broker moved.

    The report, Grafana and tailrace watch show marks. tailrace explain shows them beside an
    episode and never uses them as evidence; the audit ignores them.

    \b
    Examples:
      tailrace mark last "pulled the plug of broker 2"
      tailrace mark last "drive limited" --at 2026-01-01T12:00:00 --to 2026-01-01T12:05:00
      tailrace mark demo-20260101-120000-a1b2 "second reader started" --kind note
    """
    words = " ".join(text.split())
    if not words or len(words) > LONGEST or not words.isprintable():
        raise BadInput(f"TEXT: write 1 to {LONGEST} characters, without control characters")
    began = instant("--at", at) if at else None
    ended = instant("--to", to) if to else None
    client = warehouse.connect()
    run = resolve(client, run_id)
    start, end = _times(client, run, began, ended)
    given = Mark(start.timestamp(), end.timestamp(), kind, words)
    store(client, run, given)
    click.echo(f"marked run {run}: {kind} at {given.clock} UTC: {words}")


def _times(client: Client, run_id: str, at: datetime | None, to: datetime | None) -> tuple[datetime, datetime]:
    """Start and end of the mark. Raises BadInput for a time outside of the run."""
    sql = "SELECT toString(state), started_time, finished_time FROM v_runs WHERE run_id = {run_id:String}"
    state, first, last = warehouse.select(client, sql, run_id=run_id)[0]
    if state == REJECTED:
        raise BadInput(f"run {run_id} never began, so it cannot be marked")
    now = datetime.now(UTC)
    going = state == "running"
    if at is None and not going:
        raise BadInput(f"run {run_id} is {state}; give the time with --at, from {_clock(first)} UTC on")
    start = at or now
    end = to or start
    until = now if going else last
    for option, time in (("--at", start), ("--to", end)):
        if not int(first.timestamp()) <= time.timestamp() <= int(until.timestamp()) + 1:
            raise BadInput(
                f"{option} {_clock(time)}: run {run_id} went on from {_clock(first)} to"
                f" {_clock(until)} UTC{' (now)' if going else ''}"
            )
    if end < start:
        raise BadInput(f"--to {_clock(end)} is before --at {_clock(start)}")
    return start, end


def store(client: Client, run_id: str, given: Mark) -> None:
    """Store the mark once, however often it is given. Raises Failed, or the client's error if the
    warehouse does not answer."""
    end = given.end if given.end > given.start else None
    detail = json.dumps({"text": given.text, "end": end}, ensure_ascii=False)
    time = round(given.start * 1e6)
    name = hashlib.sha256(f"{time} {given.kind} {detail}".encode()).hexdigest()[:16]
    token = {"insert_deduplication_token": f"{run_id}/run_events/mark/{name}"}
    row = [run_id, 0, time, "mark", given.kind, detail]
    try:
        client.insert("run_events", [row], column_names=COLUMNS, settings=token)
    except ClickHouseError as err:
        if warehouse.is_unreachable(err):
            raise
        raise Failed(
            f"the mark is not stored: {warehouse.first_line(err)}; the warehouse user needs write permission"
        ) from err


def _clock(time: datetime) -> str:
    return f"{time:%Y-%m-%dT%H:%M:%S}"
