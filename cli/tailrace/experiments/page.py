# SPDX-License-Identifier: Apache-2.0
"""Results as a Markdown page: what was run, on what machine, when; and what was not run yet."""

import itertools
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tailrace.experiments import chart, pairs
from tailrace.experiments.experiment import FULL, SMALL, Experiment
from tailrace.experiments.results import Result
from tailrace.experiments.show import HEAD, left_out, study_line, told
from tailrace.queries.render import cell

NOT_YET = "not run yet"
AUTHORS = "`authors` is what was published of that system, at full size."
# Of a drive, what tells a reader which it was.
DRIVE = ("model", "bytes", "file_system", "mount_options")


def write(file: Path, experiments: Sequence[Experiment], results: Sequence[Result]) -> None:
    """The page, and for a result with a table its chart beside it as SVG."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = ["# Published experiments, rerun", "", *_about(), "", *_states(experiments, results)]
    if results:
        rows = [
            {"experiment": r.answer.experiment.name, "form": r.form, **row} for r in results for row in r.answer.rows
        ]
        lines += ["", "## Verdicts", "", AUTHORS, ""]
        lines += _table(["experiment", "form", *HEAD], rows)
    if found := list(_pairs(results)):
        lines += ["", "## Systems beside each other", ""]
        lines += _table(["experiment", "form", "systems"], found)
    for result in results:
        lines += ["", *section(file, result)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def one(file: Path, result: Result) -> None:
    """A page of one result alone."""
    file.write_text("\n".join(section(file, result, reasons=True)) + "\n", encoding="utf-8")


def section(file: Path, result: Result, reasons: bool = False) -> list[str]:
    """The lines on one result, with ``reasons`` its verdicts' too; writes its chart."""
    answer, experiment = result.answer, result.answer.experiment
    lines = [f"## {experiment.name}, {result.form}, {result.system}", ""]
    readme = os.path.relpath(experiment.folder / "README.md", file.resolve().parent)
    lines += [f"Claim: {experiment.claim} ([published]({experiment.source}),"]
    lines += [f"[what decides it and what was run]({readme})).", ""]
    lines += [f"Ended {result.ended}. {result.machine}.", *_drive(result), ""]
    if reasons:
        lines += [*_table(["claim", "verdict", "authors", "reason"], answer.rows), ""]
    # Rows of one claim are told apart by their run or system.
    several = len({row["claim"] for row in answer.rows}) > 1
    rest = [name for name in answer.rows[0] if name not in HEAD] if answer.rows else []
    lines += _table(["claim"] * several + ["verdict", *rest], answer.rows)
    if line := study_line(answer.rows):
        lines += ["", f"{line[0].upper()}{line[1:]}."]
    for number, line in enumerate(left_out(answer)):
        lines += [f"* {line}"] if number else ["", f"{line}:", ""]
    if answer.table:
        picture = chart_file(file, result)
        picture.write_text(chart.grid(answer.table), encoding="utf-8")
        lines += ["", f"![seconds by event size]({picture.name})", ""]
        lines += _table([n for n in answer.table[0] if n != "run_id"], told(answer.table))
    if not result.exports:
        return [*lines, "", "Runs: " + ", ".join(f"`{run}`" for run in answer.runs) + "."]
    found = list(_exports(file, result))
    here = any("folder" in row for row in found)
    again = "Exported (`tailrace runs import FOLDER` stores a run again):"
    lines += ["", again if here else "Exported, and kept elsewhere:", ""]
    return [*lines, *_table(["run", *["folder"] * here, "rows", "bytes", "sha256"], found)]


def chart_file(file: Path, result: Result) -> Path:
    name = f"{result.answer.experiment.name}-{result.form}-{result.system}"
    return file.with_name(f"{file.stem}-{name}.svg")


def _about() -> Iterator[str]:
    yield "Made by `tailrace experiments --page FILE` from results that the command has kept; nothing is"
    yield "said of a form or a system that was not run. [The experiments](../../experiments)."


def _states(experiments: Sequence[Experiment], results: Sequence[Result]) -> Iterator[str]:
    """Every form on every system, with the day it was run on."""
    day = {(r.answer.experiment.name, r.form, r.system): r.ended[:10] for r in results}
    rows = [
        {
            **{"experiment": each.name, "system": system},
            **{form: day.get((each.name, form, system), NOT_YET) for form in (SMALL, FULL)},
        }
        for each in experiments
        for system in each.systems
    ]
    yield from _table(["experiment", "system", SMALL, FULL], rows)


def _pairs(results: Sequence[Result]) -> Iterator[Mapping[str, Any]]:
    """Of each experiment that was run on two systems, whether these may be compared."""
    for one, other in itertools.permutations(results, 2):
        name, form = one.answer.experiment.name, one.form
        if (name, form) == (other.answer.experiment.name, other.form) and one.system < other.system:
            said = pairs.verdict((one.system, other.system), one.facts, other.facts)
            yield {"experiment": name, "form": form, "systems": said}


def _drive(result: Result) -> Iterator[str]:
    """The drive under the broker's log, as it was seen, and as it was made if for it."""
    facts = {name: result.facts.get(f"drives: broker 1: {name}", "") for name in DRIVE}
    if facts["bytes"].isdigit():
        facts["bytes"] = f"{int(facts['bytes']) / 1024**3:.4g} GiB"
    seen = list(facts.values())
    made = ", ".join(f"{name} {value}" for name, value in result.answer.drive.items())
    if any(seen):
        yield f"The first broker's drive: {', '.join(filter(None, seen))}."
    if made:
        yield f"It was made for this experiment, by the fault lab: {made}."


def _exports(file: Path, result: Result) -> Iterator[Mapping[str, Any]]:
    """Folders as seen from the page; none where an export is not kept below it."""
    home = file.resolve().parent
    for found in result.exports:
        place = Path(found["folder"]).resolve()
        if place.is_relative_to(home):
            yield {**found, "folder": os.path.relpath(place, home)}
        else:
            yield {name: value for name, value in found.items() if name != "folder"}


def _table(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    yield "| " + " | ".join(columns) + " |"
    yield "|" + "---|" * len(columns)
    for row in rows:
        yield ("| " + " | ".join(_short(row.get(name)).replace("|", "\\|") for name in columns) + " |")


def _short(value: object) -> str:
    """Four digits tell apart what is measured here."""
    if isinstance(value, float) and math.isfinite(value):
        value = float(f"{value:.4g}") if abs(value) < 1000 else float(round(value))
    return cell(value)
