# SPDX-License-Identifier: Apache-2.0
"""The drive itself is slow, or its flushes are."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from lab.faults import drive, programmable, system
from lab.faults.fault import Fault, Kind, Scene, Strength, levels, slower
from lab.faults.stand import PROGRAMMABLE


def _limited(file: Path, unit: str, usual: int, write_bytes: int) -> Callable[[Scene, Strength], Fault]:
    """A limit of the hidden device, so below everything that the kernel counts of the drive."""

    def make(scene: Scene, strength: Strength) -> Fault:
        number = scene.drive.hidden.number

        @contextmanager
        def inject() -> Iterator[None]:
            with scene.journal.undo_at_end("set", str(file), f"{number} {usual}"):
                system.put(file, f"{number} {strength[unit]:.0f}")
                yield

        return Fault(lambda: scene.drive.sync_ms(3, write_bytes), "ms per write and sync", slower(3, 2), inject)

    return make


def _delays(words: str) -> Callable[[Scene, Strength], Fault]:
    """Makes a fault of the programmable drive; ``{ms}`` in the words is the strength's."""

    def make(scene: Scene, strength: Strength) -> Fault:
        control = scene.drive.control
        assert control is not None, "the plan gives such faults a programmable drive"

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
    return replace(delayed, measure=lambda: scene.drive.worst_sync_ms(2.1), took_effect=slower(2, 0.9 * strength["ms"]))


def _freeze(scene: Scene, _strength: Strength) -> Fault:
    mount = str(scene.drive.mount)

    @contextmanager
    def inject() -> Iterator[None]:
        with scene.journal.undo_at_end("thaw", mount):
            system.run("fsfreeze", "--freeze", mount)
            yield

    return Fault(lambda: scene.drive.sync_ms(1), "ms per write and sync", slower(10, 500), inject)


_programmed = partial(Kind, drive=PROGRAMMABLE, on_drive=True, missing=programmable.missing)
KINDS = (
    Kind(
        "drive_iops",
        "slow_drive",
        levels(iops=(40, 100)),
        _limited(drive.WRITE_IOPS, "iops", drive.USUAL_IOPS, 4096),
        on_drive=True,
    ),
    Kind(
        "drive_bandwidth",
        "slow_drive",
        levels(bytes=(400_000, 1_000_000)),
        _limited(drive.WRITE_BYTES, "bytes", drive.USUAL_BYTES, 2**15),
        on_drive=True,
    ),
    _programmed("slow_writes", "slow_drive", levels(ms=(40, 10)), _delays("write={ms}")),
    _programmed("write_stalls", "slow_drive", levels(ms=(400, 100)), _stalls),
    _programmed("slow_flush", "slow_flush", levels(ms=(25, 8)), _delays("flush={ms}")),
    # No counter shows it, so `unknown` is right too.
    Kind("freeze", "slow_flush", levels(seconds=(4, 1.5)), _freeze, on_drive=True, also=("unknown",)),
)
