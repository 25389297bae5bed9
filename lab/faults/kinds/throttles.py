# SPDX-License-Identifier: Apache-2.0
"""A throttle above the drive: the drive itself has less to do and looks better than before."""

from collections.abc import Callable

from lab.faults import cgroups
from lab.faults.fault import Fault, Kind, Scene, Strength, levels, slower

_FILES = {"iops": "blkio.throttle.write_iops_device", "bytes": "blkio.throttle.write_bps_device"}


def _throttled(unit: str) -> Callable[[Scene, Strength], Fault]:
    def make(scene: Scene, strength: Strength) -> Fault:
        pids = [scene.broker.pid]
        folder = cgroups.folder("blkio", pids)
        limits = {_FILES[unit]: f"{scene.drive.top.number} {strength[unit]:.0f}"}

        def measure() -> float:
            with cgroups.inside(folder):
                return scene.drive.sync_ms(2, 2**15 if unit == "bytes" else 4096)

        return Fault(
            measure,
            "ms per write and sync, as the broker",
            slower(3, 3),
            lambda: cgroups.group(scene.journal, "blkio", limits, pids),
        )

    return make


KINDS = (
    Kind(
        "cgroup_iops",
        "throttled_above_drive",
        levels(iops=(25, 80)),
        _throttled("iops"),
        missing=cgroups.missing("blkio", _FILES["iops"]),
        on_drive=True,
    ),
    Kind(
        "cgroup_bandwidth",
        "throttled_above_drive",
        levels(bytes=(150_000, 500_000)),
        _throttled("bytes"),
        missing=cgroups.missing("blkio", _FILES["bytes"]),
        on_drive=True,
    ),
)
