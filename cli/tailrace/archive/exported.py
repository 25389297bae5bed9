# SPDX-License-Identifier: Apache-2.0
"""The list of an exported run's files: ``manifest.json`` in its folder, written last."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tailrace.errors import BadInput

FILE = "manifest.json"
SUMS = "SHA256SUMS"
FORMAT = "tailrace-run/1"


@dataclass(frozen=True)
class DataFile:
    """One Parquet file; ``path`` is relative to the folder, ``sha256`` in hex."""

    path: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True)
class TableFiles:
    """All rows of the run in one table. ``columns`` are (name, ClickHouse type)."""

    columns: tuple[tuple[str, str], ...]
    rows: int
    files: tuple[DataFile, ...]


@dataclass(frozen=True)
class ExportedRun:
    """``audit`` is the run's verdict (JSON) in the exporting warehouse; empty without one.

    ``left_out`` names tables whose rows were not exported.
    """

    run_id: str
    exported_time: str
    tailrace_version: str
    engine_version: str
    schema_version: int
    audit: str
    tables: Mapping[str, TableFiles]
    left_out: Sequence[str] = ()

    def write(self, folder: Path) -> None:
        """Write the checksums, then ``manifest.json``: a folder without it is an incomplete export."""
        files = [file for table in self.tables.values() for file in table.files]
        lines = [f"{file.sha256}  {file.path}\n" for file in files]
        (folder / SUMS).write_text("".join(lines), encoding="utf-8")
        text = json.dumps({"format": FORMAT} | asdict(self), indent=1, ensure_ascii=False)
        (folder / FILE).write_text(text + "\n", encoding="utf-8")


def read(folder: Path) -> ExportedRun:
    """Read ``manifest.json`` of an exported run. Raises BadInput when it is missing or of another format."""
    path = folder / FILE
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
    except OSError as err:
        raise BadInput(f"{path}: {err.strerror}; name a folder made by tailrace runs export") from err
    except ValueError as err:
        raise BadInput(f"{path}: is not JSON ({err}); export the run again") from err
    found = tree.pop("format", None) if isinstance(tree, dict) else None
    if found != FORMAT:
        raise BadInput(f"{path}: format is {found!r}, this tailrace reads {FORMAT!r}; use the exporting tailrace")
    try:
        tables = {name: _table(each) for name, each in tree.pop("tables").items()}
        return ExportedRun(**tree, tables=tables)
    except (AttributeError, KeyError, TypeError) as err:
        raise BadInput(f"{path}: is damaged ({err}); export the run again") from err


def check(folder: Path, run: ExportedRun) -> None:
    """Check that every file exists and is unchanged. Raises BadInput naming the first that is not."""
    for table in run.tables.values():
        for file in table.files:
            path = folder / file.path
            if not path.resolve().is_relative_to(folder.resolve()):
                raise BadInput(f"{path}: is outside the folder; export the run again")
            if not path.is_file():
                raise BadInput(f"{path}: is missing; export the run again")
            with path.open("rb") as data:
                found = hashlib.file_digest(data, "sha256").hexdigest()
            if found != file.sha256:
                raise BadInput(f"{path}: differs from the exported file (SHA-256); copy it again")


def _table(tree: Mapping[str, Any]) -> TableFiles:
    columns = tuple((str(name), str(kind)) for name, kind in tree["columns"])
    return TableFiles(columns, int(tree["rows"]), tuple(DataFile(**each) for each in tree["files"]))
