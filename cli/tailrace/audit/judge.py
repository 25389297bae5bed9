# SPDX-License-Identifier: Apache-2.0
"""The judge: from evidence to verdict. Pure; knows no SQL."""

from collections.abc import Iterator, Mapping, Sequence

from tailrace.audit.clocks import clock_notes
from tailrace.audit.evidence import Counts, Evidence, Killed, Unsent
from tailrace.audit.partitions import Allowed, judge_partitions
from tailrace.audit.unanswered import judge_drain, not_received
from tailrace.audit.verdict import Failure, Totals, Verdict

# Which of the load generator's own counters says how many rows a stream must have recorded.
COUNTER = {"publishes": "acked", "deliveries": "received", "publish_failures": "failed"}

# The reason in the ledger of a worker that did not live to write it; also when no row is missing.
KILLED = "killed"

# Rows of blocks that may have been committed without anybody knowing: told as lost, and so many at
# most. Of a killed load generator these are blocks that were in memory alone and on their way.
MAYBE_STORED = ("unshipped_at_deadline", "spool_damaged", KILLED)


def judge(evidence: Evidence) -> Verdict:
    """Every check over the evidence; a verdict without failures is a pass."""
    totals = _totals(evidence)
    failures = [*_judge_run(evidence, totals)]
    workers = sorted({counts.worker for counts in evidence.counts})
    for worker in workers:
        own = [counts for counts in evidence.counts if counts.worker == worker]
        killed = {each.stream: each for each in evidence.killed if each.worker == worker}
        failures += _judge_worker(worker, own, killed)
    failures += _judge_unsent(evidence.unsent)
    for rollup in evidence.rollups:
        where = f"worker {rollup.worker} {rollup.rollup} {rollup.stage}"
        raw = ("rows stored", rollup.stored)
        failures += _unequal("rollup", where, ("messages rolled up", rollup.events), raw)
    partition_failures, notes = judge_partitions(
        evidence.partitions,
        Allowed(
            failed_sends=totals.failed,
            aborted=sum(counts.aborted for counts in evidence.counts),
            lost_publishes=_lost(evidence, "publishes"),
            lost_deliveries=_lost(evidence, "deliveries"),
            killed=bool(evidence.killed),
        ),
    )
    failures += judge_drain(evidence.partitions, evidence.undrained)
    if evidence.leader_lost:
        count = len(evidence.leader_lost)
        text = f"{count} workers ended after their phase: {evidence.leader_lost[0]}"
        failures.append(Failure("leader_lost", "run", 0, count, text))
    notes += _apart(evidence)
    return Verdict(
        run_id=evidence.run_id,
        totals=totals,
        partitions=len(evidence.partitions),
        failures=(*failures, *partition_failures),
        notes=(*notes, *clock_notes(workers, evidence.clocks, evidence.early)),
        not_received=not_received(evidence.partitions),
    )


def _totals(evidence: Evidence) -> Totals:
    def total(field: str, stream: str | None = None) -> int:
        return sum(getattr(c, field) for c in evidence.counts if stream in (None, c.stream))

    return Totals(
        sent=total("sent"),
        acked=total("acked"),
        failed=total("failed"),
        received=total("received"),
        lost=total("lost"),
        stored_publishes=total("stored", "publishes"),
        stored_deliveries=total("stored", "deliveries"),
    )


def _lost(evidence: Evidence, stream: str) -> int:
    return sum(counts.lost for counts in evidence.counts if counts.stream == stream)


def _apart(evidence: Evidence) -> Iterator[str]:
    """What is counted apart and is no fault by itself."""
    redelivered = sum(counts.redelivered for counts in evidence.counts)
    if redelivered:
        yield f"{redelivered} messages came with a share group's mark of having been handed out"
    foreign = sum(counts.foreign for counts in evidence.counts)
    if foreign:
        yield f"{foreign} messages received were not written by this program"


def _judge_run(evidence: Evidence, totals: Totals) -> Iterator[Failure]:
    if not evidence.counts:
        yield Failure("workers", "run", 1, 0, "the run has no worker: nothing was recorded")
    elif totals.sent == 0 and totals.received == 0:
        text = "sent=0: the run sent no message, and it received none"
        yield Failure("sent", "run", 1, 0, text)


def _judge_worker(worker: int, streams: list[Counts], killed: Mapping[str, Killed]) -> Iterator[Failure]:
    where = f"worker {worker}"
    if not any(counts.ledger_rows for counts in streams):
        stored = sum(counts.stored for counts in streams)
        text = f"{where}: its ledger is missing, so its {stored} stored rows prove nothing"
        yield Failure("ledger", where, 1, 0, text)
        return
    sent, acked, failed, received = (
        sum(getattr(counts, kind) for counts in streams) for kind in ("sent", "acked", "failed", "received")
    )
    outcome = f"acked {acked} + failed {failed}"
    if sent > acked + failed and any(KILLED in counts.lost_reasons for counts in streams):
        text = f"incomplete: {sent - acked - failed} of {sent} messages sent had no outcome yet"
        text += " when the load generator was killed"
        yield Failure(KILLED, where, acked + failed, sent, f"{where}: {text}")
    else:
        yield from _unequal("sent", where, ("sent", sent), (outcome, acked + failed))
    unknown = [kind for counts in streams for kind in counts.unknown]
    if unknown:
        text = f"{where}: its spool did not tell how many messages were {', '.join(unknown)}"
        yield Failure("unknown", where, 0, len(unknown), text)
    corrupt = sum(counts.corrupt for counts in streams)
    if corrupt:
        text = f"{where}: {corrupt} messages received are not, byte for byte, what was sent"
        yield Failure("corrupt", where, 0, corrupt, f"{text} (run_events of kind corruption)")
    counted = {"publishes": acked, "deliveries": received, "publish_failures": failed}
    for c in streams:
        where = f"worker {worker} {c.stream}"
        if c.stream in counted:
            kind = COUNTER[c.stream]
            right = (f"messages counted as {kind}", counted[c.stream])
            yield from _unequal("recorded", where, ("recorded", c.recorded), right)
        yield from _judge_stored(where, c, killed.get(c.stream))


def _judge_unsent(unsent: Sequence[Unsent]) -> Iterator[Failure]:
    """Times are UTC. A worker has one failure per reason."""
    for each in unsent:
        where = f"worker {each.worker}"
        due = f"due {each.from_time:%H:%M:%S.%f} to {each.to_time:%H:%M:%S.%f} UTC"
        text = f"{where}: {each.messages} messages were due and never sent ({each.reason}, {due}),"
        yield Failure("unsent", where, 0, each.messages, f"{text} so latencies are too good")


def _judge_stored(where: str, c: Counts, killed: Killed | None) -> Iterator[Failure]:
    kept = f"recorded {c.recorded} - lost {c.lost}"
    least = c.recorded - c.lost
    surplus = c.stored - least
    if not 0 <= surplus <= sum(c.lost_reasons.get(reason, 0) for reason in MAYBE_STORED):
        yield from _unequal("stored", where, ("stored rows", c.stored), (kept, least))
        surplus = 0
    if c.lost:
        reasons = ", ".join(f"{reason} {n}" for reason, n in sorted(c.lost_reasons.items()))
        text = f"incomplete: {c.lost} of {c.recorded} recorded rows were lost ({reasons})"
        text += f", at most: {surplus} of them are stored after all" if surplus else ""
        text += f"; {_uncounted(killed)}" if killed else ""
        yield Failure("lost", where, 0, c.lost, f"{where}: {text}")
    elif killed:
        text = f"incomplete: the load generator was killed; {_uncounted(killed)}"
        yield Failure(KILLED, where, 0, 1, f"{where}: {text}")


def _uncounted(killed: Killed) -> str:
    """Both times are UTC. How many rows it were nobody can tell."""
    since, last = (f"{time:%H:%M:%S.%f}" for time in (killed.from_time, killed.to_time))
    return (
        f"rows from {since} on may be missing, and what was recorded between its last checkpoint, "
        f"{last} UTC, and its death is in no count"
    )


def _unequal(check: str, where: str, left: tuple[str, int], right: tuple[str, int]) -> Iterator[Failure]:
    (name, actual), (source, expected) = left, right
    if actual != expected:
        text = f"{name} is {actual}, expected {expected} ({source}), {actual - expected:+d}"
        yield Failure(check, where, expected, actual, f"{where}: {text}")
