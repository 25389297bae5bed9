# SPDX-License-Identifier: Apache-2.0
"""Tables on terminals of any width: laid out again for the width, never cut."""

import io
import re

import pytest

from tailrace.queries.render import show

COLUMNS = ("worker", "stream", "sent", "acked", "failed", "received", "recorded", "lost", "stored")
ROWS = [
    (0, "deliveries", 0, 0, 0, 1600000, 1600000, 0, 1600000),
    (0, "publishes", 1600000, 1600000, 0, 0, 1600000, 0, 1600000),
]

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("width", [160, 100, 80, 72, 40])
def test_no_number_is_cut(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    out = Terminal()
    show(COLUMNS, ROWS, out)
    text = ESCAPE.sub("", out.getvalue())
    assert "…" not in text
    assert text.count("1600000") == 7
    assert max(map(len, text.splitlines())) <= width


def test_a_drawn_table_where_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    out = Terminal()
    show(("a", "b"), [(1, "x")], out)
    assert "│" in out.getvalue()


def test_on_its_side_every_value_keeps_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    out = Terminal()
    show(COLUMNS, ROWS, out)
    lines = [line.split() for line in out.getvalue().splitlines()]
    assert ["stream", "deliveries", "publishes"] in lines
    assert ["received", "1600000", "0"] in lines
