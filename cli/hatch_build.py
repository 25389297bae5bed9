# SPDX-License-Identifier: Apache-2.0
"""Puts into a wheel, as ``tailrace/data``, the files of other rooms that the command reads."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOMS = (
    "contracts",
    "dashboards/alerts",
    "experiments",
    "probes/nvme",
    "queries",
    "schemas/migrations",
    "stack",
    "workloads",
)


class DataHook(BuildHookInterface[Any]):
    """An editable install needs no copy: the command reads the checkout (tailrace/stack/paths.py)."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "standard":
            top = Path(self.root).parent
            included = {str(top / room): f"tailrace/data/{room}" for room in ROOMS}
            # `make setup` downloads uPlot; every report holds it.
            included[str(top / ".tailrace" / "lib" / "uplot")] = "tailrace/data/lib/uplot"
            build_data["force_include"] |= included
