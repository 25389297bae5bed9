# SPDX-License-Identifier: Apache-2.0
"""The dashboards as data: ``pages/FOLDER/NAME.yaml`` becomes ``json/FOLDER/tailrace-NAME.json``."""

from pathlib import Path
from typing import Any

import yaml

ROOM = Path(__file__).resolve().parents[1]


def read(file: Path) -> Any:
    """A YAML file of this room."""
    return yaml.safe_load(file.read_text(encoding="utf-8"))


_FILES = sorted((ROOM / "pages").glob("*/*.yaml"))
# By uid.
FOLDERS: dict[str, str] = {f"tailrace-{file.stem}": file.parent.name for file in _FILES}
PAGES: dict[str, dict[str, Any]] = {f"tailrace-{file.stem}": read(file) for file in _FILES}
