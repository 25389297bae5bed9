# SPDX-License-Identifier: Apache-2.0
"""The one error of the stand."""

from pathlib import Path


class StandError(Exception):
    """A part did not start, answer or stop. The text states what failed, and where its log is."""

    def __init__(self, what: str, log: Path | None = None) -> None:
        super().__init__(f"{what}; log: {log}" if log else what)
