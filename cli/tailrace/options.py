# SPDX-License-Identifier: Apache-2.0
"""Arguments and options that several commands take."""

from pathlib import Path

import click

FILE = click.Path(dir_okay=False, path_type=Path)
RUN_OR_LAST = click.argument("run_id", metavar="[RUN]", default="last")
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
HTML = click.option(
    "--html", type=FILE, metavar="FILE", help="Also write a page with charts, as one self-contained HTML file."
)
