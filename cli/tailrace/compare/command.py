# SPDX-License-Identifier: Apache-2.0
"""``tailrace compare``: shows the differences between runs."""

import json
import sys
from collections import Counter
from pathlib import Path

import click

from tailrace import warehouse
from tailrace.compare.comparison import SEED
from tailrace.compare.comparison import compare as compared
from tailrace.compare.document import document
from tailrace.compare.text import show
from tailrace.errors import BadInput
from tailrace.lookup import resolve
from tailrace.options import AS_JSON, HTML
from tailrace.queries.ask import RunReader


@click.command()
@click.argument("run_ids", metavar="A B…", nargs=-1, required=True)
@click.option("--even-if-failed", is_flag=True, help="Also compare runs whose audit failed.")
@AS_JSON
@HTML
@click.option("--seed", type=click.IntRange(0), default=SEED, help="Random seed of the bootstrap.")
def compare(run_ids: tuple[str, ...], even_if_failed: bool, as_json: bool, html: Path | None, seed: int) -> None:
    """Compare B and further runs with A: rates and latencies of the measure phases.

    Separate repeats of one setting by commas: A1,A2,A3 B1,B2,B3. Any two runs differ by chance;
    only repeats separate a setting from that. Give at least three repeats of each setting.

    Each difference has an interval and a verdict: higher, lower, or no difference shown. Settings
    that differ are listed first.

    \b
    Examples:
      tailrace compare linger-0 linger-5
      tailrace compare acks1-1,acks1-2,acks1-3 all-1,all-2,all-3
      tailrace compare kafka-1 redpanda-1 redpanda-2 --html compare.html
      tailrace compare before last --json
    """
    client = warehouse.connect()
    if len(run_ids) < 2:
        raise BadInput("one run cannot be compared; give two or more: tailrace compare A B")
    sides = [[RunReader(client, resolve(client, one)) for one in side.split(",")] for side in run_ids]
    named = Counter(reader.run_id for side in sides for reader in side)
    if twice := [run_id for run_id, times in named.items() if times > 1]:
        raise BadInput(f"{twice[0]} is given twice; name each run once")
    found = compared(sides, seed, even_if_failed)
    if html:
        # Templates are slow to import, so only --html imports them.
        from tailrace.compare.page import write

        write(found, [reader for side in sides for reader in side], html)
        click.echo(str(html), err=True)
    if as_json:
        click.echo(json.dumps(document(found), ensure_ascii=False, indent=1))
        return
    show(found, sys.stdout)
