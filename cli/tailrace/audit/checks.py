# SPDX-License-Identifier: Apache-2.0
"""The checks of the audit, from inputs to verdict. Pure: no SQL."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tailrace.audit.clocks import clock_notes
from tailrace.audit.compaction import without_compacted
from tailrace.audit.copies import check_copies
from tailrace.audit.duplicates import allowed_duplicates, check_unacknowledged
from tailrace.audit.inputs import AuditInputs, Counts, Killed, Unsent
from tailrace.audit.limits import limits
from tailrace.audit.logs import check_logs
from tailrace.audit.partitions import UNACKNOWLEDGED, check_partitions
from tailrace.audit.redelivery import without_redelivered
from tailrace.audit.reread import check_reread, reread_notes
from tailrace.audit.state import check_state, state_note
from tailrace.audit.transactions import check_transactions
from tailrace.audit.unanswered import check_drain, not_received
from tailrace.audit.verdict import Failure, Totals, Verdict
from tailrace.contracts import LOSS_KILLED, MAYBE_STORED, ROW_KINDS


def check(inputs: AuditInputs) -> Verdict:
    """Run every check over the inputs; a verdict without failures is a pass."""
    totals = _totals(inputs)
    failures = [*check_state(inputs.state), *_check_run(inputs, totals)]
    workers = sorted({counts.worker for counts in inputs.counts})
    for worker in workers:
        own = [counts for counts in inputs.counts if counts.worker == worker]
        killed = {each.stream: each for each in inputs.killed if each.worker == worker}
        failures += _check_worker(worker, own, killed, inputs.corrupt.get(worker, ()))
    failures += _check_unsent(inputs.unsent)
    for rollup in inputs.rollups:
        where = f"worker {rollup.worker} {rollup.rollup} {rollup.stage}"
        raw = ("rows stored", rollup.stored)
        failures += _unequal("rollup", where, ("messages rolled up", rollup.events), raw)
    inputs, redelivered_notes, redelivered = without_redelivered(inputs)
    inputs, compaction_failures, compaction_notes, compacted = without_compacted(inputs)
    partition_failures, notes = check_partitions(inputs)
    lost, rowless = (inputs.total("lost", stream) for stream in ("deliveries", "transactions"))
    torn, transaction_notes = check_transactions(
        inputs.transactions, inputs.open_transactions, lost, rowless, compacted
    )
    failures += torn
    notes += transaction_notes
    written, written_notes = _check_written(inputs)
    # Sends that failed are known by their partition; these are not.
    unknown = inputs.total("lost", "publishes") + inputs.total("lost", "publish_failures") + inputs.total("other_run")
    log_failures, log_notes = check_logs(inputs.logs, unknown, bool(inputs.killed))
    copy_failures, copy_notes = check_copies(inputs.copies, inputs.total("lost"))
    failures += [
        *written,
        *copy_failures,
        *compaction_failures,
        *log_failures,
        *check_reread(inputs.rereads, inputs.state.state),
    ]
    notes += [
        *written_notes,
        *copy_notes,
        *redelivered_notes,
        *compaction_notes,
        *log_notes,
        *reread_notes(inputs.rereads),
    ]
    failures += check_drain(inputs.partitions, inputs.undrained)
    if inputs.leader_lost:
        count = len(inputs.leader_lost)
        text = f"{count} workers ended after their phase: {inputs.leader_lost[0]}"
        failures.append(Failure("leader_lost", "run", 0, count, text))
    notes += _notes(inputs)
    return Verdict(
        run_id=inputs.run_id,
        totals=totals,
        partitions=len(inputs.partitions),
        failures=(*failures, *partition_failures),
        notes=(*notes, *clock_notes(workers, inputs.clocks, inputs.early)),
        not_received=not_received(inputs.partitions),
        redelivered=redelivered,
        duplicates_allowed=allowed_duplicates(inputs.unacknowledged, inputs.promise),
        limits=tuple(limits(inputs)),
    )


def _check_written(inputs: AuditInputs) -> tuple[list[Failure], list[str]]:
    last_sent: Counter[int] = Counter()
    for p in inputs.partitions if inputs.killed else ():
        last_sent[p.subscription] += sum(each.after_last for each in p.differences if each.kind == UNACKNOWLEDGED)
    missing_rows = inputs.total("lost", "publishes") + inputs.total("lost", "publish_failures")
    return check_unacknowledged(inputs.unacknowledged, inputs.promise, missing_rows, last_sent)


def _totals(inputs: AuditInputs) -> Totals:
    return Totals(
        sent=inputs.total("sent"),
        acked=inputs.total("acked"),
        failed=inputs.total("failed"),
        received=inputs.total("received"),
        lost=inputs.total("lost"),
        stored_publishes=inputs.total("stored", "publishes"),
        stored_deliveries=inputs.total("stored", "deliveries"),
    )


def _notes(inputs: AuditInputs) -> Iterator[str]:
    """Counts that are reported and are no failure."""
    yield from state_note(inputs.state)
    if redelivered := inputs.total("redelivered"):
        yield f"{redelivered} messages were redelivered by a share group"
    if foreign := inputs.total("foreign"):
        yield f"{foreign} messages received were written by other programs"
    if other_run := inputs.total("other_run"):
        yield f"{other_run} messages received were written by other runs and are none of this run's"


def _check_run(inputs: AuditInputs, totals: Totals) -> Iterator[Failure]:
    if not inputs.counts:
        yield Failure("workers", "run", 1, 0, "the run has no worker: nothing was recorded")
    elif totals.sent == 0 and totals.received == 0:
        text = "sent=0: the run sent no message, and it received none"
        yield Failure("sent", "run", 1, 0, text)


def _check_worker(
    worker: int, streams: list[Counts], killed: Mapping[str, Killed], damaged: Sequence[str]
) -> Iterator[Failure]:
    where = f"worker {worker}"
    if not any(counts.ledger_rows for counts in streams):
        stored = sum(counts.stored for counts in streams)
        text = f"{where}: its ledger is missing, so its {stored} stored rows cannot be checked"
        yield Failure("ledger", where, 1, 0, text)
        return
    sent, acked, failed, received = (
        sum(getattr(counts, kind) for counts in streams) for kind in ("sent", "acked", "failed", "received")
    )
    outcome = f"acked {acked} + failed {failed}"
    if sent > acked + failed and any(LOSS_KILLED in counts.lost_reasons for counts in streams):
        text = f"incomplete: {sent - acked - failed} of {sent} messages sent had no outcome yet"
        text += " when the load generator was killed"
        yield Failure(LOSS_KILLED, where, acked + failed, sent, f"{where}: {text}")
    else:
        yield from _unequal("sent", where, ("sent", sent), (outcome, acked + failed))
    if unknown := [kind for counts in streams for kind in counts.unknown]:
        text = f"{where}: its spool does not contain how many messages were {', '.join(unknown)}"
        yield Failure("unknown", where, 0, len(unknown), text)
    if corrupt := sum(counts.corrupt for counts in streams):
        text = f"{where}: {corrupt} received messages differ from the bytes that were sent"
        listed = ", ".join(damaged) + (", …" if corrupt > len(damaged) else "")
        yield Failure("corrupt", where, 0, corrupt, f"{text} ({listed}; run_events of kind corruption)")
    ended = sum(counts.ended for counts in streams)
    counted = {"publishes": acked, "deliveries": received, "publish_failures": failed, "transactions": ended}
    for c in streams:
        where = f"worker {worker} {c.stream}"
        if c.stream in counted:
            kind = ROW_KINDS[c.stream]
            noun = c.stream if c.stream == "transactions" else "messages"
            right = (f"{noun} counted as {kind}", counted[c.stream])
            yield from _unequal("recorded", where, ("recorded", c.recorded), right)
        yield from _check_stored(where, c, killed.get(c.stream))


def _check_unsent(unsent: Sequence[Unsent]) -> Iterator[Failure]:
    """One failure per worker and reason. Times are UTC."""
    for each in unsent:
        where = f"worker {each.worker}"
        intended = f"intended {each.from_time:%H:%M:%S.%f} to {each.to_time:%H:%M:%S.%f} UTC"
        text = f"{where}: {each.messages} messages were overdue and never sent ({each.reason}, {intended}),"
        yield Failure("unsent", where, 0, each.messages, f"{text} so latencies are too low")


def _check_stored(where: str, c: Counts, killed: Killed | None) -> Iterator[Failure]:
    kept = f"recorded {c.recorded} - lost {c.lost}"
    least = c.recorded - c.lost
    surplus = c.stored - least
    if not 0 <= surplus <= sum(c.lost_reasons.get(reason, 0) for reason in MAYBE_STORED):
        yield from _unequal("stored", where, ("stored rows", c.stored), (kept, least))
        surplus = 0
    if c.lost:
        reasons = ", ".join(f"{reason} {n}" for reason, n in sorted(c.lost_reasons.items()))
        text = f"incomplete: {c.lost} of {c.recorded} recorded rows were lost ({reasons})"
        text += f", at most: {surplus} of them are stored" if surplus else ""
        text += f"; {_uncounted(killed)}" if killed else ""
        yield Failure("lost", where, 0, c.lost, f"{where}: {text}")
    elif killed:
        text = f"incomplete: the load generator was killed; {_uncounted(killed)}"
        yield Failure(LOSS_KILLED, where, 0, 1, f"{where}: {text}")


def _uncounted(killed: Killed) -> str:
    """The row count is unknown. Both times are UTC."""
    since, last = (f"{time:%H:%M:%S.%f}" for time in (killed.from_time, killed.to_time))
    return (
        f"rows from {since} on may be missing, and events recorded between its last checkpoint, "
        f"{last} UTC, and its end are in no count"
    )


def _unequal(check: str, where: str, left: tuple[str, int], right: tuple[str, int]) -> Iterator[Failure]:
    (name, actual), (source, expected) = left, right
    if actual != expected:
        text = f"{name} is {actual}, expected {expected} ({source}), {actual - expected:+d}"
        yield Failure(check, where, expected, actual, f"{where}: {text}")
