# SPDX-License-Identifier: Apache-2.0
"""``tailrace report``: writes the HTML report of a run."""

import webbrowser
from pathlib import Path

import click

from tailrace.options import FILE, RUN_OR_LAST
from tailrace.report.builder import build


@click.command()
@RUN_OR_LAST
@click.option(
    "--out",
    type=FILE,
    help="File to write; default: report.html in the run's folder.",
)
@click.option("--open", "open_it", is_flag=True, help="Open it in the browser.")
def report(run_id: str, out: Path | None, open_it: bool) -> None:
    """Write the report of RUN (default: last) as one self-contained HTML file.

    \b
    Examples:
      tailrace report
      tailrace report demo-20260101-120000-a1b2 --out demo.html
    """
    path = build(run_id, out)
    click.echo(str(path))
    if open_it and not webbrowser.open(path.absolute().as_uri()):
        click.echo("no browser found; open the file above", err=True)
