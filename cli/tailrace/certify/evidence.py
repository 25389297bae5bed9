# SPDX-License-Identifier: Apache-2.0
"""Whether a run can show a claim: all its rows are stored, and what the claim is about happened in it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from clickhouse_connect.driver.client import Client

from tailrace.audit.inputs import Counts
from tailrace.audit.partition_inputs import records
from tailrace.certify.claims import Claim
from tailrace.contracts import ROW_KINDS
from tailrace.queries.ask import rows

# What is missing from a run, by the names of the query certify_evidence; replacements are the companion's.
MISSING = {
    "committed": "no acknowledged message was in a committed transaction",
    "aborted": "no acknowledged message was in an aborted transaction",
    "zombies": "no newer producer took over from another one",
    "released": "no member of a share group released a message",
    "rebalances": "no group was rebalanced while the load went on",
    "replacements": "no instance of the companion was replaced in a transaction",
}
# What a load generator without a producer writes: it may be incomplete if a fault killed it.
_CONSUMERS = ("deliveries", "run_events", "partition_leaders")


@dataclass(frozen=True)
class Evidence:
    """``found``: of the query certify_evidence. ``counts``: the ledger beside the rows. ``killed``: workers."""

    found: Mapping[str, int]
    counts: tuple[Counts, ...]
    killed: Collection[int] = ()


def read_evidence(client: Client, run_id: str, client_killed: bool) -> Evidence:
    """``client_killed``: a fault killed load generators, so what they had not written may be missing."""
    found = {row["name"]: int(row["found"]) for row in rows(client, "certify_evidence", run_id=run_id)}
    counts = records(Counts, rows(client, "audit_counts", run_id=run_id))
    killed = {row["worker"] for row in rows(client, "audit_killed", run_id=run_id)} if client_killed else ()
    return Evidence(found, counts, killed)


def missing(claim: Claim, checked: int, evidence: Evidence) -> Iterator[str]:
    """Why the run cannot show the claim, the gravest first. ``checked``: messages."""
    for need in claim.needs:
        if not evidence.found.get(need):
            yield MISSING[need]
    for worker in sorted({counts.worker for counts in evidence.counts}):
        streams = [counts for counts in evidence.counts if counts.worker == worker]
        yield from _incomplete(worker, streams, _CONSUMERS if worker in evidence.killed else ())
    expected = evidence.found.get("acknowledged", 0)
    expected *= evidence.found.get("readers", 0) if claim.per_group else 1
    if checked < expected and not evidence.killed:
        yield f"{checked:,} messages were checked, and the ledger has {expected:,}"


def _incomplete(worker: int, streams: Sequence[Counts], excused: Collection[str]) -> Iterator[str]:
    """Rows of one worker that are not stored, or events that are not counted."""
    if not any(counts.ledger_rows for counts in streams):
        yield f"worker {worker}: its ledger is missing, so its rows cannot be checked"
        return

    def total(counter: str) -> int:
        return sum(getattr(counts, counter) for counts in streams)

    for counts in streams:
        where = f"worker {worker} {counts.stream}"
        if counts.stream in excused:
            continue
        event = ROW_KINDS.get(counts.stream, "")
        happened = total(event) if event else counts.recorded
        if counts.lost or counts.stored != counts.recorded:
            yield f"{where}: {counts.stored:,} of {counts.recorded:,} recorded rows are stored"
        elif counts.recorded != happened:
            yield f"{where}: {happened:,} are {event}, and {counts.recorded:,} recorded"
    if pending := total("sent") - total("acked") - total("failed"):
        yield f"worker {worker}: the outcome of {pending:,} messages is unknown"
    if pending := total("begun") - total("ended"):
        yield f"worker {worker}: the outcome of {pending:,} transactions is unknown"
