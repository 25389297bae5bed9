# SPDX-License-Identifier: Apache-2.0
"""``tailrace ship``."""

from pathlib import Path

import click

from tailrace.runs import spools
from tailrace.stack.api import Endpoints, StackPaths


@click.command()
@click.argument("folder", metavar="DIR", type=lambda path: Path(path).expanduser())
@click.option("--otlp-endpoint", metavar="URL", help="The collector's OTLP/HTTP receiver; default: the stack's own.")
def ship(folder: Path, otlp_endpoint: str | None) -> None:
    """Store the blocks that a run left in its spool DIR, such as .tailrace/state/runs/RUN/spool.

    Stores nothing twice, so it may be interrupted and repeated. Exit code 0 when every event that
    the run recorded is stored, 1 when not (the last line states what was lost, why, and where
    damaged segments are kept), 2 when there is no spool.
    """
    paths = StackPaths.load()
    url = otlp_endpoint or Endpoints.load(paths).otlp_url
    code, errors = spools.ship(paths, folder, url, click.echo)
    for line in errors if code else []:
        click.echo(line, err=True)
    if code:
        raise SystemExit(code)
