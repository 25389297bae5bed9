# SPDX-License-Identifier: Apache-2.0
"""Notes on how well the measured clocks of several hosts agree. Pure."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from tailrace.audit.inputs import Early, HostClock


def clock_notes(workers: Sequence[int], clocks: Sequence[HostClock], early: Sequence[Early]) -> Iterator[str]:
    """How far hosts' clocks may be apart, and messages received too early. These are notes, not failures."""
    offsets = _offsets(clocks)
    measured = {worker for clock in clocks for worker in clock.workers}
    if len(clocks) > 1:
        (least, most), one, other = max(offsets, key=lambda pair: max(map(abs, pair[0])))
        middle, bound = (least + most) / 2, (most - least) / 2
        yield (
            f"clocks of {len(clocks)} hosts, measured against the warehouse's: apart by "
            f"{middle:+.0f} ± {bound:.0f} µs at most ({one} minus {other}); end-to-end "
            "latencies between hosts are accurate to that"
        )
    unknown = [worker for worker in workers if worker not in measured]
    # A lone worker has one clock for both ends.
    if unknown and len(workers) > 1:
        listed = ", ".join(map(str, unknown))
        yield (
            f"worker {listed}: clock not measured against the warehouse's, so end-to-end latencies "
            "are accurate to what each host reports of itself (run_events of kind clock)"
        )
    explained = max((max(map(abs, pair[0])) for pair in offsets), default=0.0)
    for one_early in early:
        text = (
            f"worker {one_early.worker}: {one_early.messages} messages were received before their "
            f"intended send, by up to {one_early.most_us} µs: the clocks of two hosts differ by "
            "at least that"
        )
        if offsets and not unknown and one_early.most_us > explained:
            text += f", which is more than was measured before and after ({explained:.0f} µs)"
        yield text


def _offsets(clocks: Sequence[HostClock]) -> list[tuple[tuple[float, float], str, str]]:
    """For each pair of hosts, the bounds of the first's clock minus the second's."""
    return [((a.least_us - b.most_us, a.most_us - b.least_us), a.host, b.host) for a, b in combinations(clocks, 2)]
