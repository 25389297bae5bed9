# SPDX-License-Identifier: Apache-2.0
"""The view of a run in a terminal, and its lines elsewhere."""

import io
import time

import pytest
from going_run import RUN

from tailrace.live import screen as module
from tailrace.live.screen import screen

PROGRESS = "measure 00:0{}/01:00  sent 1000/s  acked 1000/s  received 1000/s  backlog 0"


class Terminal(io.StringIO):
    """Records what would be shown."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(module, "EVERY_S", 0.2)


def test_without_a_terminal_lines_are_passed_on(metrics: str) -> None:
    printed: list[str] = []
    out = io.StringIO()
    with screen(out, RUN, metrics, [], printed.append) as say:
        say(PROGRESS.format(1))
    assert printed == [PROGRESS.format(1)]
    assert out.getvalue() == ""


def test_in_a_terminal_progress_is_shown_in_place_and_other_lines_stay(metrics: str) -> None:
    out = Terminal()
    printed: list[str] = []
    with screen(out, RUN, metrics, [("b1", "sdb")], printed.append) as say:
        say("log in /somewhere/loadgen.log")
        for second in range(3):
            say(PROGRESS.format(second))
        deadline = time.monotonic() + 20
        while "sdb of b1" not in out.getvalue():
            assert time.monotonic() < deadline, out.getvalue()[-500:]
            time.sleep(0.05)
    assert printed == []
    text = out.getvalue()
    assert "log in /somewhere/loadgen.log" in text
    # The table shows how much was sent; before it exists, the line does.
    assert "measure 00:02/01:00  backlog 0" in text
    assert "SlowFlush" in text
    # Later output replaces the panel.
    assert text.rstrip("\n").endswith("\x1b[2K") or "\x1b[1A" in text[-200:]


def test_each_worker_has_a_line(metrics: str) -> None:
    out = Terminal()
    with screen(out, RUN, metrics, [], lambda line: None) as say:
        say("[0] " + PROGRESS.format(1))
        say("[1] " + PROGRESS.format(2))
        say("[0] " + PROGRESS.format(3))
        deadline = time.monotonic() + 20
        while "[0] measure 00:03" not in out.getvalue():
            assert time.monotonic() < deadline
            time.sleep(0.05)
    last = out.getvalue().rpartition("[0] measure 00:03")[2]
    assert "[1] measure 00:02" in last


def test_without_metrics_the_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    out = Terminal()
    with screen(out, RUN, "http://127.0.0.1:1", [], lambda line: None) as say:
        say(PROGRESS.format(1))
        deadline = time.monotonic() + 20
        while "no live metrics yet" not in out.getvalue():
            assert time.monotonic() < deadline
            time.sleep(0.05)
