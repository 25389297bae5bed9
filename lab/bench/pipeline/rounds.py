# SPDX-License-Identifier: Apache-2.0
"""One round: the same events on one path, until they are merged in ClickHouse."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from lab.bench.machine import machine_busy_seconds
from lab.bench.pipeline.paths import NONE, OURS, EventPath
from lab.bench.pipeline.stand import PipelineStand
from lab.stand.program import Program, cpu_seconds

SEED = 4_711
EPOCH_MICROS = 1_767_225_600_000_000  # 2026-01-01: the same times in every run of the benchmark
HOUR_MICROS = 3_600_000_000
MAIN = "io.tailrace.bench.EmitterMain"


class Emitter:
    """A warm Java process that offers rounds of events to one path."""

    def __init__(self, stand: PipelineStand, path: EventPath) -> None:
        receivers = stand.to_collector if path.collector else stand.to_warehouse
        target = receivers[path.side].port if path.emits else 1
        self.program: Program = stand.emitter(MAIN, f"emitter-{path.name}", path.name, f"http://127.0.0.1:{target}")
        self.path = path
        self.program.read_line()

    def offer(self, run: str, shape: str, events: int, rate: int, start_micros: int) -> list[int]:
        """Offered, lost as the path itself knows, µs of offering, µs until all was sent, latest burst in µs."""
        self.program.write_line(f"{run} {SEED} {events} {rate} {start_micros} {shape}")
        return [int(word) for word in self.program.read_line().split()]


@dataclass(frozen=True)
class Step:
    """CPU time of the warehouse and elapsed time, both in seconds."""

    cpu: float
    wall: float


@dataclass(frozen=True)
class Round:
    """CPU in seconds by stage. The warehouse's steps: inserts with the merges that ran at the same time, the
    merges that followed, and the last one to a single part."""

    path: EventPath
    number: int
    offered: int
    stored: int
    lost_known: int
    emitter_s: float
    collector_s: float
    inserts: Step
    merges: Step
    final_merge: Step
    live_metrics_s: float
    wire_bytes: int
    insert_bytes: int
    disk_bytes: int
    offer_s: float
    end_s: float
    late_us: int
    others: float
    load: float

    @property
    def lost(self) -> int:
        return self.offered - self.stored

    def nanos(self, seconds: float) -> float:
        """Seconds as ns per event that arrived (per event offered if the path stores none)."""
        return seconds * 1e9 / (self.stored or self.offered)


class _Steps:
    """Cuts the warehouse's CPU time into steps."""

    def __init__(self, cpu_seconds: Callable[[], float]) -> None:
        self._cpu_seconds = cpu_seconds
        self._last = (cpu_seconds(), time.monotonic())

    def cut(self) -> Step:
        before, self._last = self._last, (self._cpu_seconds(), time.monotonic())
        return Step(self._last[0] - before[0], self._last[1] - before[1])


def play(stand: PipelineStand, emitter: Emitter, shape: str, number: int, events: int, rate: int) -> Round:
    """Empties the path's tables, offers ``events`` at ``rate`` a second and waits until all is merged.

    ``shape`` is one of ``SHAPES``.
    """
    path, warehouse = emitter.path, stand.warehouse
    warehouse.empty(path.tables)
    measured = {name: program.cpu_seconds for name, program in stand.programs.items()}
    measured["emitter"] = emitter.program.cpu_seconds
    measured["bench"] = lambda: cpu_seconds(os.getpid())
    before = {name: cpu() for name, cpu in measured.items()}
    busy, began = machine_busy_seconds(), time.monotonic()
    wire, inserts = _wire(stand, path)
    steps = _Steps(measured["warehouse"])
    answer = emitter.offer(f"bench-{path.name}-{number}", shape, events, rate, EPOCH_MICROS + number * HOUR_MICROS)
    offered, lost_known, offer_us, end_us, late_us = answer
    stored = warehouse.wait_rows(path.tables[0], offered, path.patience_s) if path.emits else 0
    inserted = steps.cut()
    if path.emits:
        warehouse.wait_merges(measured["warehouse"])
    merged = steps.cut()
    warehouse.merge_all(path.tables)
    final_merge = steps.cut()
    spent = {name: cpu() - before[name] for name, cpu in measured.items()}
    wall = (time.monotonic() - began) * (os.cpu_count() or 1)
    wire_after, inserts_after = _wire(stand, path)
    return Round(
        path=path,
        number=number,
        offered=offered,
        stored=stored,
        lost_known=lost_known,
        emitter_s=spent["emitter"],
        collector_s=spent[path.collector] if path.collector else 0,
        inserts=inserted,
        merges=merged,
        final_merge=final_merge,
        live_metrics_s=spent["victoria-metrics"] if path is OURS else 0,
        wire_bytes=wire_after - wire,
        insert_bytes=inserts_after - inserts,
        disk_bytes=warehouse.disk_bytes(path.tables) if path.emits else 0,
        offer_s=offer_us / 1e6,
        end_s=end_us / 1e6,
        late_us=late_us,
        others=max(0, machine_busy_seconds() - busy - sum(spent.values())) / wall,
        load=os.getloadavg()[0],
    )


def _wire(stand: PipelineStand, path: EventPath) -> tuple[int, int]:
    if path is NONE:
        return 0, 0
    to_collector = stand.to_collector[path.side].forward_bytes if path.collector else 0
    return to_collector, stand.to_warehouse[path.side].forward_bytes
