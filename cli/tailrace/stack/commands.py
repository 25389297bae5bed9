# SPDX-License-Identifier: Apache-2.0
"""``tailrace doctor``, ``up``, ``down`` and ``status``."""

import click
from rich.console import Console
from rich.table import Table

from tailrace.stack import doctor as checks
from tailrace.stack import lifecycle, supervisor
from tailrace.stack.brokers_option import brokers_option, with_brokers
from tailrace.stack.durability import durability_option
from tailrace.stack.paths import BROKER_PORTS, StackPaths
from tailrace.stack.processes import stack_processes, supervisor_of, usage

# The ports of ports.env that each process listens on, brokers apart.
_PORTS = {
    "node-exporter": ("NODE_EXPORTER_PORT",),
    "ioprobe": ("IOPROBE_PORT",),
    "victoria-metrics": ("VICTORIAMETRICS_PORT",),
    "warehouse": ("WAREHOUSE_PORT",),
    "collector": ("COLLECTOR_OTLP_HTTP_PORT", "COLLECTOR_HEALTH_PORT", "COLLECTOR_METRICS_PORT"),
}


@click.command()
@click.pass_context
def doctor(ctx: click.Context) -> None:
    """Name what is missing on this machine, one line each. Exit code 2 when something is."""
    ctx.exit(checks.main())


@click.command()
@brokers_option
@durability_option
def up(brokers: int | None, durability: str | None) -> None:
    """Start the one-machine stack and wait until it is healthy.

    With 3 brokers, topics can have three copies and a broker can fail (tailrace broker). Their data
    is apart from that of the one broker. As root, each broker gets its own drive: a file with ext4
    on a loop device.

    With durability fsync a stored row survives a power loss; each insert waits for flushes of the drive.
    Rows that are not stored yet need durability: fsync in the workload too.

    \b
    Examples:
      tailrace up
      tailrace up --brokers 3
      tailrace up --durability fsync
    """
    paths = with_brokers(StackPaths.load(), brokers)
    if lifecycle.up(paths, click.echo, durability):
        click.echo(f"The stack is up; logs in {paths.logs}")
    elif paths.brokers > 1:
        click.echo(f"The stack was up already, with {paths.brokers} brokers.")
    else:
        click.echo("The stack was up already.")


@click.command()
def down() -> None:
    """Stop the stack; no process stays behind. Stored data stays."""
    paths = StackPaths.load()
    for line in lifecycle.down(paths, click.echo):
        click.echo(line)
    click.echo("The stack is down.")


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
def reset(yes: bool) -> None:
    """Stop the stack and delete its data: every stored run, its metrics and its logs.

    \b
    Examples:
      tailrace reset
      TAILRACE_STATE=/data/second tailrace reset --yes
    """
    paths = StackPaths.load()
    if not paths.state.exists():
        click.echo(f"Nothing to delete: {paths.state} does not exist.")
        return
    runs = sum(1 for _ in paths.runs.glob("*/")) if paths.runs.exists() else 0
    if not yes:
        click.confirm(f"Delete {runs} runs and all data in {paths.state}?", abort=True)
    for line in lifecycle.reset(paths, click.echo):
        click.echo(line)
    click.echo(f"Deleted {runs} runs and all data in {paths.state}")


@click.command()
@click.pass_context
def status(ctx: click.Context) -> None:
    """Show the stack's processes. Exit code 1 unless all are running and healthy."""
    paths = StackPaths.load()
    head = supervisor_of(paths.state)
    states = supervisor.states(paths) if head else None
    if head is None or not states:
        left = stack_processes(paths.state)
        click.echo(
            f"The stack lost its supervisor, {len(left)} of its processes still run; "
            "tailrace up restarts the stack, tailrace down stops them"
            if left
            else "The stack is down; start it with: tailrace up"
        )
        ctx.exit(1)
    table = Table("process", "state", "pid", "memory", "peak", "restarts", "ports", box=None)
    ports = {name: [paths.ports[port] for port in listed] for name, listed in _PORTS.items()}
    for broker in paths.broker_ids:
        ports[paths.broker_process(broker)] = [paths.broker_port(broker, kind) for kind in BROKER_PORTS]
    for state in states:
        listed = " ".join(map(str, ports.get(state.name, ())))
        table.add_row(state.name, state.word, *usage(state.pid), str(state.restarts), listed)
    table.add_row("supervisor", "ready", *usage(head.pid), "0", "unix socket")
    Console(width=None if Console().is_terminal else 120).print(table)
    ctx.exit(0 if lifecycle.is_up(paths) else 1)
