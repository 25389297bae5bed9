# SPDX-License-Identifier: Apache-2.0
"""The load generator's own trouble: it stops, it is short of CPU, or only its consumers stop."""

from lab.faults.fault import Kind, levels
from lab.faults.kinds.broker import stopped
from lab.faults.kinds.cpu import QUOTA_MISSING, limited

KINDS = (
    Kind(
        "loader_stop",
        "load_generator",
        levels(seconds=(4, 1.5)),
        lambda scene, _: stopped(scene.loaders(), scene.journal),
    ),
    Kind(
        "loader_quota",
        "load_generator",
        levels(share=(0.04, 0.07)),
        lambda scene, strength: limited(scene, [process.pid for process in scene.loaders()], strength["share"]),
        missing=QUOTA_MISSING,
    ),
    # The second load generator has no producer: the only one of the topic is the first one's.
    Kind(
        "consumer_stop",
        "consumer_stalled",
        levels(seconds=(6, 2.5)),
        lambda scene, _: stopped(scene.loaders()[1:], scene.journal),
        workers=2,
    ),
)
