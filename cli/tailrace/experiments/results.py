# SPDX-License-Identifier: Apache-2.0
"""Stores verdicts as files in the stack's state folder; pages are made from them."""

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date
from pathlib import Path
from typing import Any

from clickhouse_connect.driver.client import Client

from tailrace.archive import exported
from tailrace.archive.exporting import export
from tailrace.errors import BadInput
from tailrace.experiments import fairness
from tailrace.experiments.execution import Outcome
from tailrace.experiments.experiment import FULL, SMALL, SYSTEMS, Experiment
from tailrace.stack.api import StackPaths
from tailrace.warehouse import select


@dataclass(frozen=True)
class Result:
    """An outcome, the machine of its runs, and when the last of them ended (UTC). ``exports``: run, folder, rows, bytes
    and the sha256 of SHA256SUMS of each exported run. ``facts``: facts of the first run that must agree with another
    system's result before the two are compared; empty if they were not stored."""

    outcome: Outcome
    form: str
    system: str
    ended: str
    machine: str
    exports: Sequence[dict[str, Any]]
    facts: Mapping[str, str] = field(default_factory=dict)


def folder(paths: StackPaths) -> Path:
    return paths.state / "experiments" / "results"


def store(
    paths: StackPaths,
    outcome: Outcome,
    form: str,
    system: str,
    client: Client,
    exports: Path | None,
    left_out: Sequence[str] = (),
) -> Result:
    """Store an outcome, replacing an earlier one; export its runs into ``exports``, if given, without the tables
    ``left_out``."""
    found = list(_exported(client, outcome.runs, exports, left_out)) if exports else []
    last = ended(client, outcome.runs)
    facts = fairness.stored_facts(client, outcome.runs[0]) if outcome.runs else {}
    result = Result(outcome, form, system, last, _machine(client, outcome.runs), found, facts)
    file = _file(paths, form, system, outcome.experiment.name)
    file.parent.mkdir(parents=True, exist_ok=True)
    kept = {
        **{"experiment": outcome.experiment.name, "form": form, "system": system},
        **{"ended": last, "machine": result.machine, "runs": list(outcome.runs), "facts": facts, "exports": found},
        **{"verdicts": list(outcome.rows), "table": list(outcome.table), "unjudged": list(outcome.unjudged)},
        "drive": dict(outcome.drive),
    }
    file.write_text(json.dumps(kept, indent=1, default=_text) + "\n", encoding="utf-8")
    return result


def _text(value: object) -> str:
    """Times, and other values that JSON cannot represent, as text."""
    return value.isoformat() if isinstance(value, date) else str(value)


def stored(paths: StackPaths, experiments: Iterable[Experiment]) -> list[Result]:
    """The stored results of these experiments, by experiment, form and system. Raises BadInput."""
    return [
        _read(file, each, form, system)
        for each in experiments
        for form in (SMALL, FULL)
        for system in SYSTEMS
        if (file := _file(paths, form, system, each.name)).exists()
    ]


def _file(paths: StackPaths, form: str, system: str, name: str) -> Path:
    return folder(paths) / f"{form}-{system}-{name}.json"


def _read(file: Path, experiment: Experiment, form: str, system: str) -> Result:
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        outcome = Outcome(
            experiment, kept["runs"], kept["verdicts"], kept["table"], kept.get("unjudged", []), kept.get("drive", {})
        )
        facts = kept.get("facts", {})
        return Result(outcome, form, system, kept["ended"], kept["machine"], kept["exports"], facts)
    except (OSError, ValueError, KeyError, TypeError) as err:
        raise BadInput(f"{file}: not an experiment's result ({err}); delete it") from err


def ended(client: Client, runs: Sequence[str]) -> str:
    """When the last of the runs ended (UTC)."""
    sql = "SELECT max(finished_time) FROM v_runs WHERE has({r:Array(String)}, run_id)"
    last = select(client, sql, r=list(runs))[0][0]
    return str(last.replace(tzinfo=UTC).isoformat(timespec="seconds"))


def _machine(client: Client, runs: Sequence[str]) -> str:
    """Host and versions of the first run, as one line."""
    if not runs:
        return "no run"
    manifest = fairness.manifest(client, runs[0])
    host, versions = manifest["host"], manifest["versions"]
    memory = int(host["memory_bytes"]) / 1024**3
    return (
        f"{host['cpus']} × {host['cpu_model']}, {memory:.0f} GiB, {host['os']}, kernel "
        f"{host['kernel']}; " + ", ".join(f"{name} {value}" for name, value in versions.items())
    )


def _exported(client: Client, runs: Sequence[str], folder: Path, left_out: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Export the runs that are not exported yet, and describe all exports."""
    for run in runs:
        if not (folder / run).exists():
            partial = folder / f"{run}.part"
            shutil.rmtree(partial, ignore_errors=True)
            export(client, run, partial, lambda _line: None, left_out)
            partial.rename(folder / run)
        listed = exported.read(folder / run)
        sums = (folder / run / exported.SUMS).read_bytes()
        yield {
            **{"run": run, "folder": str(folder / run)},
            "rows": sum(table.rows for table in listed.tables.values()),
            "bytes": sum(file.stat().st_size for file in (folder / run).rglob("*.*")),
            "sha256": hashlib.sha256(sums).hexdigest(),
        }
