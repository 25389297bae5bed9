# SPDX-License-Identifier: Apache-2.0
"""Events inside Kafka: retention deletes old data, a consumer group rebalances."""

import contextlib
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.faults import client, drive, system
from lab.faults.fault import Fault, Kind, Scene, Strength, levels
from lab.faults.kinds.neighbours import running
from lab.faults.stand import FaultStand
from lab.stand.errors import StandError
from lab.stand.waiting import until

SEGMENT_BYTES = 16 * 2**20
# The broker looks for what it may delete every 30 s, and deletes a second after it has found it.
LOOKS_EVERY_S = 30.0


def _fill(stand: FaultStand, strength: Strength) -> None:
    """Write old data before the run, which no consumer reads."""
    topic, size = _topic(strength), f"{strength['bytes']:.0f}"
    if not _segments(stand, topic):
        system.run(*client.command(stand, "fill", topic, size, str(SEGMENT_BYTES)), timeout_s=180)
        system.run("sync", "--file-system", str(stand.paths.data / "kafka"), timeout_s=180)


def _retain(scene: Scene, strength: Strength) -> Fault:
    topic = _topic(strength)
    segments = len(_segments(scene.stand, topic))

    @contextmanager
    def inject() -> Iterator[None]:
        with drive.discards(scene.journal, scene.drive.mount):
            system.run(*client.command(scene.stand, "retain", topic, str(SEGMENT_BYTES)))
            until(
                lambda: len(_segments(scene.stand, topic)) < segments,
                f"retention takes segments of {topic}",
                LOOKS_EVERY_S + 10,
            )
            yield

    return Fault(
        lambda: len(_segments(scene.stand, topic)),
        "segments of the old data",
        lambda before, during: during <= before / 2,
        inject,
    )


def _topic(strength: Strength) -> str:
    return f"old-{strength['bytes']:.0f}"


def _segments(stand: FaultStand, topic: str) -> list[Path]:
    """Those that are not deleted, nor on their way to be."""
    return list((stand.paths.data / "kafka" / f"{topic}-0").glob("*.log"))


def _rebalance(scene: Scene, strength: Strength) -> Fault:
    output = scene.stand.folder / "joins.out"
    output.write_text("")
    command = client.command(
        scene.stand, "join", scene.run_id, f"{strength['hold_ms']:.0f}", f"{strength['away_ms']:.0f}"
    )

    def joins() -> int:
        return output.read_text().count("joined ")

    @contextmanager
    def inject() -> Iterator[None]:
        with output.open("w") as file, running(scene.journal, command, file) as process:
            deadline = time.monotonic() + 30
            while not joins():
                if process.poll() is not None or time.monotonic() > deadline:
                    raise StandError(f"no member joined the group of {scene.run_id}", output)
                time.sleep(0.05)
            yield
            # Orderly, so that the group need not wait until it takes the member for dead.
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)

    return Fault(joins, "times that a member joined", lambda before, during: during > before, inject)


KINDS = (
    Kind(
        "retention",
        "retention_delete",
        levels(bytes=(1_200_000_000, 300_000_000), seconds=(6, 6)),
        _retain,
        prepare=_fill,
        lead_s=LOOKS_EVERY_S + 5,
    ),
    Kind("rebalance", "leader_change", levels(hold_ms=(1500, 400), away_ms=(1000, 3000)), _rebalance, lead_s=3),
)
