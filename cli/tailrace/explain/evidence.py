# SPDX-License-Identifier: Apache-2.0
"""What several rules ask for: a slow drive, a broker short of CPU, and the like."""

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

# Times are ms, pressure a share of time.
DRIVE_SLOW = either(
    rose("request_write_ms", 2.5, 1.5),
    rose("drive_write_ms", 2.5, 1.5),
    rose("drive_flush_ms", 2.5, 1.5),
    rose("drive_read_ms", 2.5, 1.5),
)
DRIVE_WORKS_MORE = either(
    rose("other_requests_per_s", 3, 30),
    rose("drive_writes_per_s", 1.5, 50),
    rose("drive_reads_per_s", 3, 50),
    rose("drive_written_mb_per_s", 1.5, 2),
    rose("drive_read_mb_per_s", 3, 2),
)
BROKER_WORKS_MORE = either(rose("broker_written_mb_per_s", 1.5, 0.5), rose("acked_per_s", 1.5, 1))
SYNC_SLOW = either(rose("broker_sync_ms", 3, 2), rose("log_flush_ms", 3, 5), rose("produce_local_ms", 3, 5))
# With ioprobe the write is timed alone; without it a commit's wait for its flush is taken off.
WRITE_FAST = either(
    small("request_write_ms", of="drive_flush_ms", share=0.3),
    both(
        unmeasured("request_write_ms"),
        small("drive_own_write_ms", of="drive_flush_ms", share=0.07),
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
# Who has no CPU counts the time until it runs again as the drive's.
STARVED = both(CPU_VERY_SHORT, without(IO_WAITS))
LOADER_LATE = either(spiked("loader_pause_ms", 2, 10, of_rise=0.3), spiked("loader_lag_ms", 3, 20, of_rise=0.3))
# A JVM that only collects asks for every core it may have, so it is short of them too. One that has
# no CPU for anything takes long over its collections as well, but uses no more than before.
COLLECTS = both(
    either(rose("broker_gc_share", 5, 0.1), spiked("broker_gc_share", 5, 0.2)),
    either(without(CPU_VERY_SHORT), rose("broker_cores", 1.5, 0.2)),
)
RETRANSMITTED = either(
    rose("retransmits_per_s", 3, 1),
    spiked("retransmits_per_s", 3, 3),
    persisted("retransmits_per_s", 1),
)
# While the drive discards what was deleted the broker may not answer, so that only the drive tells.
DISCARDS = both(persisted("drive_discards_per_s", 1), DRIVE_SLOW)
SEGMENTS_GO = either(spiked("segments_deleted_per_s", 2), spiked("retention_messages_per_s", 2))
# What consumers that do not fetch leave behind: they receive less, or all of it later at once.
FETCHES_LESS = either(fell("received_per_s", 0.7), fell("fetch_requests_per_s", 0.7), rose("received_per_s", 1.3, 1))
# A JVM that can run uses some CPU every second.
STILL = vanished("broker_cores", 0.02)
SILENT = fell("broker_answers", 0.5)
