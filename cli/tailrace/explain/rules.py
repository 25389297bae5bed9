# SPDX-License-Identifier: Apache-2.0
"""The rules: what must be seen to name a cause, and why. One table, read from the top.

``needs`` must all hold and ``unless`` must not; each of ``backs`` that holds makes the rule surer.
``weight`` says how sure it is by itself, so that of two that hold the more particular one wins.
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
    BROKER_SHORT,
    BROKER_WORKS_MORE,
    COLLECTS,
    CPU_SHORT,
    CPU_VERY_SHORT,
    DISCARDS,
    DRIVE_SLOW,
    DRIVE_WORKS_MORE,
    FETCHES_LESS,
    IO_WAITS,
    LOADER_LATE,
    RETRANSMITTED,
    SEGMENTS_GO,
    SILENT,
    STARVED,
    STILL,
    SYNC_SLOW,
    WRITE_FAST,
)


@dataclass(frozen=True)
class Rule:
    """``stages``: which latency must be up. ``of_drive``: the verdict names the drive."""

    cause: str
    why: str
    weight: float
    needs: tuple[Condition, ...]
    unless: tuple[Condition, ...] = ()
    backs: tuple[Condition, ...] = ()
    stages: tuple[str, ...] = ("publish", "end_to_end")
    of_drive: bool = False


RULES = (
    Rule(
        "broker_pause",
        "The broker was stopped: a signal or a debugger held its process.",
        0.97,
        needs=(reached("broker_stopped", 1),),
        backs=(SILENT, STILL),
    ),
    Rule(
        "load_generator",
        "The load generator was stopped: a signal or a debugger held its process.",
        0.97,
        needs=(reached("loader_stopped", 1), rose("publish_delay_p99_ms", 3, 2)),
    ),
    Rule(
        "consumer_stalled",
        "A load generator that consumes was stopped, and messages were sent in time all the while.",
        0.97,
        needs=(reached("loader_stopped", 1), calm("publish_delay_p99_ms", 3, 2)),
        backs=(fell("received_per_s", 0.7), fell("fetch_requests_per_s", 0.7)),
    ),
    Rule(
        "broker_pause",
        "The broker used no CPU at all, and waited for none: it stood still.",
        0.95,
        needs=(STILL,),
        unless=(CPU_VERY_SHORT, IO_WAITS),
        backs=(SILENT,),
    ),
    Rule(
        "broker_pause",
        "The broker answered nobody and used less CPU, and nothing kept it from a CPU or a drive.",
        0.9,
        needs=(SILENT, either(fell("broker_cores", 0.5), unmeasured("broker_cores"))),
        # Where stops are seen, one that is none is a wait for something that no counter shows.
        unless=(CPU_VERY_SHORT, IO_WAITS, never("broker_stopped")),
    ),
    Rule(
        "broker_pause",
        "The broker's JVM collected garbage for a large part of the time.",
        0.9,
        needs=(COLLECTS,),
    ),
    Rule(
        "broker_pause",
        "The broker answered its scrapes late and used less CPU, with no pressure on CPU or drive:"
        " it stood still for parts of seconds.",
        0.75,
        needs=(spiked("broker_scrape_ms", 3, 200),),
        unless=(CPU_SHORT, IO_WAITS, DRIVE_SLOW, never("broker_stopped")),
        backs=(fell("broker_cores", 0.7), SILENT),
    ),
    Rule(
        "load_generator",
        "The load generator's own threads stood still or woke late, as long as latency rose.",
        0.9,
        needs=(LOADER_LATE,),
        unless=(CPU_SHORT, SILENT, DRIVE_SLOW),
        backs=(rose("publish_delay_p99_ms", 3, 2, of_rise=0.3),),
    ),
    Rule(
        "load_generator",
        "Messages were sent late; once sent, the broker acknowledged them as fast as ever.",
        0.9,
        needs=(
            rose("publish_delay_p99_ms", 3, 2, of_rise=0.5),
            stayed("publish_service_p99_ms", of="publish_delay_p99_ms", share=0.3),
        ),
        unless=(SILENT,),
        stages=("publish",),
    ),
    Rule(
        "leader_change",
        "Partitions moved to another leader as latency rose.",
        0.9,
        needs=(either(reached("leader_changes", 1), spiked("leaders_moved_per_s", 2)),),
        unless=(SILENT, STILL),
        backs=(rose("under_replicated", 2, 1),),
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
        "The broker deleted old segments just then, and not in the quiet seconds.",
        0.88,
        needs=(SEGMENTS_GO,),
        unless=(SILENT, rose("other_requests_per_s", 3, 100)),
        backs=(spiked("drive_discards_per_s", 2, 1), IO_WAITS, rose("produce_local_ms", 2, 1)),
    ),
    Rule(
        "retention_delete",
        "The drive was busy discarding what had been deleted, and not in the quiet seconds.",
        0.9,
        needs=(DISCARDS,),
        backs=(IO_WAITS, rose("drive_busy_share", 2, 0.3), fell("drive_written_mb_per_s", 0.7)),
    ),
    Rule(
        "drive_neighbour",
        "The drive got slower while it did more work, and not for the broker: somebody else's.",
        0.92,
        needs=(DRIVE_SLOW, DRIVE_WORKS_MORE),
        unless=(BROKER_WORKS_MORE, SEGMENTS_GO, STARVED),
        backs=(rose("drive_queue", 3, 3), IO_WAITS),
        of_drive=True,
    ),
    Rule(
        "slow_flush",
        "The drive's flushes got slow; its writes, without the wait for a flush, did not.",
        0.9,
        needs=(rose("drive_flush_ms", 3, 1), WRITE_FAST),
        unless=(DRIVE_WORKS_MORE, STARVED),
        backs=(IO_WAITS, SYNC_SLOW),
        of_drive=True,
    ),
    Rule(
        "slow_drive",
        "The drive took longer for the same or less work, and the broker waited for it.",
        0.85,
        needs=(DRIVE_SLOW,),
        unless=(STARVED,),
        backs=(IO_WAITS, SYNC_SLOW, rose("drive_busy_share", 2, 0.3)),
        of_drive=True,
    ),
    Rule(
        "throttled_above_drive",
        "The broker waited for slow syncs while the drive was not slow: the limit is above it.",
        0.9,
        needs=(SYNC_SLOW, IO_WAITS),
        # A broker that waits at a limit needs less CPU, not more.
        unless=(DRIVE_SLOW, CPU_VERY_SHORT),
        backs=(rose("broker_io_pressure", 3, 0.25), rose("broker_sync_ms", 3, 5)),
        of_drive=True,
    ),
    Rule(
        "cpu_starvation",
        "The broker waited for a CPU far more of the time.",
        0.86,
        needs=(CPU_VERY_SHORT,),
        unless=(COLLECTS,),
        backs=(SILENT, rose("host_busy_share", 1.2, 0.1), rose("produce_queue_ms", 2, 1)),
    ),
    Rule(
        "cpu_starvation",
        "The broker waited for a CPU more than before, and nothing else explains the time.",
        0.7,
        needs=(CPU_SHORT,),
        unless=(DRIVE_SLOW, SILENT, COLLECTS),
        backs=(
            rose("host_busy_share", 1.2, 0.1),
            rose("produce_queue_ms", 2, 1),
            spiked("broker_scrape_ms", 1.5, 50),
        ),
    ),
    Rule(
        "network",
        "Clients waited far longer than the broker took: the time went between them.",
        0.85,
        needs=(
            rose("publish_service_p50_ms", 3, 5),
            # A broker that gets its requests in bursts takes a little longer over them.
            either(
                calm("produce_ms", 2, 2),
                stayed("produce_ms", of="publish_service_p50_ms", share=0.01),
            ),
            # Of a small rise a small part is the broker's too, or it is not the network's.
            stayed("produce_ms", of="publish_service_p50_ms", share=0.2),
        ),
        unless=(SILENT, LOADER_LATE, CPU_VERY_SHORT, BROKER_SHORT),
        backs=(rose("retransmits_per_s", 3, 1), spiked("network_drops_per_s", 2, 1)),
        stages=("publish",),
    ),
    Rule(
        "network",
        "TCP had to send segments again, and the broker was no slower than before.",
        0.8,
        needs=(
            RETRANSMITTED,
            calm("produce_ms", 2, 2),
        ),
        # Who waits for a JVM that collects sends again too.
        unless=(SILENT, LOADER_LATE, CPU_VERY_SHORT, COLLECTS),
    ),
    Rule(
        "consumer_stalled",
        "Messages were acknowledged as ever and received late: the consumers did not fetch.",
        0.75,
        # Where the drives were not seen they may have kept consumers waiting: then only those that
        # receive nothing at all are known to stand still.
        needs=(FETCHES_LESS, either(measured("drive_busy_share"), fell("received_per_s", 0.05))),
        # A consumer that does not fetch is sent nothing, so nothing of it is lost on the way.
        unless=(DRIVE_SLOW, CPU_VERY_SHORT, reached("rebalances", 1), RETRANSMITTED),
        backs=(
            fell("received_per_s", 0.7),
            fell("fetch_requests_per_s", 0.7),
            rose("received_per_s", 1.3, 1),
        ),
        stages=("end_to_end",),
    ),
    Rule(
        "slow_flush",
        "The broker's append took the time, with a CPU at hand, an idle drive and no IO pressure:"
        " the file system held it.",
        0.6,
        needs=(either(rose("produce_local_ms", 5, 20), rose("log_flush_ms", 5, 20)),),
        unless=(CPU_SHORT, IO_WAITS, DRIVE_SLOW, SILENT, SEGMENTS_GO),
        of_drive=True,
    ),
)
