# SPDX-License-Identifier: Apache-2.0
"""What the measured clocks of several hosts say about latencies between them. Pure."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from tailrace.audit.evidence import Early, HostClock


def clock_notes(workers: Sequence[int], clocks: Sequence[HostClock], early: Sequence[Early]) -> Iterator[str]:
    """Data, not faults: how far hosts' clocks may be apart, and what was received too early."""
    apart = _apart(clocks)
    measured = {worker for clock in clocks for worker in clock.workers}
    if len(clocks) > 1:
        (least, most), one, other = max(apart, key=lambda pair: max(map(abs, pair[0])))
        middle, bound = (least + most) / 2, (most - least) / 2
        yield (
            f"clocks of {len(clocks)} hosts, measured against the warehouse's: apart by "
            f"{middle:+.0f} ± {bound:.0f} µs at the worst ({one} less {other}); end-to-end "
            "latencies between hosts are good to that"
        )
    unknown = [worker for worker in workers if worker not in measured]
    # A run's lone worker has one clock for both ends.
    if unknown and len(workers) > 1:
        listed = ", ".join(map(str, unknown))
        yield (
            f"worker {listed}: clock not measured against the warehouse's, so end-to-end latencies "
            "are good to what each host says of itself (run_events of kind clock)"
        )
    explained = max((max(map(abs, pair[0])) for pair in apart), default=0.0)
    for one_early in early:
        text = (
            f"worker {one_early.worker}: {one_early.messages} messages were received before their "
            f"intended send, by up to {one_early.most_us} µs: the clocks of two hosts differ by "
            "that at least"
        )
        if apart and not unknown and one_early.most_us > explained:
            text += f", which is more than was measured before and after ({explained:.0f} µs)"
        yield text


def _apart(clocks: Sequence[HostClock]) -> list[tuple[tuple[float, float], str, str]]:
    """For each two hosts, the ends between which the first's clock less the second's lies."""
    return [((a.least_us - b.most_us, a.most_us - b.least_us), a.host, b.host) for a, b in combinations(clocks, 2)]
