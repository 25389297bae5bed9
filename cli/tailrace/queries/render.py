# SPDX-License-Identifier: Apache-2.0
"""Shows rows as a table: drawn on a terminal, aligned text elsewhere."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table


def show(columns: Sequence[str], rows: Sequence[Sequence[Any]], out: TextIO) -> None:
    """Write the table to ``out``. Numbers are right-aligned, NULL is an empty cell."""
    cells = [[cell(value) for value in row] for row in rows]
    right = [
        all(isinstance(row[i], int | float | None) for row in rows) for i in range(len(columns))
    ]
    if out.isatty():
        table = Table(header_style="bold")
        for name, is_right in zip(columns, right, strict=True):
            table.add_column(name, justify="right" if is_right else "left", no_wrap=True)
        for row in cells:
            table.add_row(*row)
        Console(file=out, markup=False, highlight=False).print(table)
        return
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    for line in [list(columns), *cells]:
        padded = [
            text.rjust(width) if is_right else text.ljust(width)
            for text, width, is_right in zip(line, widths, right, strict=True)
        ]
        out.write("  ".join(padded).rstrip() + "\n")


def cell(value: Any) -> str:
    """One value as text: times in UTC with the digits they need, at most 6 significant decimals."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        text = value.replace(tzinfo=None).isoformat(sep=" ")
        return text.rstrip("0") if "." in text else text
    if isinstance(value, float):
        return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.0f}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(cell(each) for each in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {cell(each)}" for key, each in value.items()) + "}"
    return str(value)
