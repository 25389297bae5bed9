# SPDX-License-Identifier: Apache-2.0
"""Verdicts that were reached, kept as files beside the stack's state: pages are made of them."""

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date
from pathlib import Path
from typing import Any

from clickhouse_connect.driver.client import Client

from tailrace.archive import manifest as exported
from tailrace.archive.exporting import export
from tailrace.errors import BadInput
from tailrace.experiments import pairs
from tailrace.experiments.conduct import Answer
from tailrace.experiments.experiment import FULL, SMALL, SYSTEMS, Experiment
from tailrace.stack.api import StackPaths


@dataclass(frozen=True)
class Result:
    """An answer, where its runs were made, and when the last of them ended (UTC). ``exports``: run,
    folder, rows, bytes and the sha256 of its SHA256SUMS, of each run that was exported. ``facts``:
    what another system's result must share with it to be compared, of its first run; empty where
    nobody kept them."""

    answer: Answer
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
    answer: Answer,
    form: str,
    system: str,
    client: Client,
    exports: Path | None,
    left_out: Sequence[str] = (),
) -> Result:
    """Keep an answer, in the place of an earlier one; its runs go into ``exports``, if given, but
    for the tables ``left_out``."""
    found = list(_exported(client, answer.runs, exports, left_out)) if exports else []
    last = ended(client, answer.runs)
    facts = pairs.of_stored(client, answer.runs[0]) if answer.runs else {}
    result = Result(answer, form, system, last, _machine(client, answer.runs), found, facts)
    file = _file(paths, form, system, answer.experiment.name)
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(
        {
            **{"experiment": answer.experiment.name, "form": form, "system": system},
            **{"ended": last, "machine": result.machine, "runs": list(answer.runs)},
            **{
                "facts": facts,
                "exports": found,
                "verdicts": list(answer.rows),
                "table": list(answer.table),
                "unjudged": list(answer.unjudged),
                "drive": dict(answer.drive),
            },
        },
        indent=1,
        default=_words,
    )
    file.write_text(text + "\n", encoding="utf-8")
    return result


def _words(value: object) -> str:
    """Times and whatever else of a verdict JSON has no word for."""
    return value.isoformat() if isinstance(value, date) else str(value)


def stored(paths: StackPaths, experiments: Iterable[Experiment]) -> list[Result]:
    """What is kept of these experiments, by experiment, form and system. Raises BadInput."""
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
        answer = Answer(
            experiment,
            kept["runs"],
            kept["verdicts"],
            kept["table"],
            kept.get("unjudged", []),
            kept.get("drive", {}),
        )
        facts = kept.get("facts", {})
        return Result(answer, form, system, kept["ended"], kept["machine"], kept["exports"], facts)
    except (OSError, ValueError, KeyError, TypeError) as err:
        raise BadInput(f"{file}: no result of an experiment ({err}); delete it") from err


def ended(client: Client, runs: Sequence[str]) -> str:
    """When the last of the runs ended (UTC), however much later it was judged."""
    last = client.query(
        "SELECT max(finished_time) FROM v_runs WHERE has({r:Array(String)}, run_id)",
        parameters={"r": list(runs)},
    ).result_rows[0][0]
    return str(last.replace(tzinfo=UTC).isoformat(timespec="seconds"))


def _machine(client: Client, runs: Sequence[str]) -> str:
    """Host and versions of the first run, as one line."""
    if not runs:
        return "no run"
    text = client.query("SELECT manifest FROM v_runs WHERE run_id = {r:String}", parameters={"r": runs[0]}).result_rows[
        0
    ][0]
    manifest = json.loads(text)
    host, versions = manifest["host"], manifest["versions"]
    memory = int(host["memory_bytes"]) / 1024**3
    return (
        f"{host['cpus']} × {host['cpu_model']}, {memory:.0f} GiB, {host['os']}, kernel "
        f"{host['kernel']}; " + ", ".join(f"{name} {value}" for name, value in versions.items())
    )


def _exported(client: Client, runs: Sequence[str], folder: Path, left_out: Sequence[str]) -> Iterator[dict[str, Any]]:
    """A run that is exported already is left as it is."""
    for run in runs:
        if not (folder / run).exists():
            partial = folder / f"{run}.part"
            shutil.rmtree(partial, ignore_errors=True)
            export(client, run, partial, lambda _line: None, left_out)
            partial.rename(folder / run)
        manifest = exported.read(folder / run)
        sums = (folder / run / exported.SUMS).read_bytes()
        yield {
            **{"run": run, "folder": str(folder / run)},
            "rows": sum(table.rows for table in manifest.tables.values()),
            "bytes": sum(file.stat().st_size for file in (folder / run).rglob("*.*")),
            "sha256": hashlib.sha256(sums).hexdigest(),
        }
