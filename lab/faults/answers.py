# SPDX-License-Identifier: Apache-2.0
"""The answer of ``tailrace explain`` about a run, which it gets from the stored run alone."""

import hashlib
import json
import subprocess
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from lab.faults.impact import Latency, latency
from lab.stand.errors import StandError
from lab.stand.run import COMMAND
from tailrace.api import REPO_ROOT

UNKNOWN = "unknown"


@dataclass(frozen=True)
class Episode:
    """Times are seconds since 1970."""

    start: float
    end: float
    stage: str
    cause: str
    device: str | None
    confidence: str

    def overlap(self, start: float, end: float) -> float:
        """Overlap in seconds; negative is the distance between the two."""
        return min(self.end, end) - max(self.start, start)


def episodes(answer: dict[str, Any]) -> list[Episode]:
    """Read the answer of ``explain --json``. Raises StandError naming what is missing."""
    try:
        return [
            Episode(
                datetime.fromisoformat(one["from"]).timestamp(),
                datetime.fromisoformat(one["to"]).timestamp(),
                one["stage"],
                one["verdict"]["cause"],
                one["verdict"].get("device"),
                one["verdict"].get("confidence", ""),
            )
            for one in answer["episodes"]
        ]
    except (KeyError, TypeError, ValueError) as err:
        raise StandError(f"explain's answer has an unknown form: {err!r}") from err


def rules(root: Path = REPO_ROOT) -> str:
    """A hash of what decides the verdicts: explain's code and its queries."""
    files = [*(root / "cli" / "tailrace" / "explain").rglob("*.py"), *(root / "queries").glob("*.sql")]
    summed = hashlib.sha256()
    for file in sorted(files):
        summed.update(f"{file.relative_to(root)}\0".encode() + file.read_bytes() + b"\0")
    return summed.hexdigest()[:12]


class Answers:
    """A JSON file per run, and beside it the hash of the rules that made it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rules = rules()
        folder.mkdir(parents=True, exist_ok=True)

    def ask(self, run_id: str) -> None:
        """Run explain and store its answer. Raises StandError when explain fails."""
        self._rules_file(run_id).unlink(missing_ok=True)
        answer = self._json(["explain", run_id, "--json"])
        asked = ["query", "latency_percentiles_per_second", "--run", run_id, "--format", "json"]
        self._file(run_id, "latency").write_text(self._json(asked), encoding="utf-8")
        self._file(run_id).write_text(answer, encoding="utf-8")
        self._rules_file(run_id).write_text(self.rules, encoding="utf-8")

    def current(self, run_id: str) -> bool:
        """Whether the current rules made the answer: a score never mixes answers of different rules."""
        file = self._rules_file(run_id)
        return file.exists() and file.read_text(encoding="utf-8") == self.rules

    def _json(self, arguments: list[str]) -> str:
        done = subprocess.run(
            [COMMAND, *arguments], cwd=self.folder, capture_output=True, text=True, check=False, timeout=300
        )
        asked = f"tailrace {' '.join(arguments)}"
        if done.returncode:
            lines = (done.stderr.strip() or done.stdout.strip()).splitlines() or ["nothing"]
            raise StandError(f"{asked} ended with {done.returncode}: {lines[-1]}")
        try:
            json.loads(done.stdout)
        except json.JSONDecodeError as err:
            raise StandError(f"{asked} printed no JSON: {err}") from err
        return done.stdout

    def read(self, run_id: str) -> list[Episode] | None:
        """None if explain was never run."""
        file = self._file(run_id)
        return episodes(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else None

    def latency(self, run_id: str) -> Latency | None:
        """None if it was never queried."""
        file = self._file(run_id, "latency")
        return latency(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else None

    def _rules_file(self, run_id: str) -> Path:
        return self.folder / f"{run_id}.rules"

    def _file(self, run_id: str, what: str = "explained") -> Path:
        return self.folder / f"{run_id}.{what}.json"
