# SPDX-License-Identifier: Apache-2.0
"""``tailrace export-omb``: writes a run as OpenMessaging Benchmark's result file."""

import json
from pathlib import Path

import click

from tailrace import warehouse
from tailrace.lookup import LAST, resolve
from tailrace.omb.result import result
from tailrace.options import FILE

PERIOD_S = 10


@click.command(name="export-omb")
@click.argument("run_id", metavar="RUN", default=LAST)
@click.option("--out", type=FILE, help="File to write; default: standard output.")
@click.option(
    "--period", type=click.IntRange(1, 3600), default=PERIOD_S, show_default=True, help="Seconds per entry of an array."
)
def export_omb(run_id: str, out: Path | None, period: int) -> None:
    """Write RUN (default: last) as OpenMessaging Benchmark's result JSON.

    \b
    Examples:
      tailrace export-omb --out demo-Kafka.json
      tailrace export-omb demo-20260101-120000-a1b2 --period 1
    """
    client = warehouse.connect()
    text = json.dumps(result(client, resolve(client, run_id), period), indent=2)
    if out is None:
        click.echo(text)
    else:
        out.write_text(text + "\n", encoding="utf-8")
        click.echo(str(out))
