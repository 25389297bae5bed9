# SPDX-License-Identifier: Apache-2.0
"""The published experiments' small forms: those that need a drive with known limits, or one that ages, use the lab's.

Each is one call of ``tailrace experiments``; the others follow on one stack without the drive. What was run today
is not run again, so the same call continues where an earlier one was ended.
"""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from lab.faults import drive, system
from lab.faults.ageing import Ageing
from lab.faults.amounts import amount
from lab.faults.drive import Drive
from lab.faults.errors import Unsupported
from lab.faults.journal import Journal
from lab.faults.stand import PLAIN, FaultStand
from lab.stand.errors import StandError
from lab.stand.run import COMMAND
from tailrace.api import SMALL, STACK_BYTES, BadInput, Experiment, chosen

Say = Callable[[str], None]
_RESULT = re.compile(r"(\w+)=(\d+)")
COUNTS = ("experiments", "ran", "holds", "not", "cannot_tell")
PAGE = "published-experiments.md"
# The drive is in memory, as are the stack and a load generator.
_MEMORY = 2 * 1024**3 + STACK_BYTES + 1024**3
# Longer than a stack takes to start; if it does not start, each call prints why.
_UP_S = 180.0
# What an interrupted command gets to ship what it has and to stop.
_LET_GO_S = 120.0


@dataclass(frozen=True)
class Call:
    """What is asked for: ``names`` of experiments in ``folder``, or all. ``pages``: a folder for a page of what was
    run so far; ``exports``: one for the runs that are judged, ``without_messages`` or whole; ``minutes``: what is not
    done by then is ended."""

    folder: Path
    names: Sequence[str] = ()
    pages: Path | None = None
    exports: Path | None = None
    without_messages: bool = False
    restart: bool = False
    minutes: float = 60.0


class Experiments:
    """One call in one lab folder."""

    def __init__(self, journal: Journal, call: Call, say: Say) -> None:
        self.journal = journal
        self.call = call
        self.experiments = [each for each in chosen(call.folder, call.names) if "kafka" in each.systems]
        self.say = say
        self.counts = dict.fromkeys(COUNTS, 0)
        self.until = time.monotonic() + 60 * call.minutes

    def run(self) -> int:
        """Exit code 0 when every experiment was run."""
        _done, failures = self.journal.undo_all()
        if failures:
            raise StandError("; ".join(failures))
        self.journal.guard()
        stand = FaultStand(self.journal)
        plain = [each for each in self.experiments if not each.drive(SMALL)]
        undone = True
        own = [each for each in self.experiments if each.drive(SMALL)]
        if own:
            try:
                _check_memory()
                made = stand.start_on(PLAIN)
                for each in own:
                    self._on_drive(each, made)
            except Unsupported as err:
                self.say(f"no separate drive: {err}; {', '.join(e.name for e in own)} run on the machine's drive")
                plain = self.experiments
            finally:
                undone = self._down(stand)
        with self._kept_up(stand, plain):
            for each in plain:
                self._call(each, {}, lambda _line: None)
        if self.call.pages is not None:
            page = ["--stored", "--from", str(self.call.folder), "--page", str(self.call.pages / PAGE)]
            subprocess.run([COMMAND, "experiments", *page], stdout=subprocess.DEVNULL, check=False)
        counts = " ".join(f"{name}={number}" for name, number in self.counts.items())
        self.say(f"RESULT {counts}")
        return 0 if undone and self.counts["ran"] == len(self.experiments) else 1

    @contextmanager
    def _kept_up(self, stand: FaultStand, several: Sequence[Experiment]) -> Iterator[None]:
        """One stack for all: a call starts and stops its own otherwise, and a broker that has just begun is slow."""
        left = min(_UP_S, self.until - time.monotonic())
        if len(several) < 2 or left <= 0:
            yield
            return
        with self.journal.undo_at_end("stop-stack", *stand.variables.values()):
            with suppress(subprocess.TimeoutExpired):
                subprocess.run([COMMAND, "up"], stdout=subprocess.DEVNULL, check=False, timeout=left)
            yield

    def _down(self, stand: FaultStand) -> bool:
        """Print what could not be undone and keep it for ``clean``; the verdicts stay valid."""
        try:
            stand.stop()
        except StandError as err:
            self.say(f"not undone: {err}; run python -m lab.faults clean")
            return False
        return True

    def _on_drive(self, experiment: Experiment, made: Drive) -> None:
        wanted = experiment.drive(SMALL)
        with limits(self.journal, made, wanted), ExitStack() as later:
            ageing = Ageing(made.hidden, wanted, self.say)
            later.callback(ageing.end)
            self._call(experiment, {"TAILRACE_EXPERIMENTS_DRIVE": made.top.name}, ageing.follow)
            if ageing.missed():
                self.say(f"{experiment.name}: its drive did not become slow, so its verdict means nothing")

    def _call(self, experiment: Experiment, env: Mapping[str, str], follow: Callable[[str], None]) -> None:
        """A call that fails ends only its own experiment."""
        self.counts["experiments"] += 1
        left = self.until - time.monotonic()
        if left <= 0:
            self.say(f"{experiment.name}: not started: {self.call.minutes:g} minutes are over; the same call continues")
            return
        began = time.monotonic()
        result = ""
        # In a separate session: Ctrl-C here reaches it once, through this process.
        with subprocess.Popen(
            self._command(experiment),
            env=os.environ | env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as running:
            pid = running.pid
            clock = threading.Timer(left, _end, (running,))
            clock.daemon = True
            clock.start()
            assert running.stdout is not None
            with self.journal.undo_at_end("kill", str(pid), str(system.started(pid))):
                try:
                    for line in running.stdout:
                        sys.stdout.write(line)
                        sys.stdout.flush()
                        follow(line)
                        result = line if line.startswith("RESULT experiments=") else result
                    running.wait()
                except BaseException:
                    _end(running)
                    raise
                finally:
                    clock.cancel()
        for name, number in _RESULT.findall(result):
            if name in self.counts and name != "experiments":
                self.counts[name] += int(number)
        if not result and time.monotonic() > self.until:
            self.say(f"{experiment.name}: stopped: {self.call.minutes:g} minutes are over; the same call continues")
        self.say(f"{experiment.name}: {time.monotonic() - began:.0f} s")

    def _command(self, experiment: Experiment) -> list[str]:
        command = [COMMAND, "experiments", experiment.name, "--small", "--from", str(self.call.folder)]
        if self.call.restart:
            command.append("--restart")
        if self.call.exports is not None:
            command += ["--export", str(self.call.exports)]
        if self.call.without_messages:
            command.append("--without-messages")
        return command


def _end(running: subprocess.Popen[str]) -> None:
    """As by Ctrl-C, so that nothing is lost; by force when that takes too long."""
    for number, patience in ((signal.SIGINT, _LET_GO_S), (signal.SIGKILL, 10.0)):
        if running.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(running.pid, number)
            with suppress(subprocess.TimeoutExpired):
                running.wait(patience)


def _check_memory() -> None:
    """Raises BadInput, with what is needed."""
    free = psutil.virtual_memory().available
    if free < _MEMORY:
        need = f"{free / 1024**3:.1f} GiB of memory are free, {_MEMORY / 1024**3:.1f} GiB needed"
        raise BadInput(f"{need} for a drive in it, the stack and a load generator; free some")


@contextmanager
def limits(journal: Journal, made: Drive, wanted: Mapping[str, Any]) -> Iterator[None]:
    """Sets the drive's limits, and how much of its data may wait in memory, within the block."""
    number = made.hidden.number
    bdi = Path("/sys/class/bdi") / made.top.number
    if not (bdi / "max_bytes").exists():
        raise Unsupported("the kernel cannot limit a drive's unwritten pages (max_bytes of its bdi)")
    # File, what is written to it, and what restores it.
    files = [
        (drive.WRITE_BYTES, f"{number} {amount(wanted['bytesPerSecond']):.0f}", f"{number} {drive.USUAL_BYTES}"),
        (drive.WRITE_IOPS, f"{number} {amount(wanted['writesPerSecond']):.0f}", f"{number} {drive.USUAL_IOPS}"),
        # Below the limit of all memory too, and before it: the drive's share of that would be gigabytes.
        (bdi / "strict_limit", "1", "0"),
    ]
    # The kernel keeps the bytes as a share, and takes only that back: of all memory there is less at times.
    share = (bdi / "max_ratio").read_text().strip()
    with ExitStack() as restored:
        for file, text, usual in files:
            restored.enter_context(journal.undo_at_end("set", str(file), usual))
            system.put(file, text)
        restored.enter_context(journal.undo_at_end("set", str(bdi / "max_ratio"), share))
        system.put(bdi / "max_bytes", f"{amount(wanted['dirtyBytes']):.0f}")
        yield
