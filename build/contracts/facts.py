# SPDX-License-Identifier: Apache-2.0
"""Reads contracts/*.yaml. Unknown and missing keys are errors that name the file, the entry and the key."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
ROOM = ROOT / "contracts"

# File → keys that each of its entries must have, and keys that it may have.
KEYS: dict[str, tuple[set[str], set[str]]] = {
    "streams": ({"name", "meaning", "columns"}, set()),
    "stages": ({"name", "title", "from", "to", "meaning"}, set()),
    "causes": ({"name", "one_broker", "evidence"}, set()),
    "signals": ({"name", "unit", "sources"}, {"title"}),
    "events": ({"kind", "writer", "names", "detail"}, set()),
    "exit_codes": ({"name", "code", "meaning"}, set()),
    "kinds": ({"stream", "kind", "meaning"}, {"rows", "separate", "counted_in"}),
    "loss_reasons": ({"name", "meaning"}, {"maybe_stored"}),
}

Entry = dict[str, Any]


@dataclass(frozen=True)
class Facts:
    """Every contract file, each a list of entries in the file's order."""

    streams: list[Entry]
    stages: list[Entry]
    causes: list[Entry]
    signals: list[Entry]
    events: list[Entry]
    exit_codes: list[Entry]
    kinds: list[Entry]
    loss_reasons: list[Entry]
    unknown_reason: str
    killed_loses_seconds: int
    power_loses_seconds: dict[str, int]
    kept_metrics: list[str]
    left_out_metrics: str
    mask: str
    secret_names: list[str]

    @property
    def secret_pattern(self) -> str:
        return "|".join(self.secret_names)


def load() -> Facts:
    """Read every file. Raises SystemExit with one line per problem."""
    ledger, secrets, metrics = _yaml("ledger"), _yaml("secrets"), _yaml("kept_metrics")
    lists = {name: _yaml(name) for name in ("streams", "stages", "causes", "signals", "events", "exit_codes")}
    lists |= {"kinds": ledger["kinds"], "loss_reasons": ledger["loss_reasons"]}
    problems = [problem for name, entries in lists.items() for problem in _problems(name, entries)]
    if problems:
        raise SystemExit("\n".join(problems))
    return Facts(
        **lists,
        unknown_reason=ledger["unknown_reason"],
        killed_loses_seconds=ledger["killed_loses_seconds"],
        power_loses_seconds=ledger["power_loses_seconds"],
        kept_metrics=metrics["kept"],
        left_out_metrics=metrics["left_out"],
        mask=secrets["mask"],
        secret_names=secrets["names"],
    )


def _yaml(name: str) -> Any:
    return yaml.safe_load((ROOM / f"{name}.yaml").read_text(encoding="utf-8"))


def _problems(name: str, entries: list[Entry]) -> list[str]:
    needed, allowed = KEYS[name]
    found = []
    identities = []
    for entry in entries:
        identity = f"{entry.get('stream', '')} {entry.get('name', entry.get('kind', '?'))}".strip()
        identities.append(identity)
        wrong = sorted((needed - entry.keys()) | (entry.keys() - needed - allowed))
        if wrong:
            found.append(f"contracts: {name}, {identity}: missing or unknown: {', '.join(wrong)}")
    twice = {identity for identity in identities if identities.count(identity) > 1}
    return found + [f"contracts: {name}: {identity} is there twice; keep one" for identity in sorted(twice)]
