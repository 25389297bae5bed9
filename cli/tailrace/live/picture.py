# SPDX-License-Identifier: Apache-2.0
"""A snapshot as a picture for a terminal, and as a line for everything else."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from tailrace.live.snapshot import PERCENTILES, Snapshot

NAMES = {"publish": "publish", "end_to_end": "end-to-end", "publish_delay": "publish delay"}
BLOCKS = "▁▂▃▄▅▆▇█"
# Points of a little curve.
REMEMBERED = 40
MISSING = "–"


@dataclass
class History:
    """The last values of what is drawn as a little curve, by its name."""

    values: dict[str, deque[float | None]] = field(default_factory=dict)

    def add(self, snapshot: Snapshot) -> None:
        """One more point of every curve."""
        for stage in NAMES:
            self._add(stage, snapshot.latencies.get(stage, {}).get("p99"))
        for drive in snapshot.drives:
            self._add(f"{drive.host} {drive.device}", drive.values.get("write_ms"))

    def _add(self, name: str, value: float | None) -> None:
        self.values.setdefault(name, deque(maxlen=REMEMBERED)).append(value)

    def curve(self, name: str) -> str:
        """From the lowest to the highest value that it has."""
        values = list(self.values.get(name, ()))
        known = [value for value in values if value is not None]
        if not known:
            return ""
        low, high = min(known), max(known)
        span = (high - low) or 1
        return "".join(
            " " if value is None else BLOCKS[int((value - low) / span * (len(BLOCKS) - 1))]
            for value in values
        )


def picture(
    title: str, status: Sequence[str], snapshot: Snapshot, history: History
) -> RenderableType:
    """``status``: lines that say what phase it is in."""
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
    rates = "   ".join(f"{name} {value:,.0f}/s" for name, value in snapshot.rates.items())
    text = Text(f"{rates}   unshipped {snapshot.unshipped:,.0f}   ")
    return text.append(
        f"failed {snapshot.failed:,.0f}", style="bold red" if snapshot.failed else ""
    )


def _latencies(snapshot: Snapshot, history: History) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("latency, ms")
    for name in PERCENTILES:
        table.add_column(name, justify="right", min_width=9)
    table.add_column("p99 so far", no_wrap=True)
    for stage, name in NAMES.items():
        values = snapshot.latencies.get(stage, {})
        table.add_row(name, *(_ms(values.get(p)) for p in PERCENTILES), history.curve(stage))
    return table


def _drives(snapshot: Snapshot, history: History) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("drive", "write ms", "flush ms", "queue", "busy"):
        table.add_column(column, justify="left" if column == "drive" else "right", min_width=8)
    table.add_column("write ms so far", no_wrap=True)
    for drive in snapshot.drives:
        values = drive.values
        busy = values.get("busy")
        table.add_row(
            f"{drive.device} of {drive.host}", _ms(values.get("write_ms")),
            _ms(values.get("flush_ms")), _ms(values.get("queue")),
            MISSING if busy is None else f"{100 * busy:.0f} %",
            history.curve(f"{drive.host} {drive.device}"),
        )  # fmt: skip
    return table


def line(snapshot: Snapshot) -> str:
    """The snapshot in one line."""
    if snapshot.empty:
        return "no live metrics"
    words = [f"{name} {value:,.0f}/s" for name, value in snapshot.rates.items()]
    for stage in ("publish", "end_to_end"):
        values = snapshot.latencies.get(stage, {})
        words.append(f"{NAMES[stage]} p50 {_ms(values.get('p50'))} p99 {_ms(values.get('p99'))} ms")
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
