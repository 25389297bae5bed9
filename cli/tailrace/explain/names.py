# SPDX-License-Identifier: Apache-2.0
"""Titles of signals for pages; commands and JSON keep the names of the queries."""

from tailrace.contracts import SIGNAL_TITLES

STAGE_PREFIXES = {"publish_": "publish ", "end_to_end_": "end-to-end "}


def readable(name: str, device: str = "", host: str = "") -> str:
    """``drive_write_ms``, ``sdb``, ``b2`` → ``write latency of sdb on b2``."""
    for stage, words in STAGE_PREFIXES.items():
        if name.startswith(stage):
            return words + name.removeprefix(stage).removesuffix("_ms").replace("_", ".")
    words = SIGNAL_TITLES.get(name, name.replace("_", " "))
    if device:
        found = words.removesuffix(" the drive")
        words = f"{found} {device}" if found != words else f"{words} ({device})"
    return f"{words} on {host}" if host else words
