# SPDX-License-Identifier: Apache-2.0
"""Experiments as their folders describe them: ``experiments/**/experiment.yaml``."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tailrace.errors import BadInput
from tailrace.nearest import nearest

FULL, SMALL = "full", "small"
SYSTEMS = ("kafka", "redpanda")


@dataclass(frozen=True)
class Step:
    """One workload file with its driver file. ``fills``: it makes what is measured afterwards."""

    workload: Path
    driver: Path
    fills: bool = False

    @property
    def tls(self) -> bool:
        """Whether its clients go by TLS, as the driver file's name says."""
        return self.driver.stem.endswith("-tls")


@dataclass(frozen=True)
class Filled:
    """Topics named ``PREFIX-SIZE-PARTITIONSp`` with the same records in events of several sizes."""

    records: int
    prefix: str
    sizes: Sequence[str]
    partitions: Sequence[int]

    @property
    def topics(self) -> dict[str, int]:
        """Partitions by topic."""
        return {f"{self.prefix}-{s}-{p}p": p for s in self.sizes for p in self.partitions}


@dataclass(frozen=True)
class Experiment:
    """``verdict`` and ``table`` are names of queries; ``drive`` is what the small form needs."""

    name: str
    folder: Path
    drivers: Path
    claim: str
    source: str
    verdict: str
    table: str | None
    systems: Sequence[str]
    drive_limit: bool
    forms: Mapping[str, Any]

    def steps(self, form: str, system: str) -> list[Step]:
        """What to run, in order."""
        return [
            Step(
                self.folder / run["workload"],
                self.drivers / form / f"{system}-{run['driver']}.yaml",
                bool(run.get("fills")),
            )
            for run in self.forms[form]["runs"]
        ]

    def filled(self, form: str) -> Filled | None:
        """The topics that are made before, if any."""
        found = self.forms[form].get("filled")
        if found is None:
            return None
        sizes = [str(size) for size in found["sizes"]]
        return Filled(int(found["records"]), str(found["prefix"]), sizes, found["partitions"])

    def drive(self, form: str) -> Mapping[str, Any]:
        """The drive of its own that the broker's log should lie on; empty when any will do."""
        found: Mapping[str, Any] = self.forms[form].get("drive", {})
        return found


def experiments(folder: Path) -> list[Experiment]:
    """All in a folder, by name; their driver files are in its ``drivers``.

    Raises BadInput when there is none, or one is incomplete.
    """
    found = sorted(_read(folder), key=lambda each: each.name)
    if not found:
        raise BadInput(f"{folder}: no experiment.yaml in it or below")
    return found


def published(root: Path) -> Path:
    """The folder of those that come with the repository ``root``."""
    return root / "experiments"


def chosen(folder: Path, names: Sequence[str]) -> list[Experiment]:
    """Those of these names, or all without one. Raises BadInput naming the nearest."""
    every = experiments(folder)
    by_name = {each.name: each for each in every}
    for name in names:
        if name not in by_name:
            close = nearest(name, by_name) or list(by_name)
            raise BadInput(f"no experiment '{name}'; nearest: {', '.join(close)}")
    return [by_name[name] for name in names] or every


def _read(folder: Path) -> Iterator[Experiment]:
    for file in folder.rglob("experiment.yaml"):
        try:
            found = yaml.safe_load(file.read_text(encoding="utf-8"))
            yield Experiment(
                name=file.parent.name,
                folder=file.parent,
                drivers=folder / "drivers",
                claim=str(found["claim"]),
                source=str(found["source"]),
                verdict=str(found["verdict"]),
                table=found.get("table"),
                systems=found["systems"],
                drive_limit=bool(found.get("driveLimit")),
                forms={form: found[form] for form in (FULL, SMALL)},
            )
        except (OSError, yaml.YAMLError, KeyError, TypeError) as err:
            raise BadInput(f"{file}: not an experiment: {err}") from err
