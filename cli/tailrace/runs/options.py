# SPDX-License-Identifier: Apache-2.0
"""Options of ``tailrace plan`` and ``tailrace run``."""

from pathlib import Path

import click

from tailrace.runs import loadgen
from tailrace.stack.api import StackPaths


def file(path: str) -> Path:
    """A file that the user names."""
    return Path(path).expanduser()


def default_driver(paths: StackPaths) -> Path:
    """The driver file of a run that names none: with three copies of each message where the stack has three brokers."""
    return paths.root / "workloads" / "drivers" / ("kafka.yaml" if paths.brokers == 1 else "kafka-replicated.yaml")


DRIVER = click.option(
    "--driver",
    type=file,
    metavar="FILE",
    help="Driver file; default: workloads/drivers/kafka.yaml, with three brokers kafka-replicated.yaml.",
)
SEED = click.option("--seed", type=int, help="Random seed; overrides the workload file's.")
POINT = click.option("--point", type=int, metavar="K", help="Only point K of a campaign.")
DIALECT = click.option(
    "--dialect",
    type=click.Choice(loadgen.DIALECTS),
    help="The workload file's dialect, if the file names none; default: guessed.",
)
