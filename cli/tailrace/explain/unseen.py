# SPDX-License-Identifier: Apache-2.0
"""Says what a run's metrics could not show, so that silence is not taken for calm."""

from collections.abc import Iterable
from datetime import datetime

from tailrace.explain.signals import Row

# Who should be there, on each broker's host, and what cannot be seen without.
EXPECTED = {
    "node": "node_exporter: drives, the host's CPU, pressure and network",
    "kafka": "the broker's JMX agent: stages of requests, log flushes, pauses, retention",
    "procprobe": "procprobe: CPU and pressure of the broker alone",
    "ioprobe": "ioprobe: sync calls, block requests by process",
    "loadgen": "the load generator's own pauses and scheduling lag",
}
# Its hosts are not those of brokers.
LOADER = "loadgen"
# What ioprobe's reason begins a part with: what is missing then.
FEATURES = {"sync_calls: ": "sync calls", "block_requests: ": "block requests"}
AT_MOST = 8


def sentences(gaps: Iterable[Row], brokers: Iterable[tuple[str, str]]) -> list[str]:
    """One sentence for each thing not seen. ``brokers``: (host, drive under the log)."""
    rows, brokers = list(gaps), list(brokers)
    told: list[str] = []
    for job, what in EXPECTED.items():
        present = {row["host"] for row in rows if row["kind"] == "present" and row["job"] == job}
        if not present:
            told.append(f"no metrics of {what}")
        elif job != LOADER and "" not in present:
            lacking = (host for host, _ in brokers if host not in present)
            told += [f"no metrics on {host} of {what}" for host in lacking]
    told += [f"the drive under the log of a broker on {host} is not known" for host, device in brokers if not device]
    for kind, sentence in SENTENCES.items():
        found = [sentence(row) for row in rows if row["kind"] == kind]
        told += found[:AT_MOST]
        if len(found) > AT_MOST:
            told.append(f"and {len(found) - AT_MOST} more of this kind: tailrace query metric_gaps")
    return list(dict.fromkeys(told))


def _place(row: Row) -> str:
    names = [row["job"], f"drive {row['device']}" if row["device"] else "", row["host"]]
    return " on ".join(name for name in (names[1] or names[0], names[2]) if name)


def _clock(time: datetime) -> str:
    return time.strftime("%H:%M:%S")


def _gap(row: Row) -> str:
    if row["to_time"] is None:
        return f"gap in metrics of {_place(row)} from {_clock(row['from_time'])} to the end"
    times = f"{_clock(row['from_time'])}–{_clock(row['to_time'])}"
    return f"gap in metrics of {_place(row)} {times}"


def _late(row: Row) -> str:
    return f"no metrics of {_place(row)} before {_clock(row['to_time'])}"


def _reset(row: Row) -> str:
    return (
        f"counters of {_place(row)} began anew at {_clock(row['to_time'])}: no rate is known"
        f" across that ({row['detail']})"
    )


def _came(row: Row) -> str:
    return f"{_place(row)} appeared at {_clock(row['to_time'])}: before that it has no quiet time to compare with"


def _went(row: Row) -> str:
    return f"{_place(row)} was last seen at {_clock(row['from_time'])}"


def _refused(row: Row) -> str:
    on = f" on {row['host']}" if row["host"] else ""
    if row["job"] == "ioprobe":
        reason = row["detail"].partition(": ")[2]
        missing = [what for name, what in FEATURES.items() if name in reason]
        what = f"no {missing[0]}" if len(missing) == 1 else "nothing"
        return f"ioprobe{on} saw {what}: {reason or 'it does not say why'}"
    return f"no pressure of the broker alone{on}, only the host's (procprobe_pressure_up is 0)"


def _unsynchronised(row: Row) -> str:
    return (
        f"nothing keeps the clock of {row['host']}: times of different hosts may be apart,"
        " and with them who moved first"
    )


SENTENCES = {
    "refused": _refused,
    "late": _late,
    "gap": _gap,
    "reset": _reset,
    "came": _came,
    "went": _went,
    "unsynchronised": _unsynchronised,
}
