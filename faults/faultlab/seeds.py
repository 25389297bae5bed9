# SPDX-License-Identifier: Apache-2.0
"""The published experiments' small forms: those that want a drive of a known limit, or one that ages, get the lab's.

Each is one call of ``tailrace seeds``; the others follow on the same stack without the drive.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tailrace.seeds.experiment import SMALL, Experiment, chosen

from faultlab import drive, system
from faultlab.drive import Drive
from faultlab.errors import LabError, Lacking
from faultlab.journal import Journal
from faultlab.load import COMMAND
from faultlab.place import PLAIN, Place

Say = Callable[[str], None]
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)(s|[kMG]?B)?")
_UNITS = {"": 1, "s": 1, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}
_BEGUN = re.compile(r"^(\[0\] )?measure ")
_RESULT = re.compile(r"(\w+)=(\d+)")
COUNTS = ("experiments", "ran", "holds", "not", "cannot_tell")


class Seeds:
    """One call: ``names`` of experiments in ``folder``, or all; ``pages`` is a folder for a page of each, if any."""

    def __init__(self, journal: Journal, folder: Path, names: Sequence[str], pages: Path | None, say: Say) -> None:
        self.journal = journal
        self.folder = folder
        self.experiments = [each for each in chosen(folder, names) if "kafka" in each.systems]
        self.pages = pages
        self.say = say
        self.counts = dict.fromkeys(COUNTS, 0)

    def run(self) -> int:
        """Exit code 0 when every experiment was run."""
        _done, failures = self.journal.settle()
        if failures:
            raise LabError("; ".join(failures))
        self.journal.guard()
        place = Place(self.journal)
        plain = [each for each in self.experiments if not each.drive(SMALL)]
        undone = True
        own = [each for each in self.experiments if each.drive(SMALL)]
        if own:
            try:
                made = place.up(PLAIN)
                for each in own:
                    self._on_drive(each, made)
            except Lacking as err:
                self.say(f"no drive of its own: {err}; {', '.join(e.name for e in own)} run without, and cannot tell")
                plain = self.experiments
            finally:
                undone = self._down(place)
        for each in plain:
            self._call(each, {}, lambda _line: None)
        said = " ".join(f"{name}={number}" for name, number in self.counts.items())
        self.say(f"RESULT {said}")
        return 0 if undone and self.counts["ran"] == len(self.experiments) else 1

    def _down(self, place: Place) -> bool:
        """What cannot be put back is told, and kept for ``clean``; the verdicts stand."""
        try:
            place.down()
        except LabError as err:
            self.say(f"not put back: {err}; python -m faultlab clean")
            return False
        return True

    def _on_drive(self, experiment: Experiment, made: Drive) -> None:
        wanted = experiment.drive(SMALL)
        with limits(self.journal, made, wanted), ExitStack() as later:
            aged = threading.Event()

            def follow(line: str) -> None:
                if "slowAfter" not in wanted or aged.is_set() or not _BEGUN.match(line):
                    return
                aged.set()
                slow = int(amount(wanted["slowWritesPerSecond"]))
                text = f"{made.hidden.number} {slow}"
                ageing = threading.Timer(amount(wanted["slowAfter"]), system.put, (drive.WRITE_IOPS, text))
                ageing.start()
                later.callback(ageing.cancel)
                self.say(f"  the drive takes {slow} writes/s in {wanted['slowAfter']}")

            self._call(experiment, {"TAILRACE_SEEDS_DRIVE": made.top.name}, follow)

    def _call(self, experiment: Experiment, env: Mapping[str, str], follow: Callable[[str], None]) -> None:
        """A call that fails ends only its own experiment."""
        self.counts["experiments"] += 1
        command = [COMMAND, "seeds", experiment.name, "--small", "--from", str(self.folder)]
        if self.pages is not None:
            command += ["--page", str(self.pages / f"{experiment.name}.md")]
        said = ""
        with subprocess.Popen(
            command, env=os.environ | env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as running:
            assert running.stdout is not None
            for line in running.stdout:
                sys.stdout.write(line)
                sys.stdout.flush()
                follow(line)
                said = line if line.startswith("RESULT experiments=") else said
        for name, number in _RESULT.findall(said):
            if name in self.counts and name != "experiments":
                self.counts[name] += int(number)


@contextmanager
def limits(journal: Journal, made: Drive, wanted: Mapping[str, Any]) -> Iterator[None]:
    """The drive's limits, and how much of it may wait in memory, meanwhile."""
    number = made.hidden.number
    bdi = Path("/sys/class/bdi") / made.top.number
    # File, what is written to it, and what puts it back.
    files = [
        (drive.WRITE_BYTES, f"{number} {amount(wanted['bytesPerSecond']):.0f}", f"{number} {drive.USUAL_BYTES}"),
        (drive.WRITE_IOPS, f"{number} {amount(wanted['writesPerSecond']):.0f}", f"{number} {drive.USUAL_IOPS}"),
    ]
    if not (bdi / "max_bytes").exists():
        raise Lacking("the kernel cannot limit a drive's unwritten pages (max_bytes of its bdi)")
    # Below the limit of all memory too, and before it: the drive's share of that would be gigabytes.
    files += [
        (bdi / "strict_limit", "1", "0"),
    ]
    # The kernel keeps the bytes as a share, and takes only that back: of all memory there is less at times.
    share = (bdi / "max_ratio").read_text().strip()
    with ExitStack() as owed:
        for file, text, usual in files:
            owed.enter_context(journal.owing("set", str(file), usual))
            system.put(file, text)
        owed.enter_context(journal.owing("set", str(bdi / "max_ratio"), share))
        system.put(bdi / "max_bytes", f"{amount(wanted['dirtyBytes']):.0f}")
        yield


def amount(text: object) -> float:
    """Of ``200MB``, ``120s`` or a number. Raises LabError."""
    match = _AMOUNT.fullmatch(str(text))
    if match is None:
        raise LabError(f"experiment.yaml: '{text}' is no amount; write 200MB, 120s or a number")
    return float(match[1]) * _UNITS[match[2] or ""]
