# SPDX-License-Identifier: Apache-2.0
"""States what a run's metrics could not show, so that missing data is not taken for quiet."""

from collections import Counter
from collections.abc import Iterable

from tailrace.explain.signals import Broker
from tailrace.queries.ask import Row

# The jobs expected on each broker's host, and what each of them measures.
EXPECTED = {
    "node": "node_exporter: drives, the host's CPU, pressure and network",
    "kafka": "the broker's JMX agent: stages of requests, log flushes, pauses, retention",
    "procprobe": "procprobe: CPU and pressure of the broker alone",
    "ioprobe": "ioprobe: sync calls, I/O requests by process",
    "loadgen": "the load generator's own pauses and scheduling lag",
}
# The job of which each broker has one, also where several are on a host.
BROKERS_OWN = "kafka"
# The job that runs on load hosts, not on brokers' hosts.
LOADER = "loadgen"
# How each part of ioprobe's reason begins, and what is missing then.
FEATURES = {"sync_calls: ": "sync calls", "block_requests: ": "I/O requests"}
AT_MOST = 8
# A sentence for each kind of row; ``refused`` has more than one.
SENTENCES = {
    "late": "no metrics of {source} before {to}",
    "gap": "gap in metrics of {source} {span}",
    "reset": "counters of {source} restarted at {to}: no rate is known across the restart ({detail})",
    "came": "{source} appeared at {to}: there is no quiet time before it to compare with",
    "went": "{source} was last seen at {since}",
    "unsynchronised": "the clock of {host} is not synchronised: times of different hosts may differ,"
    " and with them the order of changes",
}


def sentences(gaps: Iterable[Row], brokers: Iterable[Broker]) -> list[str]:
    """One sentence for each thing not measured."""
    brokers = list(brokers)
    shared = {host for host, number in Counter(broker.host for broker in brokers).items() if number > 1}
    # A broker is named only where its host has several.
    rows = [row if row["host"] in shared else {**row, "broker": ""} for row in gaps]
    missing: list[str] = []
    for job, what in EXPECTED.items():
        present = {(row["host"], row["broker"]) for row in rows if row["kind"] == "present" and row["job"] == job}
        hosts = {host for host, _ in present}
        if not present:
            missing.append(f"no metrics of {what}")
        elif job != LOADER and "" not in hosts:
            missing += [f"no metrics on {broker.host} of {what}" for broker in brokers if broker.host not in hosts]
        if job == BROKERS_OWN:
            silent = [broker for broker in brokers if broker.host in shared & hosts]
            silent = [broker for broker in silent if (broker.host, str(broker.id)) not in present]
            missing += [f"no metrics of broker {broker.id} on {broker.host} of {what}" for broker in silent]
    unknown = [broker.host for broker in brokers if not broker.device]
    missing += [f"the drive under the log of a broker on {host} is not known" for host in unknown]
    for kind in ("refused", *SENTENCES):
        found = [_sentence(kind, row) for row in rows if row["kind"] == kind]
        missing += found[:AT_MOST]
        if len(found) > AT_MOST:
            missing.append(f"and {len(found) - AT_MOST} more of this kind: tailrace query metric_gaps")
    return list(dict.fromkeys(missing))


def _source(row: Row) -> str:
    what = f"drive {row['device']}" if row["device"] else row["job"]
    of_broker = f" of broker {row['broker']}" if row["broker"] else ""
    return f"{what}{of_broker} on {row['host']}" if row["host"] else what


def _sentence(kind: str, row: Row) -> str:
    if kind == "refused":
        return _not_permitted(row)
    since, to = (f"{time:%H:%M:%S}" if time else "" for time in (row["from_time"], row["to_time"]))
    if kind == "gap" and not since:
        kind = "late"
    span = f"{since}–{to}" if to else f"from {since} to the end"
    return SENTENCES[kind].format(**row, source=_source(row), since=since, to=to, span=span)


def _not_permitted(row: Row) -> str:
    on = f" on {row['host']}" if row["host"] else ""
    if row["job"] == "ioprobe":
        reason = row["detail"].partition(": ")[2]
        missing = [what for name, what in FEATURES.items() if name in reason]
        what = f"no {missing[0]}" if len(missing) == 1 else "nothing"
        return f"ioprobe{on} saw {what}: {reason or 'it gives no reason'}"
    return f"no pressure of the broker alone{on}, only the host's (procprobe_pressure_up is 0)"
