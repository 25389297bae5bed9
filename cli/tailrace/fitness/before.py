# SPDX-License-Identifier: Apache-2.0
"""The fitness check that precedes a run's load."""

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from tailrace.errors import BadInput
from tailrace.fitness.checks import as_manifest, check
from tailrace.fitness.command import own_drives, remedies
from tailrace.runs import planning
from tailrace.runs.prepared import Prepared

VARIABLE = "TAILRACE_NO_FITNESS"
_Command = TypeVar("_Command", bound=Callable[..., Any])


def _leave_out(_context: click.Context, _option: click.Parameter, given: bool) -> None:
    if given:  # for every run of a campaign
        os.environ[VARIABLE] = "1"


def without_fitness(command: _Command) -> _Command:
    """The option ``--no-fitness``."""
    text = f"Do not check the host's fitness, which takes a few seconds; {VARIABLE}=1 does the same, 0 checks."
    return click.option("--no-fitness", is_flag=True, expose_value=False, callback=_leave_out, help=text)(command)


def left_out() -> bool:
    """As the variable states. Raises BadInput for a value that may mean either."""
    value = os.environ.get(VARIABLE, "")
    if value not in ("", "0", "1"):
        raise BadInput(f"{VARIABLE}={value}: give 1 to leave the check out, or 0 to make it")
    return value == "1"


def before_load(prepared: Prepared, say: Callable[[str], None]) -> dict[str, Any] | None:
    """Check this host, and the drives of brokers that are the stack's own; None if the check is left out."""
    if left_out():
        return None
    say("fitness: this host at rest and its drives, a few seconds")
    local = planning.brokers_are_local(prepared.plan, prepared.paths)
    found = check(own_drives(prepared.paths) if local else {})
    for line in remedies(found):
        say(line)
    return as_manifest(found)
