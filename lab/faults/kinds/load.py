# SPDX-License-Identifier: Apache-2.0
"""The load generator's own trouble: it stops, it is short of CPU, or only its consumers stop."""

from __future__ import annotations

from lab.faults import cgroups
from lab.faults.fault import Fault, Kind, Scene, Strength, levels
from lab.faults.kinds.broker import stopped
from lab.faults.kinds.cpu import limited


def _stop(scene: Scene, _strength: Strength) -> Fault:
    return stopped(scene.loaders(), scene.journal)


def _quota(scene: Scene, strength: Strength) -> Fault:
    return limited(scene, [process.pid for process in scene.loaders()], strength["share"])


def _consumer(scene: Scene, _strength: Strength) -> Fault:
    """The second load generator has no producer: the only one of the topic is the first one's."""
    return stopped(scene.loaders()[1:], scene.journal)


KINDS = (
    Kind("loader_stop", "load_generator", levels(seconds=(4, 1.5)), _stop),
    Kind(
        "loader_quota",
        "load_generator",
        levels(share=(0.04, 0.07)),
        _quota,
        missing=cgroups.missing("cpu", "cpu.cfs_quota_us"),
    ),
    Kind("consumer_stop", "consumer_stalled", levels(seconds=(6, 2.5)), _consumer, workers=2),
)
