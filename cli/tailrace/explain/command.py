# SPDX-License-Identifier: Apache-2.0
"""``tailrace explain``: says why a run was slow."""

import json
from pathlib import Path

import click

from tailrace import warehouse
from tailrace.errors import BadInput
from tailrace.explain.document import document
from tailrace.explain.explanation import explain as explained
from tailrace.explain.explanation import window
from tailrace.explain.reading import Asker
from tailrace.explain.show import lines
from tailrace.instant import instant
from tailrace.lookup import resolve

# From this length on a run is explained by what changed for good, s.
LONG_S = 3600


@click.command()
@click.argument("run_id", metavar="[RUN]", default="last")
@click.option("--from", "since", metavar="TIME", help="Only what reaches into this time on, UTC.")
@click.option("--to", "to", metavar="TIME", help="Only what began by this time, UTC.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the picture too, as one self-contained HTML file.",
)
@click.option("--long", "over_hours", is_flag=True, help="Steps and trends, also under an hour.")
def explain(
    run_id: str,
    since: str | None,
    to: str | None,
    as_json: bool,
    html: Path | None,
    over_hours: bool,
) -> None:
    """Name the episodes in which RUN (default: last) was slow, and the likely cause of each.

    Of a run of an hour and more it names the steps and trends instead, and what moved first;
    --from and --to look closer at a part of it.

    \b
    Examples:
      tailrace explain
      tailrace explain demo-20260101-120000-a1b2 --json
      tailrace explain last --html why.html
      tailrace explain last --from 2026-01-01T12:00:00 --to 2026-01-01T12:05:00
    """
    if over_hours and (since or to):
        raise BadInput(
            "--long is about the whole run; leave out --from and --to, or leave out --long to look at a part of it"
        )
    first, last = _second("--from", since), _second("--to", to)
    if first is not None and last is not None and first > last:
        raise BadInput(f"--from {since} is after --to {to}; give the earlier time first")
    client = warehouse.connect()
    asker = Asker(client, resolve(client, run_id))
    start, end = window(asker)
    if over_hours or (first is None and last is None and end - start >= LONG_S):
        _over_hours(asker, as_json, html)
        return
    found = explained(asker, first, last)
    if html:
        # Only who wants the picture pays for the templates.
        from tailrace.explain.picture import write

        write(found, html)
        click.echo(str(html), err=True)
    if as_json:
        click.echo(json.dumps(document(found), ensure_ascii=False, indent=1))
        return
    for line in lines(found):
        click.echo(line)


def _over_hours(asker: Asker, as_json: bool, html: Path | None) -> None:
    # numpy and scipy take longer to import than a short run takes to explain.
    from tailrace.explain import long, long_document

    found = long.explain_long(asker)
    if html:
        from tailrace.explain.long_picture import write

        write(found, html)
        click.echo(str(html), err=True)
    if as_json:
        click.echo(json.dumps(long_document.document(found), ensure_ascii=False, indent=1))
        return
    for line in long_document.lines(found):
        click.echo(line)


def _second(option: str, text: str | None) -> int | None:
    if text is None:
        return None
    return int(instant(option, text).timestamp())
