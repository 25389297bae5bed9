# SPDX-License-Identifier: Apache-2.0
"""The option ``--brokers`` of commands that start the stack."""

from dataclasses import replace

import click

from tailrace.stack.paths import StackPaths
from tailrace.stack.processes import stack_processes

brokers_option = click.option(
    "--brokers",
    type=click.Choice([1, 3]),
    help="How many brokers; default: as many as run, 1 when the stack is down.",
)


def with_brokers(paths: StackPaths, brokers: int | None) -> StackPaths:
    """The stack with the number of brokers that the option names. A crash may have left another number."""
    if brokers is None and paths.brokers > 1 and not stack_processes(paths.state):
        brokers = 1
    return paths if brokers is None else replace(paths, brokers=brokers)
