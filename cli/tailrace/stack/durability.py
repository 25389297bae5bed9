# SPDX-License-Identifier: Apache-2.0
"""Whether the stack's warehouse flushes what it has answered; docs/contracts/spool.md has the promise."""

import click

from tailrace.errors import BadInput
from tailrace.stack.paths import StackPaths

NONE, FSYNC = "none", "fsync"

durability_option = click.option(
    "--durability",
    type=click.Choice([NONE, FSYNC]),
    help="fsync: a row that the warehouse has stored survives a power loss. Default: as it runs, else none.",
)


def running(paths: StackPaths) -> str:
    """That of the running stack; ``none`` while it is down."""
    try:
        return paths.durability_file.read_text(encoding="ascii").strip()
    except OSError:
        return NONE


def check_running(paths: StackPaths, asked: str | None) -> None:
    """Raises BadInput when the running stack has another one."""
    now = running(paths)
    if asked not in (None, now):
        raise BadInput(f"the stack is up with --durability {now}, not {asked}; first: tailrace down")
