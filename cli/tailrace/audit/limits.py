# SPDX-License-Identifier: Apache-2.0
"""What an audit cannot check message by message, in a few words for the verdict; the notes have the numbers. Pure."""

from collections.abc import Iterator

from tailrace.audit.compaction import compacted_topics
from tailrace.audit.inputs import AuditInputs


def limits(inputs: AuditInputs) -> Iterator[str]:
    """A phrase for each limit that this run has."""
    if any(log.unanswered for log in inputs.logs):
        yield "acks=0, so messages are counted against those received and the growth of the logs"
    logs = [log for log in inputs.logs if not log.groups and log.partition >= 0 and log.acked]
    read = inputs.rereads.covers(log.place for log in logs)
    if logs and not (read and inputs.rereads.whole):
        how = f"and a re-read of {inputs.rereads.planned}" if read else "alone"
        yield f"{len({log.topic for log in logs})} topics that no group reads, by the ends of their logs {how}"
    if compacted := compacted_topics(inputs.logs):
        yield f"{len(compacted)} compacted topics, where a missing message may have been replaced"
    if inputs.rereads.partitions and not inputs.rereads.whole:
        yield f"the logs after the run, by a re-read of {inputs.rereads.planned}"
