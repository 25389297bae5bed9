# SPDX-License-Identifier: Apache-2.0
"""What is to be undone, in a file before it is done: whatever ends the lab, the machine is put back. The file need not
outlive the machine: what it names would not either.

One line of JSON each: ``{"n": 3, "undo": ["unmount", "/…"]}`` when something is about to be done, ``{"n": 3}`` when it
has been undone. The newest goes first.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from lab.faults.errors import LabError
from lab.faults.undo import VERBS


class Journal:
    """Of one lab folder; only one process has it at a time. Close it, or leave it as a context."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.file = folder / "undo.jsonl"
        self._lock = (folder / "lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as err:
            self._lock.close()
            raise LabError(f"{folder}: another fault lab works here; wait for it to end") from err
        self._guard: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._lock.close()
        if self._guard is not None and self._guard.stdin is not None:
            self._guard.stdin.close()
            self._guard.wait(60)

    def guard(self) -> None:
        """Start a process that settles the journal when this one ends, also by SIGKILL: its pipe closes then."""
        self._guard = subprocess.Popen(
            [sys.executable, "-m", "lab.faults", "--folder", str(self.folder), "clean", "--when-stdin-closes"],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )

    def open_entries(self) -> dict[int, list[str]]:
        """By number. A last line that was cut off was never done."""
        entries: dict[int, list[str]] = {}
        if self.file.exists():
            for line in self.file.read_text(encoding="utf-8").splitlines():
                with contextlib.suppress(json.JSONDecodeError):
                    entry = json.loads(line)
                    if "undo" in entry:
                        entries[entry["n"]] = entry["undo"]
                    else:
                        entries.pop(entry["n"], None)
        return entries

    def owe(self, verb: str, *arguments: str) -> int:
        """Note how to undo what is about to be done, or has just been found out; its number for ``pay``."""
        number = max(self.open_entries(), default=0) + 1
        self._write({"n": number, "undo": [verb, *arguments]})
        return number

    def pay(self, number: int) -> None:
        """Undo one entry. Raises LabError when that fails; the entry then stays."""
        verb, *arguments = self.open_entries()[number]
        VERBS[verb](*arguments)
        self._write({"n": number})

    @contextlib.contextmanager
    def owing(self, verb: str, *arguments: str) -> Iterator[None]:
        """Undone at the end of the block."""
        number = self.owe(verb, *arguments)
        try:
            yield
        finally:
            self.pay(number)

    def settle(self) -> tuple[int, list[str]]:
        """Undo all that is open, the newest first: how many were, and what failed, a line each."""
        failures = []
        done = 0
        for number in sorted(self.open_entries(), reverse=True):
            try:
                self.pay(number)
                done += 1
            except (LabError, OSError, subprocess.SubprocessError) as err:
                failures.append(str(err))
        if not failures:
            self.file.unlink(missing_ok=True)
        return done, failures

    def _write(self, entry: dict[str, object]) -> None:
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
