# SPDX-License-Identifier: Apache-2.0
"""What an exported run consists of: ``manifest.json`` in its folder, written last."""

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
    """All rows that one table holds of the run. ``columns`` are (name, ClickHouse type)."""

    columns: tuple[tuple[str, str], ...]
    rows: int
    files: tuple[DataFile, ...]


@dataclass(frozen=True)
class Manifest:
    """``audit`` is the verdict (JSON) that the run had where it came from; empty when none.

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
        """The checksums, then the manifest: a folder without it is no whole export."""
        files = [file for table in self.tables.values() for file in table.files]
        lines = [f"{file.sha256}  {file.path}\n" for file in files]
        (folder / SUMS).write_text("".join(lines), encoding="utf-8")
        text = json.dumps({"format": FORMAT} | asdict(self), indent=1, ensure_ascii=False)
        (folder / FILE).write_text(text + "\n", encoding="utf-8")


def read(folder: Path) -> Manifest:
    """The manifest of an exported run. Raises BadInput when there is none that is known."""
    path = folder / FILE
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
    except OSError as err:
        raise BadInput(f"{path}: {err.strerror}; name a folder made by tailrace runs export") from err
    except ValueError as err:
        raise BadInput(f"{path}: is no JSON ({err}); export the run again") from err
    found = tree.pop("format", None) if isinstance(tree, dict) else None
    if found != FORMAT:
        raise BadInput(f"{path}: format is {found!r}, this tailrace reads {FORMAT!r}; use its own")
    try:
        tables = {name: _table(each) for name, each in tree.pop("tables").items()}
        return Manifest(**tree, tables=tables)
    except (AttributeError, KeyError, TypeError) as err:
        raise BadInput(f"{path}: is damaged ({err}); export the run again") from err


def check(folder: Path, manifest: Manifest) -> None:
    """Every file is there and as it was exported. Raises BadInput naming the first that is not."""
    for table in manifest.tables.values():
        for file in table.files:
            path = folder / file.path
            if not path.resolve().is_relative_to(folder.resolve()):
                raise BadInput(f"{path}: lies outside of the folder; export the run again")
            if not path.is_file():
                raise BadInput(f"{path}: is missing; export the run again")
            with path.open("rb") as data:
                found = hashlib.file_digest(data, "sha256").hexdigest()
            if found != file.sha256:
                raise BadInput(f"{path}: is not what was exported (SHA-256 differs); copy it again")


def _table(tree: Mapping[str, Any]) -> TableFiles:
    columns = tuple((str(name), str(kind)) for name, kind in tree["columns"])
    return TableFiles(columns, int(tree["rows"]), tuple(DataFile(**each) for each in tree["files"]))
