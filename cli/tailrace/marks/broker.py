# SPDX-License-Identifier: Apache-2.0
"""``tailrace broker``: one broker of the stack; what it does during a run is marked in the run."""

import time
from collections.abc import Callable

import click
from clickhouse_connect.driver.exceptions import ClickHouseError
from rich.console import Console
from rich.table import Table

from tailrace import warehouse
from tailrace.errors import TailraceError
from tailrace.marks.command import store
from tailrace.marks.reading import Mark
from tailrace.stack import brokers
from tailrace.stack.api import Endpoints, StackPaths, broker_facts, is_measuring
from tailrace.stack.processes import usage


@click.group()
def broker() -> None:
    """Stop, start, kill or restart one broker of the stack, also while a run goes on.

    A run goes on measuring and gets a mark (tailrace mark); its audit judges what the missing
    broker did to the messages. tailrace up --brokers 3 starts a stack in which topics survive it.

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
    _do(brokers.start, number, "started", "note")


@broker.command()
@click.argument("number", type=int)
def kill(number: int) -> None:
    """Kill broker NUMBER (SIGKILL): others notice when its session times out."""
    _do(brokers.kill, number, "killed")


@broker.command()
@click.argument("number", type=int)
def restart(number: int) -> None:
    """Stop broker NUMBER in order and start it again."""
    _do(brokers.restart, number, "restarted")


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


def _do(action: Callable[[StackPaths, int], bool], number: int, word: str, kind: str = "fault") -> None:
    paths = StackPaths.load()
    began = time.time()
    if not action(paths, number):
        click.echo(f"broker {number} was {'up' if kind == 'note' else 'stopped'} already")
        return
    click.echo(f"broker {number} {word}")
    if is_measuring(paths):
        try:
            _mark(paths, Mark(began, time.time(), kind, f"broker {number} {word}"))
        except (TailraceError, ClickHouseError) as err:
            click.echo(f"the run has no mark of it: {err}", err=True)


def _mark(paths: StackPaths, mark: Mark) -> None:
    """Store it in the run that goes on; a run that is still starting has no row yet."""
    client = warehouse.connect(Endpoints.load(paths))
    going = "SELECT run_id FROM v_runs WHERE state = 'running' ORDER BY started_time DESC LIMIT 1"
    for (run_id,) in client.query(going).result_rows:
        store(client, str(run_id), mark)
        click.echo(f"marked run {run_id}")
