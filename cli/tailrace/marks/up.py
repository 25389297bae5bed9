# SPDX-License-Identifier: Apache-2.0
"""``tailrace up``: a broker that it starts again during a run is marked in the run."""

import time

import click

from tailrace.marks.broker import mark_going_run
from tailrace.marks.reading import Mark
from tailrace.stack import lifecycle
from tailrace.stack.api import StackPaths
from tailrace.stack.brokers_option import brokers_option, with_brokers
from tailrace.stack.durability import durability_option
from tailrace.stack.requestrows import request_rows_option


@click.command()
@brokers_option
@durability_option
@request_rows_option
def up(brokers: int | None, durability: str | None, request_rows: bool | None) -> None:
    """Start the one-machine stack and wait until it is healthy.

    With 3 brokers, topics can have three copies and a broker can fail (tailrace broker). Their data
    is apart from that of the one broker. As root, each broker gets its own drive: a file with ext4
    on a loop device.

    Where it is up already, stopped brokers start again, and a run that goes on gets a mark of it.

    With durability fsync a stored row survives a power loss; each insert waits for flushes of the drive.
    Rows that are not stored yet need durability: fsync in the workload too.

    With request rows, an agent in each broker records where every produce and fetch request spends its
    time, so that each message's latency divides into stages (tailrace stages).

    \b
    Examples:
      tailrace up
      tailrace up --brokers 3
      tailrace up --durability fsync
      tailrace up --request-rows
    """
    paths = with_brokers(StackPaths.load(), brokers)
    began = time.time()

    def started_again(name: str) -> None:
        number = next((n for n in paths.broker_ids if paths.broker_process(n) == name), None)
        if number is not None:
            mark_going_run(paths, Mark(began, time.time(), "note", f"broker {number} started"))

    if lifecycle.up(paths, click.echo, durability, request_rows, started_again):
        click.echo(f"The stack is up; logs in {paths.logs}")
    elif paths.brokers > 1:
        click.echo(f"The stack was up already, with {paths.brokers} brokers.")
    else:
        click.echo("The stack was up already.")
