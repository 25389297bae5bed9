# SPDX-License-Identifier: Apache-2.0
"""``tailrace compare``: says what differs between runs."""

import json
import sys
from pathlib import Path

import click

from tailrace import warehouse
from tailrace.compare.comparison import compare as compared
from tailrace.compare.show import document, show
from tailrace.errors import BadInput
from tailrace.explain.reading import Asker
from tailrace.lookup import resolve


@click.command()
@click.argument("run_ids", metavar="A B…", nargs=-1, required=True)
@click.option("--even-if-failed", is_flag=True, help="Compare runs whose audit failed, too.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a page too, as one self-contained HTML file.",
)
@click.option("--seed", type=click.IntRange(0), default=42, help="The same seed draws the same.")
def compare(
    run_ids: tuple[str, ...], even_if_failed: bool, as_json: bool, html: Path | None, seed: int
) -> None:
    """Compare B and further runs with A: rates and latencies of the measure phases.

    Each difference has an interval, and a verdict: higher, lower, or no difference shown. Settings
    that are not the same are listed first.

    \b
    Examples:
      tailrace compare linger-0 linger-5
      tailrace compare kafka-1 redpanda-1 redpanda-2 --html compare.html
      tailrace compare before last --json
    """
    client = warehouse.connect()
    askers = [Asker(client, resolve(client, run_id)) for run_id in run_ids]
    if len(askers) < 2:
        raise BadInput("one run cannot be compared; name two or more: tailrace compare A B")
    twice = sorted({a.run_id for a in askers if [b.run_id for b in askers].count(a.run_id) > 1})
    if twice:
        raise BadInput(f"{twice[0]} is named twice; a run does not differ from itself")
    found = compared(askers, seed, even_if_failed)
    if html:
        # Only who wants the page pays for the templates.
        from tailrace.compare.page import write

        write(found, askers, html)
        click.echo(str(html), err=True)
    if as_json:
        click.echo(json.dumps(document(found), ensure_ascii=False, indent=1))
        return
    show(found, sys.stdout)
