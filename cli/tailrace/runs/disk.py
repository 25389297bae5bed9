# SPDX-License-Identifier: Apache-2.0
"""Estimates from its plan the disk space that a run needs, before the run starts."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tailrace.errors import BadInput
from tailrace.runs.planning import Plan, brokers_are_local
from tailrace.stack.api import MIN_FREE_BYTES, StackPaths, free_bytes, is_elsewhere, partition_bytes

# A message in the warehouse, published and delivered, with room for merges in flight.
ROW_BYTES = 32
# The most rows that are not merged yet. Merged rows take 0.4 to 1.7 bytes each, with keys 3.2 to 5.5, and twice that
# while the largest parts are merged once more.
FRESH_ROWS = 1_000_000_000
SETTLED_ROW_BYTES = 3.0
SETTLED_KEYED_ROW_BYTES = 9.0
# Bytes of a message in the log in addition to its key and value.
RECORD_BYTES = 20
SPARE = 1.2
# Used without a rate: the most that one machine of this kind has taken.
USUAL_MESSAGES_PER_S = 200_000
USUAL_BYTES_PER_S = 200e6
# Kafka's default, used when neither the driver file nor a readable broker file sets it.
SEGMENT_BYTES = 1024**3
# Producers fill partitions unevenly, and retention checks only at intervals.
FILL_SPARE = 1.5
# A phase of this length lasts until the user ends it.
UNTIL_ENDED_S = 366 * 86_400


@dataclass(frozen=True)
class _Phase:
    """``likely`` messages, and the ``most`` possible; None without a bound."""

    name: str
    likely: float
    most: float | None


def check_disk(plan: Plan, paths: StackPaths, say: Callable[[str], None] | None = None) -> None:
    """Raise BadInput when the state folder's drive cannot hold what the run is likely to write.

    Phases that wait for a condition count what the condition takes: retention to be reached, a backlog to be drained
    as fast as it was built. If such a phase could last until the drive is full, ``say`` gets one line.
    """
    free = free_bytes(paths)
    phases = list(_phases(plan, paths))
    likely = sum(phase.likely for phase in phases)
    events, log = _needs(plan, paths, likely)
    needed = max(events + log, MIN_FREE_BYTES)
    if free < needed:
        parts = f"{gib(events)} for its rows in the warehouse"
        if log:
            parts += f", {gib(log)} for the broker's log"
        raise BadInput(
            f"{paths.state}: {gib(free)} free, {gib(needed)} needed for this run ({parts}; at "
            f"least {gib(MIN_FREE_BYTES)} in all); free some, lower testDuration or producerRate, "
            "or set TAILRACE_STATE to another drive"
        )
    for phase in phases if say else []:
        rest = likely - phase.likely
        if phase.most is None:
            risk = "may write more than the drive holds: nothing bounds it"
        elif sum(_needs(plan, paths, rest + phase.most)) > free:
            at_most = gib(sum(_needs(plan, paths, rest + phase.most)))
            risk = f"would need {at_most} if it reached its limit; {gib(free)} are free"
        else:
            continue
        if say:
            say(f"note: {phase.name} {risk}")


def brokers_bytes(plan: Plan, paths: StackPaths) -> int:
    """Bytes of all brokers' logs together: with replicas, and after retention.

    Brokers on other hosts may set another retention; only that of the plan's topics is known.
    """
    return int(_log(plan, paths, sum(phase.likely for phase in _phases(plan, paths))))


def _phases(plan: Plan, paths: StackPaths) -> Iterator[_Phase]:
    built = 0.0
    for phase in plan["phases"]:
        rate = _rate(plan, phase)
        seconds = float(phase["seconds"])
        by_time = rate * seconds
        known = phase["messages"]
        if not plan["producers"]:
            # Only the broker knows how much a group will read of an existing topic.
            read_to_end = phase["until"] == "end_read"
            yield _Phase(phase["name"], 0.0, None if read_to_end else 0.0)
        elif phase["until"] == "retention_reached":
            yield _Phase(phase["name"], min(by_time, _fill(plan, paths, rate)), by_time)
        elif phase["until"] == "backlog_drained":
            yield _Phase(phase["name"], min(by_time, built), by_time)
        elif seconds >= UNTIL_ENDED_S and phase["until"] != "volume_sent":
            yield _Phase(phase["name"], 0.0, None)
        else:
            likely = by_time if known is None else float(known)
            yield _Phase(phase["name"], likely, likely)
        if phase["name"] == "backlog_build":
            built = by_time if known is None else float(known)


def _rate(plan: Plan, phase: Mapping[str, Any]) -> float:
    if phase["messages_per_second"] is not None:
        return float(phase["messages_per_second"])
    return min(USUAL_MESSAGES_PER_S, USUAL_BYTES_PER_S / float(plan["message_bytes"]))


def _fill(plan: Plan, paths: StackPaths, rate: float) -> float:
    """Messages until every partition has lost its oldest ones; infinite when unknown."""
    topic = plan["topic_config"]
    ways = [float("inf")]
    if brokers_are_local(plan, paths):
        each = partition_bytes(paths, topic)
    else:
        sizes = [str(topic.get(f"{name}.bytes", "")) for name in ("retention", "segment")]
        each = sum(map(int, sizes)) if all(map(str.isdigit, sizes)) else None
    if each is not None:
        ways.append(int(plan["partitions"]) * each / _log_message(plan) * FILL_SPARE)
    age = str(topic.get("retention.ms", ""))
    if age.isdigit():
        ways.append(rate * int(age) / 1000 * FILL_SPARE)
    return min(ways)


def _needs(plan: Plan, paths: StackPaths, messages: float) -> tuple[int, int]:
    """Bytes on this machine for that number of messages: the warehouse's rows, the broker's log."""
    expected = int(plan["expected_messages"] or 0)
    each = int(plan["expected_deliveries"] or 0) / expected if expected else _groups(plan)
    events = 0 if is_elsewhere() else int(_rows(plan, messages * (1 + each)) * SPARE)
    here = brokers_are_local(plan, paths)
    return events, int(_log(plan, paths, messages) * SPARE) if here else 0


def _rows(plan: Plan, rows: float) -> float:
    keyed = int(plan["behaviour"].get("key_bytes", 0)) > 0
    settled = SETTLED_KEYED_ROW_BYTES if keyed else SETTLED_ROW_BYTES
    return min(rows, FRESH_ROWS) * ROW_BYTES + max(0.0, rows - FRESH_ROWS) * settled


def _log(plan: Plan, paths: StackPaths, messages: float) -> float:
    copies = int(plan["replication_factor"])
    written = messages * _log_message(plan) * copies
    return min(written, _kept(plan, paths) * copies)


def _kept(plan: Plan, paths: StackPaths) -> float:
    """Bytes of one copy of all partitions before old log segments are deleted; infinite without a limit."""
    topic, partitions = plan["topic_config"], int(plan["partitions"])
    if brokers_are_local(plan, paths):
        each = partition_bytes(paths, topic)
        return float("inf") if each is None else float(partitions * each)
    if "delete" not in topic.get("cleanup.policy", "delete"):
        return float("inf")
    segment = int(_digits(topic, "segment.bytes") or SEGMENT_BYTES)
    ways = [float("inf")]
    if size := _digits(topic, "retention.bytes"):
        ways.append(partitions * float(int(size) + segment))
    if age := _digits(topic, "retention.ms"):
        most = max(_rate(plan, phase) for phase in plan["phases"])
        ways.append(most * _log_message(plan) * int(age) / 1000 + partitions * segment)
    return min(ways)


def _digits(topic: Mapping[str, str], name: str) -> str:
    text = str(topic.get(name, ""))
    return text if text.isdigit() else ""


def _log_message(plan: Plan) -> float:
    key = int(plan["behaviour"].get("key_bytes", 0))
    return float(plan["message_bytes"]) + key + RECORD_BYTES


def _groups(plan: Plan) -> float:
    """Average number of groups that read a topic."""
    topics = [(int(t.get("count", 1)), int(t["subscriptions"])) for t in plan["topics"]]
    return sum(n * groups for n, groups in topics) / max(1, sum(n for n, _ in topics))


def gib(size: int) -> str:
    return f"{size / 1024**3:.1f} GiB"
