# SPDX-License-Identifier: Apache-2.0
"""``tailrace explain``: names the causes of slow episodes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from tailrace import warehouse
from tailrace.errors import BadInput
from tailrace.explain.document import document
from tailrace.explain.explanation import explain as explained
from tailrace.explain.explanation import window
from tailrace.explain.text import lines
from tailrace.instant import instant
from tailrace.lookup import resolve
from tailrace.options import AS_JSON, HTML, RUN_OR_LAST
from tailrace.queries.ask import RunReader

# Runs of at least this length are explained by steps and trends, s.
LONG_S = 3600


@click.command()
@RUN_OR_LAST
@click.option("--from", "since", metavar="TIME", help="Leave out episodes that ended before this time, UTC.")
@click.option("--to", "to", metavar="TIME", help="Leave out episodes that began after this time, UTC.")
@AS_JSON
@HTML
@click.option("--long", "over_hours", is_flag=True, help="Find steps and trends, also in a run under an hour.")
def explain(run_id: str, since: str | None, to: str | None, as_json: bool, html: Path | None, over_hours: bool) -> None:
    """Name the episodes in which RUN (default: last) was slow, and the likely cause of each.

    For a run of an hour or more, name the steps and trends instead, and which signal changed
    first; --from and --to select a part of it and name its episodes.

    \b
    Examples:
      tailrace explain
      tailrace explain demo-20260101-120000-a1b2 --json
      tailrace explain last --html why.html
      tailrace explain last --from 2026-01-01T12:00:00 --to 2026-01-01T12:05:00
    """
    if over_hours and (since or to):
        raise BadInput(
            "--long covers the whole run; leave out --from and --to, or leave out --long to see a part of it"
        )
    first, last = _second("--from", since), _second("--to", to)
    if first is not None and last is not None and first > last:
        raise BadInput(f"--from {since} is after --to {to}; give the earlier time first")
    client = warehouse.connect()
    reader = RunReader(client, resolve(client, run_id))
    start, end = window(reader)
    if over_hours or (first is None and last is None and end - start >= LONG_S):
        _over_hours(reader, as_json, html)
        return
    found = explained(reader, first, last)
    if html:
        # Templates are slow to import, so only --html imports them.
        from tailrace.explain.page import write

        write(found, html)
        click.echo(str(html), err=True)
    _print(document(found) if as_json else lines(found))


def _over_hours(reader: RunReader, as_json: bool, html: Path | None) -> None:
    # numpy and scipy take longer to import than a short run takes to explain.
    from tailrace.explain import long_document, long_run, long_text

    found = long_run.explain_long(reader)
    if html:
        from tailrace.explain.long_page import write

        write(found, html)
        click.echo(str(html), err=True)
    _print(long_document.document(found) if as_json else long_text.lines(found))


def _print(output: dict[str, Any] | Iterator[str]) -> None:
    """A document as JSON, or lines of text."""
    texts = [json.dumps(output, ensure_ascii=False, indent=1)] if isinstance(output, dict) else output
    for text in texts:
        click.echo(text)


def _second(option: str, text: str | None) -> int | None:
    if text is None:
        return None
    return int(instant(option, text).timestamp())
