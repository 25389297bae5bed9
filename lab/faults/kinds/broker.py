# SPDX-License-Identifier: Apache-2.0
"""The broker pauses: stopped from outside, or by its own garbage collector."""

import os
import signal
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

from lab.faults import attach
from lab.faults.fault import Fault, Kind, Scene, Strength, higher, levels
from lab.faults.journal import Journal
from lab.stand.waiting import until


def stopped(processes: list[psutil.Process], journal: Journal) -> Fault:
    """SIGSTOP for all of them, SIGCONT at the end."""

    def share() -> float:
        return sum(process.status() == psutil.STATUS_STOPPED for process in processes) / len(processes)

    @contextmanager
    def inject() -> Iterator[None]:
        entries = [journal.record("wake", str(p.pid), str(p.create_time())) for p in processes]
        try:
            for process in processes:
                os.kill(process.pid, signal.SIGSTOP)
            until(lambda: share() == 1, "the processes stop", 10)
            yield
        finally:
            for entry in entries:
                journal.undo(entry)

    return Fault(share, "share of its processes that are stopped", lambda before, during: during == 1 > before, inject)


def _collect(scene: Scene, strength: Strength) -> Fault:
    """Full collections, which stop all threads, with ``pause`` seconds between them."""
    pid, port = scene.broker.pid, scene.stand.paths.ports["KAFKA_JMX_PORT"]

    def collecting() -> float:
        before = _collected_s(port)
        time.sleep(2)
        return (_collected_s(port) - before) / 2

    @contextmanager
    def inject() -> Iterator[None]:
        enough = threading.Event()

        def work() -> None:
            while not enough.is_set():
                # A histogram of what is alive begins with a full collection.
                attach.ask(pid, "inspectheap", "-live")
                enough.wait(strength["pause"])

        worker = threading.Thread(target=work)
        worker.start()
        try:
            yield
        finally:
            enough.set()
            worker.join()

    return Fault(collecting, "s/s of garbage collection", higher(0.03), inject)


def _collected_s(port: int) -> float:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as page:
        lines = page.read().decode().splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith("jvm_gc_collection_seconds_sum"))


KINDS = (
    Kind(
        "broker_stop", "broker_pause", levels(seconds=(5, 1.5)), lambda scene, _: stopped([scene.broker], scene.journal)
    ),
    Kind("broker_gc", "broker_pause", levels(pause=(0, 0.6)), _collect),
)
