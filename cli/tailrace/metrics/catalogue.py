# SPDX-License-Identifier: Apache-2.0
"""The catalogue of metrics (contracts/metrics.yaml), and the page generated from it (docs/METRICS.md).

``python -m tailrace.metrics.catalogue`` writes the page; ``--check``: exit 1 where it is not current.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
import yaml

from tailrace.errors import BadInput
from tailrace.stack.paths import REPO_ROOT, RESOURCES

SOURCE = RESOURCES / "contracts" / "metrics.yaml"
PAGE = REPO_ROOT / "docs" / "METRICS.md"
ALWAYS = "always"
RUN = "run"


@dataclass(frozen=True)
class Metric:
    """``when`` is ``always``, ``run``, or why one machine has no such metric. ``optional``: why it may be missing."""

    name: str
    unit: str
    meaning: str
    promql: str
    when: str
    optional: str


@dataclass(frozen=True)
class Section:
    """Metrics of one source."""

    title: str
    source: str
    metrics: tuple[Metric, ...]


def load(file: Path = SOURCE) -> list[Section]:
    """Read the catalogue. Raises BadInput naming the section and the metric."""
    sections = [_section(file, entry) for entry in yaml.safe_load(file.read_text(encoding="utf-8"))]
    names = [metric.name for metric in all_metrics(sections)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise BadInput(f"{file}: {', '.join(twice)} named twice; keep one")
    return sections


def all_metrics(sections: list[Section]) -> Iterator[Metric]:
    for section in sections:
        yield from section.metrics


def _section(file: Path, entry: dict[str, Any]) -> Section:
    where = f"{file}: section {entry.get('section', '?')}"
    _check(where, entry, {"section", "source", "metrics"}, set())
    return Section(entry["section"], entry["source"], tuple(_metric(where, each) for each in entry["metrics"]))


def _metric(where: str, entry: dict[str, Any]) -> Metric:
    where = f"{where}, {entry.get('name', '?')}"
    _check(where, entry, {"name", "unit", "meaning", "promql"}, {"when", "optional"})
    text = {key: " ".join(str(value).split()) for key, value in entry.items()}
    return Metric(**{"when": ALWAYS, "optional": "", **text})


def _check(where: str, entry: dict[str, Any], needed: set[str], allowed: set[str]) -> None:
    wrong = needed - entry.keys() or entry.keys() - needed - allowed
    if wrong:
        names = ", ".join(sorted(wrong))
        raise BadInput(f"{where}: {names} missing or unknown; needed are {sorted(needed)}")


def page(sections: list[Section]) -> str:
    """The whole of docs/METRICS.md."""
    text = files("tailrace.metrics").joinpath("METRICS.md.j2").read_text("utf-8")
    template = jinja2.Template(text, trim_blocks=True, keep_trailing_newline=True)
    rendered: str = template.render(sections=[(each, "".join(map(_row, each.metrics))) for each in sections])
    return rendered


def _row(metric: Metric) -> str:
    when = {ALWAYS: metric.optional, RUN: "**run**"}.get(metric.when, metric.when)
    query = metric.promql if metric.promql.startswith("as ") else f"`{metric.promql}`"
    cells = (f"`{metric.name}`", metric.unit, metric.meaning, query, when)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


if __name__ == "__main__":
    if sys.argv[1:] != ["--check"]:
        PAGE.write_text(page(load()), encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != page(load()):
        sys.exit(f"{PAGE.relative_to(REPO_ROOT)} is not current; run make metrics-catalogue")
