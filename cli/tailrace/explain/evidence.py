# SPDX-License-Identifier: Apache-2.0
"""Conditions that several rules share: a slow drive, a broker short of CPU, and others."""

from tailrace.explain.conditions import (
    both,
    either,
    fell,
    persisted,
    reached,
    rose,
    small,
    spiked,
    unmeasured,
    vanished,
    without,
)

# Times are in ms, pressure is a share of time.
DRIVE_SLOW = either(
    rose("request_write_ms", 2.5, 1.5),
    rose("drive_write_ms", 2.5, 1.5),
    rose("drive_flush_ms", 2.5, 1.5),
    rose("drive_read_ms", 2.5, 1.5),
)
DRIVE_DOES_MORE = either(
    rose("other_requests_per_s", 3, 30),
    rose("drive_writes_per_s", 1.5, 50),
    rose("drive_reads_per_s", 3, 50),
    rose("drive_written_mb_per_s", 1.5, 2),
    rose("drive_read_mb_per_s", 3, 2),
)
BROKER_WRITES_MORE = either(rose("broker_written_mb_per_s", 1.5, 0.5), rose("acked_per_s", 1.5, 1))
SYNC_SLOW = either(rose("broker_sync_ms", 3, 2), rose("log_flush_ms", 3, 5), rose("produce_local_ms", 3, 5))
# ioprobe times the write alone. Without it, a commit's wait for its flush is subtracted.
WRITE_FAST = either(
    small("request_write_ms", than="drive_flush_ms", share=0.3),
    both(
        unmeasured("request_write_ms"),
        small("drive_own_write_ms", than="drive_flush_ms", share=0.07),
    ),
)
BROKER_SHORT = rose("broker_cpu_pressure", 1.5, 0.05)
CPU_SHORT = either(BROKER_SHORT, rose("host_steal_cores", 3, 0.1))
CPU_VERY_SHORT = either(
    both(rose("broker_cpu_pressure", 1.3, 0.1), reached("broker_cpu_pressure", 0.45)),
    rose("host_steal_cores", 3, 0.3),
)
IO_WAITS = either(
    rose("broker_io_pressure", 2, 0.05),
    both(unmeasured("broker_io_pressure"), rose("host_io_pressure", 2, 0.05)),
)
# A CPU-starved process counts its scheduling delay as I/O time.
STARVED = both(CPU_VERY_SHORT, without(IO_WAITS))
LOADER_LATE = either(spiked("loader_pause_ms", 2, 10, of_rise=0.3), spiked("loader_lag_ms", 3, 20, of_rise=0.3))
# A collecting JVM uses every core it can get, so it also shows CPU pressure. A JVM short of CPU also
# collects slowly, but uses no more CPU than before.
COLLECTS_GARBAGE = both(
    either(rose("broker_gc_share", 5, 0.1), spiked("broker_gc_share", 5, 0.2)),
    either(without(CPU_VERY_SHORT), rose("broker_cores", 1.5, 0.2)),
)
RETRANSMITTED = either(
    rose("retransmits_per_s", 3, 1),
    spiked("retransmits_per_s", 3, 3),
    persisted("retransmits_per_s", 1),
)
# A broker may not answer while the drive discards deleted data; then only the drive shows it.
DISCARDS = both(persisted("drive_discards_per_s", 1), DRIVE_SLOW)
SEGMENTS_DELETED = either(spiked("segments_deleted_per_s", 2), spiked("retention_messages_per_s", 2))
# Consumers that do not fetch receive less, or receive everything later at once.
FETCHES_LESS = either(fell("received_per_s", 0.7), fell("fetch_requests_per_s", 0.7), rose("received_per_s", 1.3, 1))
# A running JVM uses some CPU every second.
BROKER_IDLE = vanished("broker_cores", 0.02)
BROKER_SILENT = fell("broker_answers", 0.5)
