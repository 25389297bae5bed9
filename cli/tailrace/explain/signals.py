# SPDX-License-Identifier: Apache-2.0
"""The signals of one episode, as ``signal_ranking`` returns them and as the rules see them."""

from collections.abc import Iterable
from dataclasses import dataclass, fields

from tailrace.contracts import ROW_KINDS, SIGNALS, STAGES
from tailrace.queries.ask import Row

# A signal measured in less than this share of an episode counts as not measured.
LEAST_KNOWN = 0.3
# The load generator's signals are exempt, since a stopped program leaves one sample, after it resumes.
# They concern every broker, whatever their host.
LOADER_SIGNALS = ("loader_",)
NO_BROKER = -1
# Other programs sync too, for example the load generator's spool: only the broker's drive counts.
DRIVE_SIGNALS = ("drive_", "request_", "other_requests", "broker_sync")
# Kind of run event → the signal that counts such events around an episode.
EVENT_SIGNALS = {"leader_change": "leader_changes", "rebalance": "rebalances"}
# Every signal that a rule may name: those of metrics, those that v_signals_of_1s computes, and counts of events.
KNOWN_SIGNALS = frozenset(
    {
        *SIGNALS,
        *(f"{stage}_{level}_ms" for stage in STAGES for level in ("p50", "p99")),
        # Transactions are no messages, so the rollup does not count them.
        *(f"{kind}_per_s" for stream, kind in ROW_KINDS.items() if stream != "transactions"),
        *EVENT_SIGNALS.values(),
    }
)


@dataclass(frozen=True)
class Broker:
    """A broker with its host and drive; ``device`` is empty if unknown."""

    id: int
    host: str
    device: str


@dataclass(frozen=True)
class Signal:
    """One row of ``signal_ranking``. Values are in ``unit``.

    ``host``, ``device``: empty, and ``broker``: -1, if the signal belongs to none.
    ``before``: median of the quiet seconds; ``quiet_peak``: their 95th percentile.
    ``during``: upper quartile of the episode, or the lower one (``low``) if the signal fell; ``peak``:
    95th percentile of the episode.
    ``z``: ``during`` - ``before``, in spreads of the quiet seconds.
    ``onset_s``: s from the episode's start until the signal changed, negative if it changed before;
    None if it did not stay changed.
    ``rho``: rank correlation with p99, -1 to 1; None if there are too few seconds.
    ``score``: ``z`` up to 50, weighted by ``rho`` and ``onset_s``; the greatest is the best evidence.
    """

    name: str
    unit: str
    host: str
    device: str
    broker: int
    before: float
    during: float
    low: float
    peak: float
    quiet_peak: float
    z: float
    onset_s: int | None
    rho: float | None
    score: float

    @property
    def rise(self) -> float:
        return self.during - self.before


def parse(rows: Iterable[Row], seconds: int) -> list[Signal]:
    """The signals of an episode of ``seconds``, without those measured in too little of it."""
    signals = []
    for row in rows:
        name = row["signal"]
        if row["seconds"] < LEAST_KNOWN * seconds and not name.startswith(LOADER_SIGNALS):
            continue
        values = {field.name: row[field.name] for field in fields(Signal) if field.name != "name"}
        signals.append(Signal(name=name, **values))
    return signals


class View:
    """The signals that concern one broker and its drive; of several with one name, the strongest."""

    def __init__(self, signals: Iterable[Signal], broker: Broker, rise_ms: float) -> None:
        self.broker = broker
        self.rise_ms = rise_ms
        self._signals: dict[str, Signal] = {}
        for signal in signals:
            if self._concerns(signal):
                known = self._signals.get(signal.name)
                if known is None or known.score < signal.score:
                    self._signals[signal.name] = signal

    def _concerns(self, signal: Signal) -> bool:
        if signal.name.startswith(LOADER_SIGNALS):
            return True
        if signal.host not in ("", self.broker.host):
            return False
        if signal.broker not in (NO_BROKER, self.broker.id):
            return False
        if not self.broker.device or not signal.name.startswith(DRIVE_SIGNALS):
            return True
        # A file system without a known drive has an empty device name.
        return signal.device in (self.broker.device, "")

    def get(self, name: str) -> Signal | None:
        """None if it was not measured."""
        return self._signals.get(name)
