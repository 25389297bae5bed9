# SPDX-License-Identifier: Apache-2.0
"""The ``tailrace`` command. Subcommands are imported only when they are called."""

import importlib
import signal
import sys
from types import FrameType
from typing import Any, NoReturn, cast

import click

from tailrace import __version__
from tailrace.errors import Failed, TailraceError

# name -> (module and attribute of its click command, its line in `tailrace --help`). `tailrace --help` imports none
# of the modules: clickhouse-connect and jinja2 take long to import.
SUBCOMMANDS = {
    "doctor": ("tailrace.stack.commands:doctor", "Name what is missing on this machine."),
    "up": ("tailrace.marks.up:up", "Start the one-machine stack."),
    "down": ("tailrace.stack.commands:down", "Stop the stack; no process stays behind."),
    "reset": ("tailrace.stack.commands:reset", "Stop the stack and delete its data."),
    "broker": ("tailrace.marks.broker:broker", "Stop, start or kill one broker of the stack."),
    "status": ("tailrace.stack.commands:status", "Show the stack's processes."),
    "fitness": ("tailrace.fitness.command:fitness", "Check whether this host is fit to measure on."),
    "plan": ("tailrace.runs.plan:plan", "Show what a run of a workload would do."),
    "run": ("tailrace.runs.command:run", "Run a workload and keep every message."),
    "watch": ("tailrace.live.command:watch", "Follow a run while it is running."),
    "mark": ("tailrace.marks.command:mark", "Add a note to a run: what you did to it, and when."),
    "ship": ("tailrace.runs.command:ship", "Store the blocks that a run left in its spool."),
    "audit": ("tailrace.audit.command:audit", "Check that every recorded row is stored."),
    "query": ("tailrace.queries.command:query", "Answer a named question in SQL."),
    "experiments": ("tailrace.experiments.command:experiments", "Rerun the published experiments, with verdicts."),
    "explain": ("tailrace.explain.command:explain", "Explain why a run was slow, and when."),
    "stages": ("tailrace.breakdown.command:stages", "Show where messages spent their time."),
    "compare": ("tailrace.compare.command:compare", "Show what differs between runs."),
    "runs": ("tailrace.archive.command:runs", "List, keep, export, import and delete runs."),
    "report": ("tailrace.report.command:report", "Write a run's HTML report."),
    "export-omb": ("tailrace.omb.command:export_omb", "Write a run as OpenMessaging Benchmark's result file."),
    "certify": ("tailrace.certify.command:certify", "Check what a cluster promises, while faults strike it."),
    "demo": ("tailrace.demo.command:demo", "Start the stack, run the demo, show the result."),
}


class _PrintedError(click.ClickException):
    """One of our errors, as click prints it."""

    def __init__(self, err: TailraceError) -> None:
        super().__init__(str(err))
        self.exit_code = err.exit_code  # type: ignore[misc]  # click reads it from the instance


# Former names of commands, kept for one release.
ALIASES = {"seeds": "experiments"}


class LazyGroup(click.Group):
    """Imports a command when it is called, so that a module that does not import breaks one command only."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        cmd_name = ALIASES.get(cmd_name, cmd_name)
        if cmd_name not in SUBCOMMANDS:
            return None
        module_name, _, attribute = SUBCOMMANDS[cmd_name][0].partition(":")
        module = importlib.import_module(module_name)
        return cast(click.Command, getattr(module, attribute))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in SUBCOMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except TailraceError as err:
            raise _PrintedError(err) from err
        except Exception as err:
            failure = _warehouse_failure(err)
            if failure is None:
                raise
            raise _PrintedError(failure) from err


def _warehouse_failure(err: Exception) -> Failed | None:
    """An error of the warehouse in one line; None when ``err`` is another error."""
    # If the client was never imported, this cannot be one of its errors.
    if "clickhouse_connect" not in sys.modules:
        return None
    from clickhouse_connect.driver.exceptions import ClickHouseError

    from tailrace.warehouse import first_line, is_unreachable

    if not isinstance(err, ClickHouseError):
        return None
    if is_unreachable(err):
        return Failed("the warehouse stopped answering; see tailrace status, start it: tailrace up")
    return Failed(f"warehouse: {first_line(err)}")


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tailrace")
def cli() -> None:
    """Benchmark a Kafka-protocol broker; keep every message's latency as a row in SQL.

    \b
    Examples:
      tailrace demo                           one complete run on this machine
      tailrace up                             start the stack
      tailrace run workloads/demo.yaml        a run: load, audit, report
      tailrace query latency_percentiles      a named query about the latest run
      tailrace down                           stop the stack; the data stays

    Exit status: 0 done, 1 a run or its audit failed, 2 bad input, 130 interrupted.
    """


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def main() -> NoReturn:
    """Entry point. Exit codes: 0 ok, 1 run or audit failed, 2 bad input, 130 interrupted."""
    # SIGTERM cleans up as Ctrl-C does.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        code = cli.main(standalone_mode=False)
    except click.UsageError as err:
        where = err.ctx.command_path if err.ctx else "tailrace"
        click.echo(f"Error: {err.format_message().rstrip('.')}; see: {where} --help", err=True)
        code = err.exit_code
    except click.ClickException as err:
        err.show()
        code = err.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        code = 130
    raise SystemExit(code if isinstance(code, int) else 0)
