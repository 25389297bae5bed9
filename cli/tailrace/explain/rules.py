# SPDX-License-Identifier: Apache-2.0
"""The rules that name a cause, in one table.

All of ``needs`` must hold and none of ``unless``; each of ``supports`` that holds raises the score.
``weight`` is the score without support. Of two rules that hold, the more specific has the higher weight.
"""

from dataclasses import dataclass

from tailrace.explain.conditions import (
    Condition,
    calm,
    either,
    fell,
    measured,
    never,
    reached,
    rose,
    spiked,
    stayed,
    unmeasured,
)
from tailrace.explain.evidence import (
    BROKER_IDLE,
    BROKER_SHORT,
    BROKER_SILENT,
    BROKER_WRITES_MORE,
    COLLECTS_GARBAGE,
    CPU_SHORT,
    CPU_VERY_SHORT,
    DISCARDS,
    DRIVE_DOES_MORE,
    DRIVE_SLOW,
    FETCHES_LESS,
    IO_WAITS,
    LOADER_LATE,
    RETRANSMITTED,
    SEGMENTS_DELETED,
    STARVED,
    SYNC_SLOW,
    WRITE_FAST,
)


@dataclass(frozen=True)
class Rule:
    """``stages``: the rule applies to episodes of these. ``of_drive``: the verdict names the drive."""

    cause: str
    why: str
    weight: float
    needs: tuple[Condition, ...]
    unless: tuple[Condition, ...] = ()
    supports: tuple[Condition, ...] = ()
    stages: tuple[str, ...] = ("publish", "end_to_end")
    of_drive: bool = False


RULES = (
    Rule(
        "broker_pause",
        "The broker was stopped: a signal or a debugger held its process.",
        0.97,
        needs=(reached("broker_stopped", 1),),
        supports=(BROKER_SILENT, BROKER_IDLE),
    ),
    Rule(
        "load_generator",
        "The load generator was stopped: a signal or a debugger held its process.",
        0.97,
        needs=(reached("loader_stopped", 1), rose("publish_delay_p99_ms", 3, 2)),
    ),
    Rule(
        "consumer_stalled",
        "A load generator that consumes was stopped; messages were sent on time.",
        0.97,
        needs=(reached("loader_stopped", 1), calm("publish_delay_p99_ms", 3, 2)),
        supports=(fell("received_per_s", 0.7), fell("fetch_requests_per_s", 0.7)),
    ),
    Rule(
        "broker_pause",
        "The broker used no CPU and waited for none: it was stalled.",
        0.95,
        needs=(BROKER_IDLE,),
        unless=(CPU_VERY_SHORT, IO_WAITS),
        supports=(BROKER_SILENT,),
    ),
    Rule(
        "broker_pause",
        "The broker answered no request and used less CPU, though CPU and drive were available.",
        0.9,
        needs=(BROKER_SILENT, either(fell("broker_cores", 0.5), unmeasured("broker_cores"))),
        # If stops are measured and there was none, the broker waited for something without a counter.
        unless=(CPU_VERY_SHORT, IO_WAITS, never("broker_stopped")),
    ),
    Rule(
        "broker_pause",
        "The broker's JVM collected garbage for a large part of the time.",
        0.9,
        needs=(COLLECTS_GARBAGE,),
    ),
    Rule(
        "broker_pause",
        "The broker answered its scrapes late and used less CPU, with no pressure on CPU or drive:"
        " it was stalled for parts of a second.",
        0.75,
        needs=(spiked("broker_scrape_ms", 3, 200),),
        unless=(CPU_SHORT, IO_WAITS, DRIVE_SLOW, never("broker_stopped")),
        supports=(fell("broker_cores", 0.7), BROKER_SILENT),
    ),
    Rule(
        "load_generator",
        "The load generator's own threads were stalled or woke late, by about as much as latency rose.",
        0.9,
        needs=(LOADER_LATE,),
        unless=(CPU_SHORT, BROKER_SILENT, DRIVE_SLOW),
        supports=(rose("publish_delay_p99_ms", 3, 2, of_rise=0.3),),
    ),
    Rule(
        "load_generator",
        "Messages were sent late; the broker acknowledged them as fast as before.",
        0.9,
        needs=(
            rose("publish_delay_p99_ms", 3, 2, of_rise=0.5),
            stayed("publish_service_p99_ms", than="publish_delay_p99_ms", share=0.3),
        ),
        unless=(BROKER_SILENT,),
        stages=("publish",),
    ),
    Rule(
        "leader_change",
        "Partitions moved to another leader as latency rose.",
        0.9,
        needs=(either(reached("leader_changes", 1), spiked("leaders_moved_per_s", 2)),),
        unless=(BROKER_SILENT, BROKER_IDLE),
        supports=(rose("under_replicated", 2, 1),),
    ),
    Rule(
        "leader_change",
        "The consumers' group was rebalanced as end-to-end latency rose; publishing went on.",
        0.9,
        needs=(reached("rebalances", 1),),
        stages=("end_to_end",),
    ),
    Rule(
        "retention_delete",
        "The broker deleted old segments in the episode, and not in the quiet seconds.",
        0.88,
        needs=(SEGMENTS_DELETED,),
        unless=(BROKER_SILENT, rose("other_requests_per_s", 3, 100)),
        supports=(spiked("drive_discards_per_s", 2, 1), IO_WAITS, rose("produce_local_ms", 2, 1)),
    ),
    Rule(
        "retention_delete",
        "The drive was discarding deleted data in the episode, and not in the quiet seconds.",
        0.9,
        needs=(DISCARDS,),
        supports=(IO_WAITS, rose("drive_busy_share", 2, 0.3), fell("drive_written_mb_per_s", 0.7)),
    ),
    Rule(
        "drive_neighbour",
        "The drive got slower while it did more work for processes other than the broker.",
        0.92,
        needs=(DRIVE_SLOW, DRIVE_DOES_MORE),
        unless=(BROKER_WRITES_MORE, SEGMENTS_DELETED, STARVED),
        supports=(rose("drive_queue", 3, 3), IO_WAITS),
        of_drive=True,
    ),
    Rule(
        "slow_flush",
        "The drive's flushes got slow; its writes, apart from their wait for a flush, did not.",
        0.9,
        needs=(rose("drive_flush_ms", 3, 1), WRITE_FAST),
        unless=(DRIVE_DOES_MORE, STARVED),
        supports=(IO_WAITS, SYNC_SLOW),
        of_drive=True,
    ),
    Rule(
        "slow_drive",
        "The drive took longer for the same or less work, and the broker waited for it.",
        0.85,
        needs=(DRIVE_SLOW,),
        unless=(STARVED,),
        supports=(IO_WAITS, SYNC_SLOW, rose("drive_busy_share", 2, 0.3)),
        of_drive=True,
    ),
    Rule(
        "throttled_above_drive",
        "The broker waited for slow syncs while the drive was not slow: the limit is above the drive.",
        0.9,
        needs=(SYNC_SLOW, IO_WAITS),
        # A broker that waits at an I/O limit needs less CPU, not more.
        unless=(DRIVE_SLOW, CPU_VERY_SHORT),
        supports=(rose("broker_io_pressure", 3, 0.25), rose("broker_sync_ms", 3, 5)),
        of_drive=True,
    ),
    Rule(
        "cpu_starvation",
        "The broker waited for a CPU for a much larger share of the time.",
        0.86,
        needs=(CPU_VERY_SHORT,),
        unless=(COLLECTS_GARBAGE,),
        supports=(BROKER_SILENT, rose("host_busy_share", 1.2, 0.1), rose("produce_queue_ms", 2, 1)),
    ),
    Rule(
        "cpu_starvation",
        "The broker waited for a CPU more than before, and no other rule explains the time.",
        0.7,
        needs=(CPU_SHORT,),
        unless=(DRIVE_SLOW, BROKER_SILENT, COLLECTS_GARBAGE),
        supports=(
            rose("host_busy_share", 1.2, 0.1),
            rose("produce_queue_ms", 2, 1),
            spiked("broker_scrape_ms", 1.5, 50),
        ),
    ),
    Rule(
        "network",
        "Clients waited far longer than the broker took: the time passed between them.",
        0.85,
        needs=(
            rose("publish_service_p50_ms", 3, 5),
            # A broker that receives requests in bursts takes slightly longer for each.
            either(
                calm("produce_ms", 2, 2),
                stayed("produce_ms", than="publish_service_p50_ms", share=0.01),
            ),
            # The broker may explain only a small part, even of a small rise.
            stayed("produce_ms", than="publish_service_p50_ms", share=0.2),
        ),
        unless=(BROKER_SILENT, LOADER_LATE, CPU_VERY_SHORT, BROKER_SHORT),
        supports=(rose("retransmits_per_s", 3, 1), spiked("network_drops_per_s", 2, 1)),
        stages=("publish",),
    ),
    Rule(
        "network",
        "TCP retransmitted segments, and the broker was no slower than before.",
        0.8,
        needs=(
            RETRANSMITTED,
            calm("produce_ms", 2, 2),
        ),
        # GC pauses also cause retransmits.
        unless=(BROKER_SILENT, LOADER_LATE, CPU_VERY_SHORT, COLLECTS_GARBAGE),
    ),
    Rule(
        "consumer_stalled",
        "Messages were acknowledged as fast as before and received late: consumers did not fetch.",
        0.75,
        # An unmeasured drive may have delayed consumers. Then only consumers that receive nothing at
        # all are known to be stalled.
        needs=(FETCHES_LESS, either(measured("drive_busy_share"), fell("received_per_s", 0.05))),
        # A broker sends nothing to a consumer that does not fetch, so TCP retransmits nothing.
        unless=(DRIVE_SLOW, CPU_VERY_SHORT, reached("rebalances", 1), RETRANSMITTED),
        supports=(
            fell("received_per_s", 0.7),
            fell("fetch_requests_per_s", 0.7),
            rose("received_per_s", 1.3, 1),
        ),
        stages=("end_to_end",),
    ),
    Rule(
        "slow_flush",
        "The broker's append took the time, with CPU available, an idle drive and no IO pressure:"
        " the file system delayed it.",
        0.6,
        needs=(either(rose("produce_local_ms", 5, 20), rose("log_flush_ms", 5, 20)),),
        unless=(CPU_SHORT, IO_WAITS, DRIVE_SLOW, BROKER_SILENT, SEGMENTS_DELETED),
        of_drive=True,
    ),
)
