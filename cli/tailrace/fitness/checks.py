# SPDX-License-Identifier: Apache-2.0
"""What makes a host unfit, by thresholds, and what to do about it."""

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tailrace.fitness import drive, host
from tailrace.fitness.drive import Fingerprint
from tailrace.fitness.host import Rest
from tailrace.page.words import latency

# The median of so many samples in a row is judged, so that a neighbour that rests now and then is seen. A stack that
# has just started settles within a few seconds.
SAMPLES, MOST_SAMPLES, SAMPLE_S = 5, 10, 0.5
MOST_STEAL = 0.02
MOST_BUSY = 0.20
LEAST_IDLE_CORES = 1.0
MOST_SYNCED_P99_US = 50_000
# A synchronous write that is not slower than this many buffered ones has not reached a drive.
LEAST_SYNC_RATIO = 2.0
# Read without a system call; reading any other costs a microsecond or more.
FAST_CLOCKS = ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page")


@dataclass(frozen=True)
class Check:
    """``fit`` is None where it could not be judged. ``remedy`` is for a check that is not fit."""

    name: str
    value: str
    limit: str
    fit: bool | None
    remedy: str


def check(folders: Mapping[str, Path]) -> list[Check]:
    """Measure this host: at rest for 2.5 to 5 seconds, then each drive for one. ``folders``: of a drive's name."""
    found = [
        *of_rest(settled(lambda: host.rest(SAMPLE_S))),
        of_clock(host.clock_source()),
        of_governors(host.governors()),
    ]
    for name, folder in folders.items():
        try:
            found += of_drive(name, drive.fingerprint(folder))
        except OSError as err:
            remedy = "name a folder of the drive that this user may write"
            found.append(Check(name, f"not probed: {folder}: {err.strerror}", "", False, remedy))
    return found


def settled(sample: Callable[[], Rest]) -> Rest:
    """The first median of five samples in a row that is within the limits, else that of the last five."""
    samples = [sample() for _ in range(SAMPLES)]
    while not all(each.fit for each in of_rest(median(samples[-SAMPLES:]))) and len(samples) < MOST_SAMPLES:
        samples.append(sample())
    return median(samples[-SAMPLES:])


def median(samples: Sequence[Rest]) -> Rest:
    """Each share's own median."""
    busy, steal = (statistics.median(shares) for shares in zip(*((r.busy, r.steal) for r in samples), strict=True))
    return replace(samples[-1], busy=busy, steal=steal)


def of_rest(rest: Rest) -> Iterator[Check]:
    """Each cause is one finding: stolen time that is over its limit is no other program's, and cores that a busy host
    does not have left are not missing for another reason."""
    stolen = rest.steal > MOST_STEAL
    busy = rest.busy - (rest.steal if stolen else 0) > MOST_BUSY
    short = rest.idle_cores < LEAST_IDLE_CORES
    # What a host never has is missing however busy it is.
    explained = (busy or stolen) and rest.usable_cores >= LEAST_IDLE_CORES
    yield Check(
        "steal at rest", _percent(rest.steal), f"at most {_percent(MOST_STEAL)}", not stolen,
        "the hypervisor gives CPU time to others: use dedicated cores",
    )  # fmt: skip
    yield Check(
        "busy share at rest", _percent(rest.busy), f"at most {_percent(MOST_BUSY)}", not busy, "stop other programs"
    )
    yield Check(
        "loader headroom", f"{rest.idle_cores:.1f} of {rest.usable_cores} cores",
        f"at least {LEAST_IDLE_CORES:.0f} core", None if short and explained else not short,
        "give the load generator more cores, or another host",
    )  # fmt: skip


def of_clock(source: str) -> Check:
    remedy = "reading the time is slow: boot with clocksource=tsc if the machine has a stable one"
    fit = source in FAST_CLOCKS if source else None
    return Check("clock source", source or "not visible", "one of " + ", ".join(FAST_CLOCKS), fit, remedy)


def of_governors(found: list[str]) -> Check:
    remedy = "the clock rate follows the load: cpupower frequency-set -g performance"
    fit = found == ["performance"] if found else None
    return Check("CPU governor", ", ".join(found) or "not visible", "performance", fit, remedy)


def of_drive(name: str, found: Fingerprint) -> Iterator[Check]:
    synced, buffered = found.synced, found.buffered
    yield Check(
        f"{name}, 4 KiB with O_DSYNC", f"p50 {latency(synced.p50_us)}, p99 {latency(synced.p99_us)}",
        f"p99 at most {latency(MOST_SYNCED_P99_US)}", synced.p99_us <= MOST_SYNCED_P99_US,
        "the drive is slow or in use by others: give the brokers their own",
    )  # fmt: skip
    yield Check(
        f"{name}, 4 KiB buffered", f"p50 {latency(buffered.p50_us)}, p99 {latency(buffered.p99_us)}",
        "p50 at most half of that with O_DSYNC", synced.p50_us >= LEAST_SYNC_RATIO * buffered.p50_us,
        "synchronous writes do not reach a drive (tmpfs, or a cache that ignores flushes): use a real drive",
    )  # fmt: skip


def as_manifest(checks: list[Check]) -> dict[str, Any]:
    """What a run keeps: fit unless some check is not."""
    return {"fit": all(each.fit is not False for each in checks), "checks": [asdict(each) for each in checks]}


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
