# SPDX-License-Identifier: Apache-2.0
"""Writes a file as a whole."""

import os
from pathlib import Path


def write_whole(file: Path, text: str, private: bool = False) -> None:
    """Write a second file and rename it: a crash leaves either the old text or the new one.

    ``private``: only the owner may read the file, from the moment that it exists.
    """
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700 if private else 0o777)
    partial = file.with_suffix(".part")
    partial.unlink(missing_ok=True)
    handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        out.write(text)
    partial.replace(file)
