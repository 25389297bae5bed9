# SPDX-License-Identifier: Apache-2.0
"""``tailrace fitness``."""

import json
import sys
from pathlib import Path

import click

from tailrace.errors import BadInput, Failed
from tailrace.fitness.checks import Check, as_manifest, check
from tailrace.queries.render import show as show_table
from tailrace.stack.api import StackPaths

WORDS = {True: "fit", False: "UNFIT", None: "unknown"}


@click.command()
@click.option(
    "--data-dir",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="DIR",
    help="A broker's data folder, whose drive is probed; repeatable; default: the stack's own brokers'.",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def fitness(data_dir: tuple[Path, ...], as_json: bool) -> None:
    """Check whether this host is fit to measure on: a few seconds, best with nothing else running.

    Reads steal and busy share at rest, the clock source, the CPU governor and the cores that are left for the load
    generator, and writes blocks of 4 KiB to the brokers' drives for a second, with and without O_DSYNC.

    tailrace run does the same before its load and keeps the result with the run. On a cluster, call this on each host.
    Exit code 1 if a check is over its limit.

    \b
    Examples:
      tailrace fitness
      tailrace fitness --data-dir /var/lib/kafka
    """
    for folder in data_dir:
        if not folder.is_dir():
            raise BadInput(f"--data-dir {folder}: no such folder")
    folders = {f"drive of {each}": each for each in data_dir} or own_drives(StackPaths.load())
    found = check(folders)
    if as_json:
        sys.stdout.write(json.dumps(as_manifest(found), indent=2) + "\n")
    else:
        rows = [[each.name, each.value, each.limit, WORDS[each.fit]] for each in found]
        show_table(["check", "found", "limit", ""], rows, sys.stdout)
        for line in remedies(found):
            click.echo(line)
        if not folders:
            click.echo("no drive was probed: name a broker's folder with --data-dir")
    if any(each.fit is False for each in found):
        raise SystemExit(Failed.exit_code)


def own_drives(paths: StackPaths) -> dict[str, Path]:
    """The data folders of the stack's brokers that exist, by name."""
    found = {f"drive of broker {broker}": paths.broker_log_dir(broker) for broker in paths.broker_ids}
    return {name: folder for name, folder in found.items() if folder.is_dir()}


def remedies(checks: list[Check]) -> list[str]:
    """A line for each check that is over its limit."""
    return [f"unfit: {each.name} is {each.value}: {each.remedy}" for each in checks if each.fit is False]
