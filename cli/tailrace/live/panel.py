# SPDX-License-Identifier: Apache-2.0
"""A snapshot as a panel for a terminal, and as a line of text for other output."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from tailrace.live.snapshot import PERCENTILES, Snapshot
from tailrace.stages import COMPARED, EXPLAINED, SHORT

BLOCKS = "▁▂▃▄▅▆▇█"
# Seconds between two snapshots. Queries disturb the measured run, so they are rare.
EVERY_S = 2.0
# The largest and the smallest number of points of a sparkline.
REMEMBERED, FEWEST = 40, 8
SPAN = f"last {REMEMBERED * EVERY_S:.0f} s"
# A sparkline's scale covers at least this factor, so that a steady value looks steady.
SCALE = 1.5
MISSING = "–"


@dataclass
class History:
    """The last values of each sparkline, by name."""

    values: dict[str, deque[float | None]] = field(default_factory=dict)

    def add(self, snapshot: Snapshot) -> None:
        """Add a point to every sparkline."""
        for stage in COMPARED:
            self._add(stage, snapshot.latencies.get(stage, {}).get("p99"))
        for drive in snapshot.drives:
            self._add(f"{drive.host} {drive.device}", drive.values.get("write_ms"))

    def _add(self, name: str, value: float | None) -> None:
        self.values.setdefault(name, deque(maxlen=REMEMBERED)).append(value)

    def sparkline(self, name: str, width: int = REMEMBERED) -> str:
        """The values as block characters. With less room, each is the greatest of several values, so
        that the whole time is shown."""
        values = list(self.values.get(name, ()))
        ends = self.ends(name)
        if not ends:
            return ""
        each = -(-REMEMBERED // max(1, width))
        parts = [values[at : at + each] for at in range(0, len(values), each)]
        low, high = ends
        span = (max(high, SCALE * low) - low) or 1
        marks = [max((value for value in part if value is not None), default=None) for part in parts]
        return "".join(" " if mark is None else BLOCKS[int((mark - low) / span * (len(BLOCKS) - 1))] for mark in marks)

    def ends(self, name: str) -> tuple[float, float] | None:
        """The lowest and the highest value; None if there is no value."""
        known = [value for value in self.values.get(name, ()) if value is not None]
        return (min(known), max(known)) if known else None

    def span(self, name: str) -> str:
        """The ends in words."""
        ends = self.ends(name)
        return "–".join(map(_ms, ends)) if ends else ""


@dataclass(frozen=True)
class Sparkline:
    """A sparkline as wide as the available room."""

    history: History
    name: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(self.history.sparkline(self.name, options.max_width), no_wrap=True)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(FEWEST, REMEMBERED).with_maximum(options.max_width)


def panel(title: str, status: Sequence[str], snapshot: Snapshot, history: History) -> RenderableType:
    """``status``: lines about the phase and its progress."""
    parts: list[RenderableType] = [Text(line, overflow="ellipsis", no_wrap=True) for line in status]
    if snapshot.empty:
        parts.append(Text("no live metrics yet", style="dim"))
    else:
        parts += [_rates(snapshot), _latencies(snapshot, history)]
    if any(drive.values for drive in snapshot.drives):
        parts.append(_drives(snapshot, history))
    if snapshot.alerts:
        parts.append(Text("alerts: " + ", ".join(snapshot.alerts), style="bold red"))
    return Panel(Group(*parts), title=title, title_align="left")


def _rates(snapshot: Snapshot) -> Text:
    rates = "  ".join(f"{name} {value:,.0f}/s" for name, value in snapshot.rates.items())
    text = Text(f"{rates}  unshipped {snapshot.unshipped:,.0f}  ")
    return text.append(f"failed {snapshot.failed:,.0f}", style="bold red" if snapshot.failed else "")


def _latencies(snapshot: Snapshot, history: History) -> Table:
    table = _table("latency, ms", list(PERCENTILES), "p99")
    for stage in COMPARED:
        values = snapshot.latencies.get(stage, {})
        numbers = (_ms(values.get(p)) for p in PERCENTILES)
        table.add_row(SHORT[stage], *numbers, history.span(stage), Sparkline(history, stage))
    return table


def _drives(snapshot: Snapshot, history: History) -> Table:
    table = _table("drive", ["write ms", "flush ms", "queue", "busy"], "write ms")
    for drive in snapshot.drives:
        values, name = drive.values, f"{drive.host} {drive.device}"
        busy = values.get("busy")
        table.add_row(
            f"{drive.device} of {drive.host}", _ms(values.get("write_ms")),
            _ms(values.get("flush_ms")), _ms(values.get("queue")),
            MISSING if busy is None else f"{100 * busy:.0f} %",
            history.span(name), Sparkline(history, name),
        )  # fmt: skip
    return table


def _table(first: str, numbers: Sequence[str], remembered: str) -> Table:
    """``remembered``: the value of the last two columns, low–high and sparkline."""
    table = Table(box=None, pad_edge=False)
    table.add_column(first, no_wrap=True)
    for name in numbers:
        table.add_column(name, justify="right", min_width=6, no_wrap=True)
    table.add_column("low–high", justify="right", no_wrap=True)
    # Only this column may wrap, so only it gets narrower on a narrow terminal.
    table.add_column(f"{remembered}, {SPAN}")
    return table


def line(snapshot: Snapshot) -> str:
    """The snapshot in one line."""
    if snapshot.empty:
        return "no live metrics"
    words = [f"{name} {value:,.0f}/s" for name, value in snapshot.rates.items()]
    for stage in EXPLAINED:
        values = snapshot.latencies.get(stage, {})
        words.append(f"{SHORT[stage]} p50 {_ms(values.get('p50'))} p99 {_ms(values.get('p99'))} ms")
    words.append(f"unshipped {snapshot.unshipped:,.0f}")
    words.append(f"failed {snapshot.failed:,.0f}")
    for drive in snapshot.drives:
        if drive.values:
            write, flush = (_ms(drive.values.get(name)) for name in ("write_ms", "flush_ms"))
            words.append(f"{drive.device} write {write} flush {flush} ms")
    if snapshot.alerts:
        words.append("ALERTS " + ", ".join(snapshot.alerts))
    return "  ".join(words)


def _ms(value: float | None) -> str:
    if value is None:
        return MISSING
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
