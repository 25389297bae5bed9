# SPDX-License-Identifier: Apache-2.0
"""Whether the stack's brokers have the agent that records their requests (probes/brokeragent)."""

import os

import click

from tailrace.errors import BadInput
from tailrace.stack.paths import StackPaths

# The default, for programs that start a stack without options.
VARIABLE = "TAILRACE_BROKER_AGENT"

request_rows_option = click.option(
    "--request-rows/--no-request-rows",
    default=None,
    help="Record where each request spends its time in the brokers. Default: as they run, else not.",
)


def running(paths: StackPaths) -> bool:
    """That of the running stack; not while it is down."""
    try:
        return paths.request_rows_file.read_text(encoding="ascii").strip() == "on"
    except OSError:
        return False


def chosen(asked: bool | None) -> bool:
    """What a stack that starts now has. Raises BadInput."""
    text = os.environ.get(VARIABLE) or "off"
    if asked is None and text not in ("on", "off"):
        raise BadInput(f"{VARIABLE}={text}: must be on or off")
    return text == "on" if asked is None else asked


def check_running(paths: StackPaths, asked: bool | None) -> None:
    """Raises BadInput when the running stack has another setting."""
    if asked not in (None, running(paths)):
        now, other = ("on", "off") if running(paths) else ("off", "on")
        raise BadInput(f"the stack is up with request rows {now}, not {other}; first: tailrace down")


def word(rows: bool) -> str:
    return "on" if rows else "off"
