# SPDX-License-Identifier: Apache-2.0
"""The warehouse's user and password: generated once per state folder, readable by the owner only."""

import os
import secrets
import string
from pathlib import Path

from tailrace.errors import BadInput

USER = "tailrace"
_KEYS = ("WAREHOUSE_USER", "WAREHOUSE_PASSWORD")
_ALPHABET = string.ascii_letters + string.digits


def ensure_secrets(path: Path) -> dict[str, str]:
    """Return the secrets, generating them first when the file does not exist."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        password = "".join(secrets.choice(_ALPHABET) for _ in range(32))
        half_written = path.with_suffix(".new")
        half_written.unlink(missing_ok=True)
        handle = os.open(half_written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(f"WAREHOUSE_USER={USER}\nWAREHOUSE_PASSWORD={password}\n")
        half_written.replace(path)
    return read_secrets(path)


def read_secrets(path: Path) -> dict[str, str]:
    """Parse the file. Raises BadInput, without showing a value, when the file or a key is missing."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as err:
        raise BadInput(
            f"{path}: {err.strerror}; start the stack once (tailrace up), "
            "or set TAILRACE_WAREHOUSE_USER and TAILRACE_WAREHOUSE_PASSWORD"
        ) from err
    found = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    for key in _KEYS:
        if not found.get(key):
            raise BadInput(f"{path}: {key} missing; delete the file and run tailrace up again")
    return found
