# SPDX-License-Identifier: Apache-2.0
"""``tailrace broker``: one broker of the stack."""

from collections.abc import Callable

import click
from rich.console import Console
from rich.table import Table

from tailrace.stack import brokers
from tailrace.stack.broker import broker_facts
from tailrace.stack.paths import StackPaths
from tailrace.stack.processes import usage


@click.group()
def broker() -> None:
    """Stop, start, kill or restart one broker of the stack, also while a run goes on.

    A run goes on measuring: its audit judges what the missing broker did to the messages.
    tailrace up --brokers 3 starts a stack in which topics survive it.

    \b
    Examples:
      tailrace broker status
      tailrace broker kill 2      as a crash does it
      tailrace broker start 2
    """


@broker.command()
@click.argument("number", type=int)
def stop(number: int) -> None:
    """Stop broker NUMBER in order: others lead its partitions before it ends."""
    _do(brokers.stop, number, "stopped")


@broker.command()
@click.argument("number", type=int)
def start(number: int) -> None:
    """Start broker NUMBER and wait until it answers."""
    _do(brokers.start, number, "running")


@broker.command()
@click.argument("number", type=int)
def kill(number: int) -> None:
    """Kill broker NUMBER (SIGKILL): others notice when its session times out."""
    _do(brokers.kill, number, "killed")


@broker.command()
@click.argument("number", type=int)
def restart(number: int) -> None:
    """Stop broker NUMBER in order and start it again."""
    _do(brokers.restart, number, "running")


@broker.command()
@click.pass_context
def status(ctx: click.Context) -> None:
    """Show the brokers: state, address, partitions led, drive. Exit code 1 unless all run."""
    paths = StackPaths.load()
    states = [brokers.state_of(paths, number) for number in paths.broker_ids]
    facts = broker_facts(paths)
    table = Table("broker", "state", "pid", "memory", "address", "leads", "drive", "pressure", box=None)
    for number, state, fact in zip(paths.broker_ids, states, facts, strict=True):
        led = brokers.leaders(paths, number) if state.pid else None
        table.add_row(
            *(str(number), state.word, *usage(state.pid)[:2]),
            *(f"127.0.0.1:{paths.broker_port(number)}", "-" if led is None else str(led)),
            *(fact["log_device"] or "-", "own" if brokers.has_cgroup(paths, number) else "-"),
        )
    Console(width=None if Console().is_terminal else 120).print(table)
    ctx.exit(0 if all(state.ready for state in states) else 1)


def _do(action: Callable[[StackPaths, int], None], number: int, word: str) -> None:
    action(StackPaths.load(), number)
    click.echo(f"broker {number} {word}")
