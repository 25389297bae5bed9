# SPDX-License-Identifier: Apache-2.0
"""Shows rows as a table: with borders on a terminal, as aligned text elsewhere."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table


class Grouped(float):
    """A number that is shown in full, its digits in groups of three."""


def show(columns: Sequence[str], rows: Sequence[Sequence[Any]], out: TextIO) -> None:
    """Write the table to ``out``. Numbers are right-aligned; NULL is an empty cell.

    A table without rows is the column names and "no rows". On a narrow terminal the columns move closer,
    or rows become columns; no number is cut.
    """
    if not rows:
        out.write("  ".join(columns) + "\nno rows\n")
        return
    cells = [[cell(value) for value in row] for row in rows]
    right = [all(isinstance(row[i], int | float | None) for row in rows) for i in range(len(columns))]
    if not out.isatty():
        out.writelines(_plain(columns, cells, right, gap=2))
        return
    console = Console(file=out, markup=False, highlight=False)
    if _width(columns, cells, gap=3) + 4 <= console.width:
        table = Table(header_style="bold")
        for name, is_right in zip(columns, right, strict=True):
            table.add_column(name, justify="right" if is_right else "left", no_wrap=True)
        for row in cells:
            table.add_row(*row)
        console.print(table)
        return
    sideways = [list(line) for line in zip(columns, *cells, strict=True)]
    names, values = sideways[0], sideways[1:]
    if _width(columns, cells, gap=1) > console.width >= _width(names, values, gap=1):
        columns, cells, right = names, values, [False] + [True] * (len(names) - 1)
    gap = 2 if _width(columns, cells, gap=2) <= console.width else 1
    out.writelines(_plain(columns, cells, right, gap))


def _width(columns: Sequence[str], cells: Sequence[Sequence[str]], gap: int) -> int:
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    return sum(widths) + gap * (len(widths) - 1)


def _plain(columns: Sequence[str], cells: Sequence[Sequence[str]], right: Sequence[bool], gap: int) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    for line in [list(columns), *cells]:
        padded = [
            text.rjust(width) if is_right else text.ljust(width)
            for text, width, is_right in zip(line, widths, right, strict=True)
        ]
        yield (" " * gap).join(padded).rstrip() + "\n"


def cell(value: Any) -> str:
    """One value as text: times in UTC, numbers with at most 6 significant digits."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        text = value.replace(tzinfo=None).isoformat(sep=" ")
        return text.rstrip("0") if "." in text else text
    if isinstance(value, Grouped):
        return f"{float(value):,.6f}".rstrip("0").rstrip(".")
    if isinstance(value, float):
        return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.0f}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(cell(each) for each in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {cell(each)}" for key, each in value.items()) + "}"
    return str(value)
