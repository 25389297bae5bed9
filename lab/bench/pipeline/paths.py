# SPDX-License-Identifier: Apache-2.0
"""The paths that are compared, and the tables that each one fills."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class EventPath:
    """``side`` is ``ours``, ``stock`` or ``client``; the first of ``tables`` holds one row per event.

    ``collector`` is empty where the emitter inserts the rows.
    """

    name: str
    title: str
    side: str
    collector: str
    tables: tuple[str, ...]
    # A stock batch waits up to 5 s in the collector, so silence means the end only after more than that.
    patience_s: float

    @property
    def emits(self) -> bool:
        return bool(self.tables)


NONE = EventPath("none", "no path: the harness alone", "", "", (), 0)
OURS_TABLES = ("default.publishes", "default.rollup_1s", "default.ledger")
OURS = EventPath("block", "ours: blocks", "ours", "collector", OURS_TABLES, 3)
CLIENT = EventPath("client", "same rows, Java client", "client", "", OURS_TABLES, 3)
LOG = EventPath("log", "stock: log record a message", "stock", "stock-collector", ("otel.otel_logs",), 12)
SPAN_TABLES = ("otel.otel_traces", "otel.otel_traces_trace_id_ts")
SPAN = EventPath("span", "stock: span a message", "stock", "stock-collector", SPAN_TABLES, 12)
LOG_DEFAULT = replace(LOG, name="log-default", title="log, SDK defaults")
SPAN_DEFAULT = replace(SPAN, name="span-default", title="span, SDK defaults")
COMPARED = (LOG, SPAN, CLIENT, OURS)
# The events: one topic, batches that share times; or four topics with keys, which spread a batch's times.
SHAPES = ("keyless", "keyed")
