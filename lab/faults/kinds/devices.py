# SPDX-License-Identifier: Apache-2.0
"""The drive itself is slow, or its flushes are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from lab.faults import drive, programmable, system
from lab.faults.drive import Drive
from lab.faults.fault import STRONG, WEAK, Fault, Kind, Scene, Strength, nothing_lacks, slower
from lab.faults.stand import PROGRAMMABLE


def _limit(scene: Scene, file: Path, limit: float, usual: int, probe_bytes: int) -> Fault:
    """A limit of the hidden device, so below everything that the kernel counts of the drive."""
    number = scene.drive.hidden.number

    @contextmanager
    def inject() -> Iterator[None]:
        with scene.journal.undo_at_end("set", str(file), f"{number} {usual}"):
            system.put(file, f"{number} {limit:.0f}")
            yield

    return Fault(lambda: scene.drive.sync_ms(3, probe_bytes), "ms per write and sync", slower(3, 2), inject)


def _iops(scene: Scene, strength: Strength) -> Fault:
    return _limit(scene, drive.WRITE_IOPS, strength["iops"], drive.USUAL_IOPS, 4096)


def _bandwidth(scene: Scene, strength: Strength) -> Fault:
    return _limit(scene, drive.WRITE_BYTES, strength["bytes"], drive.USUAL_BYTES, 2**15)


def _delays(words: str) -> Callable[[Scene, Strength], Fault]:
    """Makes a fault of the programmable drive; ``{ms}`` in the words is the strength's."""

    def make(scene: Scene, strength: Strength) -> Fault:
        control = _control(scene.drive)

        @contextmanager
        def inject() -> Iterator[None]:
            with scene.journal.undo_at_end("set", str(control), ""):
                control.write_text(words.format(**strength))
                yield

        return Fault(lambda: scene.drive.sync_ms(20), "ms per write and sync", slower(2, 3), inject)

    return make


def _stalls(scene: Scene, strength: Strength) -> Fault:
    """Half a second in every two, so a mean over less than that may miss it."""
    delayed = _delays("write={ms} every=2")(scene, strength)
    return replace(delayed, probe=lambda: scene.drive.worst_sync_ms(2.1), took=slower(2, 0.9 * strength["ms"]))


def _control(made: Drive) -> Path:
    assert made.control is not None, "the plan gives such faults a programmable drive"
    return made.control


def _freeze(scene: Scene, _strength: Strength) -> Fault:
    mount = str(scene.drive.mount)

    @contextmanager
    def inject() -> Iterator[None]:
        with scene.journal.undo_at_end("thaw", mount):
            system.run("fsfreeze", "--freeze", mount)
            yield

    return Fault(lambda: scene.drive.sync_ms(1), "ms per write and sync", slower(10, 500), inject)


KINDS = (
    Kind("drive_iops", "slow_drive", {STRONG: {"iops": 40}, WEAK: {"iops": 100}}, _iops, nothing_lacks, on_drive=True),
    Kind(
        "drive_bandwidth",
        "slow_drive",
        {STRONG: {"bytes": 400_000}, WEAK: {"bytes": 1_000_000}},
        _bandwidth,
        nothing_lacks,
        on_drive=True,
    ),
    Kind(
        "slow_writes",
        "slow_drive",
        {STRONG: {"ms": 40}, WEAK: {"ms": 10}},
        _delays("write={ms}"),
        programmable.missing,
        PROGRAMMABLE,
        on_drive=True,
    ),
    Kind(
        "write_stalls",
        "slow_drive",
        {STRONG: {"ms": 400}, WEAK: {"ms": 100}},
        _stalls,
        programmable.missing,
        PROGRAMMABLE,
        on_drive=True,
    ),
    Kind(
        "slow_flush",
        "slow_flush",
        {STRONG: {"ms": 25}, WEAK: {"ms": 8}},
        _delays("flush={ms}"),
        programmable.missing,
        PROGRAMMABLE,
        on_drive=True,
    ),
    # Nothing that is counted anywhere shows it, so not to know is right too.
    Kind(
        "freeze",
        "slow_flush",
        {STRONG: {"seconds": 4}, WEAK: {"seconds": 1.5}},
        _freeze,
        nothing_lacks,
        on_drive=True,
        also=("unknown",),
    ),
)
