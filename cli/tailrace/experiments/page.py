# SPDX-License-Identifier: Apache-2.0
"""Writes results as a Markdown page: what ran, on which machine, when; and what has not run yet."""

import itertools
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tailrace.experiments import chart, fairness
from tailrace.experiments.experiment import FULL, SMALL, Experiment
from tailrace.experiments.results import Result
from tailrace.experiments.text import HEAD, left_out, mark_unmeasured, reasoned, study_line
from tailrace.queries.render import cell

NOT_YET = "not run yet"
AUTHORS = "`authors` is what was published of that system, at full size."
# The facts that identify a drive for a reader.
DRIVE = ("model", "bytes", "file_system", "mount_options")


def write(file: Path, experiments: Sequence[Experiment], results: Sequence[Result]) -> None:
    """Write the page and, for each result with a table, its chart as an SVG file in the same folder."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = ["# Published experiments, rerun", "", *_about(), "", *_states(experiments, results)]
    if results:
        rows = [
            {"experiment": r.outcome.experiment.name, "form": r.form, **row}
            for r in results
            for row in reasoned(r.outcome)
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
    """Write a page of one result."""
    file.write_text("\n".join(section(file, result, reasons=True)) + "\n", encoding="utf-8")


def section(file: Path, result: Result, reasons: bool = False) -> list[str]:
    """The lines of one result, with the verdicts' reasons if ``reasons``; writes its chart."""
    outcome, experiment = result.outcome, result.outcome.experiment
    lines = [f"## {experiment.name}, {result.form}, {result.system}", ""]
    readme = os.path.relpath(experiment.folder / "README.md", file.resolve().parent)
    lines += [f"Claim: {experiment.claim} ([published]({experiment.source}),"]
    lines += [f"[what decides it and what was run]({readme})).", ""]
    lines += [f"Ended {result.ended}. {result.machine}.", *_drive(result), ""]
    if reasons:
        lines += [*_table(["claim", "verdict", "authors", "reason"], reasoned(outcome)), ""]
    # Rows of one claim differ by their run or system.
    several = len({row["claim"] for row in outcome.rows}) > 1
    rest = [name for name in outcome.rows[0] if name not in HEAD] if outcome.rows else []
    lines += _table(["claim"] * several + ["verdict", *rest], outcome.rows)
    if line := study_line(outcome.rows):
        lines += ["", f"{line[0].upper()}{line[1:]}."]
    for number, line in enumerate(left_out(outcome)):
        lines += [f"* {line}"] if number else ["", f"{line}:", ""]
    if outcome.table:
        picture = chart_file(file, result)
        picture.write_text(chart.grid(outcome.table), encoding="utf-8")
        lines += ["", f"![seconds by event size]({picture.name})", ""]
        lines += _table([n for n in outcome.table[0] if n != "run_id"], mark_unmeasured(outcome.table))
    if not result.exports:
        return [*lines, "", "Runs: " + ", ".join(f"`{run}`" for run in outcome.runs) + "."]
    found = list(_exports(file, result))
    here = any("folder" in row for row in found)
    again = "Exported (`tailrace runs import FOLDER` stores a run again):"
    lines += ["", again if here else "Exported, and kept elsewhere:", ""]
    return [*lines, *_table(["run", *["folder"] * here, "rows", "bytes", "sha256"], found)]


def chart_file(file: Path, result: Result) -> Path:
    name = f"{result.outcome.experiment.name}-{result.form}-{result.system}"
    return file.with_name(f"{file.stem}-{name}.svg")


def _about() -> Iterator[str]:
    yield "Made by `tailrace experiments --page FILE` from stored results. A form or a system"
    yield "that was not run has no result here. [The experiments](../../experiments)."


def _states(experiments: Sequence[Experiment], results: Sequence[Result]) -> Iterator[str]:
    """Every form on every system, with the day on which it ran."""
    day = {(r.outcome.experiment.name, r.form, r.system): r.ended[:10] for r in results}
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
    """For each experiment that ran on two systems, whether they may be compared."""
    for one, other in itertools.permutations(results, 2):
        name, form = one.outcome.experiment.name, one.form
        if (name, form) == (other.outcome.experiment.name, other.form) and one.system < other.system:
            verdict = fairness.verdict((one.system, other.system), one.facts, other.facts)
            yield {"experiment": name, "form": form, "systems": verdict}


def _drive(result: Result) -> Iterator[str]:
    """The drive under the broker's log, and its settings if it was created for the experiment."""
    facts = {name: result.facts.get(f"drives: broker 1: {name}", "") for name in DRIVE}
    if facts["bytes"].isdigit():
        facts["bytes"] = f"{int(facts['bytes']) / 1024**3:.4g} GiB"
    seen = list(facts.values())
    made = ", ".join(f"{name} {value}" for name, value in result.outcome.drive.items())
    if any(seen):
        yield f"The first broker's drive: {', '.join(filter(None, seen))}."
    if made:
        yield f"It was made for this experiment, by the fault lab: {made}."


def _exports(file: Path, result: Result) -> Iterator[Mapping[str, Any]]:
    """Exports with their folders relative to the page; without a folder if it is not below the page's."""
    home = file.resolve().parent
    for found in result.exports:
        folder = Path(found["folder"]).resolve()
        if folder.is_relative_to(home):
            yield {**found, "folder": os.path.relpath(folder, home)}
        else:
            yield {name: value for name, value in found.items() if name != "folder"}


def _table(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    yield "| " + " | ".join(columns) + " |"
    yield "|" + "---|" * len(columns)
    for row in rows:
        yield ("| " + " | ".join(_short(row.get(name)).replace("|", "\\|") for name in columns) + " |")


def _short(value: object) -> str:
    """Numbers with four digits, which suffice for the values measured here."""
    if isinstance(value, float) and math.isfinite(value):
        value = float(f"{value:.4g}") if abs(value) < 1000 else float(round(value))
    return cell(value)
