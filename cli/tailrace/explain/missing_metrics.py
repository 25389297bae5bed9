# SPDX-License-Identifier: Apache-2.0
"""States what a run's metrics could not show, so that missing data is not taken for quiet."""

from collections.abc import Iterable
from datetime import datetime

from tailrace.queries.ask import Row

# The jobs expected on each broker's host, and what each of them measures.
EXPECTED = {
    "node": "node_exporter: drives, the host's CPU, pressure and network",
    "kafka": "the broker's JMX agent: stages of requests, log flushes, pauses, retention",
    "procprobe": "procprobe: CPU and pressure of the broker alone",
    "ioprobe": "ioprobe: sync calls, I/O requests by process",
    "loadgen": "the load generator's own pauses and scheduling lag",
}
# The job that runs on load hosts, not on brokers' hosts.
LOADER = "loadgen"
# How each part of ioprobe's reason begins, and what is missing then.
FEATURES = {"sync_calls: ": "sync calls", "block_requests: ": "I/O requests"}
AT_MOST = 8


def sentences(gaps: Iterable[Row], brokers: Iterable[tuple[str, str]]) -> list[str]:
    """One sentence for each thing not measured. ``brokers``: (host, drive under the log)."""
    rows, brokers = list(gaps), list(brokers)
    missing: list[str] = []
    for job, what in EXPECTED.items():
        present = {row["host"] for row in rows if row["kind"] == "present" and row["job"] == job}
        if not present:
            missing.append(f"no metrics of {what}")
        elif job != LOADER and "" not in present:
            missing += [f"no metrics on {host} of {what}" for host, _ in brokers if host not in present]
    missing += [f"the drive under the log of a broker on {host} is not known" for host, device in brokers if not device]
    for kind, sentence in SENTENCES.items():
        found = [sentence(row) for row in rows if row["kind"] == kind]
        missing += found[:AT_MOST]
        if len(found) > AT_MOST:
            missing.append(f"and {len(found) - AT_MOST} more of this kind: tailrace query metric_gaps")
    return list(dict.fromkeys(missing))


def _source(row: Row) -> str:
    names = [row["job"], f"drive {row['device']}" if row["device"] else "", row["host"]]
    return " on ".join(name for name in (names[1] or names[0], names[2]) if name)


def _clock(time: datetime) -> str:
    return time.strftime("%H:%M:%S")


def _gap(row: Row) -> str:
    if row["to_time"] is None:
        return f"gap in metrics of {_source(row)} from {_clock(row['from_time'])} to the end"
    times = f"{_clock(row['from_time'])}–{_clock(row['to_time'])}"
    return f"gap in metrics of {_source(row)} {times}"


def _late(row: Row) -> str:
    return f"no metrics of {_source(row)} before {_clock(row['to_time'])}"


def _reset(row: Row) -> str:
    return (
        f"counters of {_source(row)} restarted at {_clock(row['to_time'])}: no rate is known"
        f" across the restart ({row['detail']})"
    )


def _appeared(row: Row) -> str:
    return f"{_source(row)} appeared at {_clock(row['to_time'])}: there is no quiet time before it to compare with"


def _disappeared(row: Row) -> str:
    return f"{_source(row)} was last seen at {_clock(row['from_time'])}"


def _not_permitted(row: Row) -> str:
    on = f" on {row['host']}" if row["host"] else ""
    if row["job"] == "ioprobe":
        reason = row["detail"].partition(": ")[2]
        missing = [what for name, what in FEATURES.items() if name in reason]
        what = f"no {missing[0]}" if len(missing) == 1 else "nothing"
        return f"ioprobe{on} saw {what}: {reason or 'it gives no reason'}"
    return f"no pressure of the broker alone{on}, only the host's (procprobe_pressure_up is 0)"


def _unsynchronised(row: Row) -> str:
    return (
        f"the clock of {row['host']} is not synchronised: times of different hosts may differ,"
        " and with them the order of changes"
    )


SENTENCES = {
    "refused": _not_permitted,
    "late": _late,
    "gap": _gap,
    "reset": _reset,
    "came": _appeared,
    "went": _disappeared,
    "unsynchronised": _unsynchronised,
}
