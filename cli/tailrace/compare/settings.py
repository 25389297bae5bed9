# SPDX-License-Identifier: Apache-2.0
"""The settings that differ between runs: files, plan, versions and machines."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from tailrace.compare.reading import Run

# Settings that differ in any two runs, or repeat another setting.
LEFT_OUT = ("plan.run_id", "plan.topics", "plan.varied", "plan.producer_config", "plan.notes")
VARIED = "varied"
# Settings that users give. The plan is computed from them.
FILES = (VARIED, "workload", "driver")
COMPUTED = re.compile(r"plan\.(phases\[|expected_|messages_per|bytes_per|disk_bytes|drain_timeout)")
SECTIONS = ("plan", "versions", "host", "brokers")
MISSING = "–"
PROPERTY = re.compile(r"[\w.-]+\s*=")


@dataclass(frozen=True)
class Difference:
    """A setting by its path, and its value in each run, ``–`` if it has none."""

    name: str
    values: tuple[str, ...]


def differences(runs: Sequence[Run]) -> list[Difference]:
    """Settings that are not the same in all runs, in the order of the files.

    Settings of manifests are compared among the runs that have one. A setting of the plan is left out
    if it follows from files that differ.
    """
    known = [dict(settings(run)) for run in runs]
    names = list(dict.fromkeys(name for each in known for name in each))
    rows = [Difference(name, tuple(each.get(name, MISSING) for each in known)) for name in names]
    return list(_without_repeats([row for row in rows if len(set(_known(row, runs))) > 1]))


def _without_repeats(rows: Sequence[Difference]) -> Iterator[Difference]:
    """Leaves out what a plan repeats or computes from files that differ."""
    files = {row.name: row.values for row in rows if _section(row) in FILES}
    seen = set(files.values())
    computed = any(not name.startswith("driver") for name in files)
    for row in rows:
        if row.name == "seed" and row.values == files.get("workload.seed"):
            continue
        if _section(row) == "plan":
            if row.values in seen or (computed and COMPUTED.match(row.name)):
                continue
            seen.add(row.values)
        yield row


def _section(row: Difference) -> str:
    return re.split(r"[.\[]", row.name)[0]


def _known(row: Difference, runs: Sequence[Run]) -> Iterator[str]:
    """The values of the runs that can have one."""
    manifests = _section(row) in (VARIED, *SECTIONS)
    for run, value in zip(runs, row.values, strict=True):
        if run.manifest or not manifests:
            yield value


def settings(run: Run) -> Iterator[tuple[str, str]]:
    """Every setting of a run as (path, value)."""
    varied = run.manifest.get("campaign", {})
    if isinstance(varied, Mapping):
        yield from flat(VARIED, varied.get("values") or {})
    yield from flat("workload", _yaml(run.stored["workload"]))
    yield from flat("driver", _yaml(run.stored["driver"]))
    yield "seed", str(run.stored["seed"])
    yield "workers", str(run.stored["workers"])
    for section in SECTIONS:
        for name, value in flat(section, run.manifest.get(section) or {}):
            if not any(name == out or name.startswith((f"{out}.", f"{out}[")) for out in LEFT_OUT):
                yield name, value


def _yaml(text: str) -> Any:
    try:
        return yaml.safe_load(text) or {}
    except yaml.YAMLError:
        # A file that is not YAML is one setting.
        return text


def flat(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Leaves of nested settings; ``key=value`` lines of a text are settings of their own."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from flat(f"{name}.{key}", inner)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from flat(f"{name}[{number}]", inner)
    elif isinstance(value, str) and (lines := _properties(value)):
        for key, text in lines.items():
            yield f"{name}.{key}", text
    else:
        yield name, MISSING if value is None else str(value)


def _properties(text: str) -> dict[str, str]:
    """The entries of a text in the format of Java properties; empty for other texts."""
    lines = [line.strip() for line in text.splitlines()]
    kept = [line for line in lines if line and not line.startswith(("#", "!"))]
    if not all(PROPERTY.match(line) for line in kept):
        return {}
    pairs = (line.partition("=") for line in kept)
    return {key.strip(): value.strip() for key, _, value in pairs}
