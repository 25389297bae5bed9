# SPDX-License-Identifier: Apache-2.0
"""``tailrace doctor``, ``up``, ``down`` and ``status``."""

import click
import psutil
from rich.console import Console
from rich.table import Table

from tailrace.stack import doctor as checks
from tailrace.stack import lifecycle, supervisor
from tailrace.stack.paths import StackPaths
from tailrace.stack.processes import stack_processes, supervisor_of

# The ports of ports.env that each process listens on.
_PORTS = {
    "kafka": ("KAFKA_PORT", "KAFKA_TLS_PORT", "KAFKA_CONTROLLER_PORT", "KAFKA_JMX_PORT"),
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
def up() -> None:
    """Start the one-machine stack and wait until it is healthy."""
    paths = StackPaths.load()
    if lifecycle.up(paths, click.echo):
        click.echo(f"The stack is up; logs in {paths.logs}")
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
    for state in states:
        ports = " ".join(str(paths.ports[name]) for name in _PORTS.get(state.name, ()))
        table.add_row(state.name, state.word, *_usage(state.pid), str(state.restarts), ports)
    table.add_row("supervisor", "ready", *_usage(head.pid), "0", "unix socket")
    Console(width=None if Console().is_terminal else 120).print(table)
    ctx.exit(0 if lifecycle.is_up(paths) else 1)


def _usage(pid: int) -> tuple[str, str, str]:
    """Process id, resident memory now, and its peak."""
    try:
        resident = psutil.Process(pid).memory_info().rss if pid else 0
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            peak = next((int(line.split()[1]) for line in file if line.startswith("VmHWM")), 0)
    except (OSError, psutil.Error):
        return "-", "-", "-"
    return str(pid), f"{resident / 2**20:.0f} MiB", f"{peak / 2**10:.0f} MiB"
