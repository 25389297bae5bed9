# SPDX-License-Identifier: Apache-2.0
"""The warehouse's user and password: generated once per state folder, readable by the owner only."""

import secrets
import string
from pathlib import Path

from tailrace.errors import BadInput
from tailrace.files import write_whole

USER = "tailrace"
_KEYS = ("WAREHOUSE_USER", "WAREHOUSE_PASSWORD")
_ALPHABET = string.ascii_letters + string.digits


def ensure_secrets(path: Path) -> dict[str, str]:
    """Return the secrets, generating them first when the file does not exist."""
    if not path.exists():
        password = "".join(secrets.choice(_ALPHABET) for _ in range(32))
        write_whole(path, f"WAREHOUSE_USER={USER}\nWAREHOUSE_PASSWORD={password}\n", private=True)
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
