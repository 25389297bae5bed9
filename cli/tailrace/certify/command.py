# SPDX-License-Identifier: Apache-2.0
"""``tailrace certify``: checks what a cluster promises, while faults strike it."""

import contextlib
import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from tailrace.certify import claims as known
from tailrace.certify import files, text, trial
from tailrace.certify.certificate import Certificate, Line
from tailrace.certify.claims import Claim
from tailrace.certify.cluster import VERSION, Cluster
from tailrace.certify.document import document
from tailrace.errors import BadInput, Failed
from tailrace.fitness.before import VARIABLE as NO_FITNESS
from tailrace.runs.options import file
from tailrace.stack.api import StackPaths, down, is_elsewhere, is_up, up, with_brokers

BROKERS = 3
PAGE, DOCUMENT = "certificate.html", "certificate.json"
# Of a shorter one, no fault has time to strike.
LEAST_S = 20
_DURATION = re.compile(r"(\d+)(s|m|h)?")
_SECONDS = {None: 1, "s": 1, "m": 60, "h": 3600}

Say = Callable[[str], None]


@click.command()
@click.option(
    "--driver", type=file, metavar="FILE", help="Driver file; default: workloads/drivers/kafka-replicated.yaml."
)
@click.option("--bootstrap-servers", metavar="HOST:PORT,...", help="Brokers; default: the driver's, or the stack's.")
@click.option("--claims", "names", metavar="A,B", help="Only these claims; default: all.")
@click.option("--duration", default="60s", show_default=True, metavar="TIME", help="Load and faults of each claim.")
@click.option("--rate", type=click.IntRange(min=1), metavar="N", help="Messages/s; default: each workload's, 2,000.")
@click.option("--seed", type=click.IntRange(0), default=42, show_default=True, help="Random seed of load and faults.")
@click.option("--output", type=file, metavar="DIR", help="Folder of the page and the JSON; default: in the state.")
def certify(
    driver: Path | None,
    bootstrap_servers: str | None,
    names: str | None,
    duration: str,
    rate: int | None,
    seed: int,
    output: Path | None,
) -> None:
    """Check what a cluster promises about messages, while faults strike it.

    For each claim (no loss, no duplicates, order, transactions, …) it makes a run. Meanwhile brokers
    are killed and paused, leaders moved, connections cut, clients killed and paused. Then it checks
    the claim in SQL over every message, and writes one page: claim, configuration, messages, faults
    survived, verdict, first counterexample.

    Without a stack it starts one of three brokers and stops it at the end. On a cluster that is not
    the stack's own, only faults that can be made from here are made; the page states the others.
    transaction.version is set on the stack's own brokers only, and set back at the end.

    \b
    Examples:
      tailrace certify
      tailrace certify --claims no_loss,order_per_key --duration 5m
      tailrace certify --rate 20000 --seed 7
      tailrace certify --driver my-driver.yaml --bootstrap-servers broker1:9092,broker2:9092

    Exit status: 0 all claims hold, 1 one does not or was not tested, 2 bad input.
    """
    chosen = known.chosen(names)
    duration_s = _seconds(duration)
    foreign = bool(bootstrap_servers or (driver and "bootstrap.servers" in str(files.read_driver(driver))))
    name = f"certify-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    folder = _made(output or StackPaths.load().state / "certificates" / name)
    with _stack(foreign) as paths:
        used = driver or paths.root / "workloads" / "drivers" / "kafka-replicated.yaml"
        options = trial.Options(name, paths, used, bootstrap_servers, duration_s, rate, seed, folder)
        # No latency is judged.
        os.environ.setdefault(NO_FITNESS, "1")
        certificate = _certificate(chosen, options)
        click.echo(f"\n{folder}/{PAGE}\n{folder}/{DOCUMENT}")
    click.echo(certificate.result)
    sys.stdout.flush()
    if not certificate.holds:
        raise SystemExit(Failed.exit_code)


def _write(certificate: Certificate, folder: Path) -> None:
    from tailrace.certify.page import write  # templates are slow to import

    write(certificate, folder / PAGE)
    written = json.dumps(document(certificate), ensure_ascii=False, indent=1)
    (folder / DOCUMENT).write_text(written + "\n", encoding="utf-8")


def _seconds(duration: str) -> int:
    match = _DURATION.fullmatch(duration.strip())
    seconds = int(match[1]) * _SECONDS[match[2]] if match else 0
    if seconds < LEAST_S:
        raise BadInput(f"--duration {duration}: give {LEAST_S}s or more, such as 60s or 5m")
    return seconds


def _made(folder: Path) -> Path:
    folder = folder.absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as err:
        raise BadInput(f"{folder}: {err.strerror}; give a writable folder with --output") from err
    return folder


@contextlib.contextmanager
def _stack(foreign: bool) -> Iterator[StackPaths]:
    """The stack, up; one that was up before keeps running."""
    paths = StackPaths.load()
    if is_elsewhere() or is_up(paths):
        if not foreign and not is_elsewhere() and paths.brokers < BROKERS:
            raise BadInput("the stack is up with 1 broker, certify needs 3; first: tailrace down")
        yield paths
        return
    paths = with_brokers(paths, 1 if foreign else BROKERS)
    started = up(paths, click.echo)
    try:
        yield paths
    finally:
        if started:
            for line in down(paths, click.echo):
                click.echo(line)


def _certificate(chosen: Sequence[Claim], options: trial.Options) -> Certificate:
    cluster = trial.cluster(trial.prepared(chosen[0], "first", options), options)
    facts, found = _facts(cluster), int(cluster.transaction_version())
    facts[VERSION] = str(found)
    for fact in facts.items():
        click.echo(": ".join(fact))
    lines: list[Line] = []
    command = "tailrace " + shlex.join(sys.argv[1:])
    try:
        trials = {
            claim.name if version is None else f"{claim.name}-tv{version}": (claim, version)
            for claim, version in _trials(chosen, cluster)
        }
        for name, (claim, version) in trials.items():
            click.echo(f"\n{name}: {options.duration_s} s of load")
            lines.append(_tried(claim, name, version, cluster, options))
            for line in text.about(lines[-1]):
                click.echo(line)
            # After each line, so that an interrupted certificate keeps what it has.
            certificate = Certificate(facts, lines, command, list(trials)[len(lines) :])
            _write(certificate, options.folder)
    finally:
        if cluster.ours and any(claim.transaction_versions for claim in chosen):
            cluster.transaction_version(found)
    return certificate


def _trials(chosen: Sequence[Claim], cluster: Cluster) -> Iterator[tuple[Claim, int | None]]:
    """Each claim, with each transaction.version where that can be set."""
    for claim in chosen:
        for version in claim.transaction_versions if cluster.ours and claim.transaction_versions else (None,):
            yield claim, version


def _tried(claim: Claim, name: str, version: int | None, cluster: Cluster, options: trial.Options) -> Line:
    configuration: Mapping[str, str] = {key: value for each in claim.driver.values() for key, value in each.items()}
    shown = sys.stdout

    def say(line: str) -> None:
        # While a run goes on, its own output goes to a log.
        click.echo(line, file=shown)

    if claim.transaction_versions:
        configuration = {VERSION: str(cluster.transaction_version(version)), **configuration}
    return trial.tried(claim, name, options, configuration, say)


def _facts(cluster: Cluster) -> dict[str, str]:
    addresses = cluster.addresses()
    brokers = ", ".join(f"{each.broker} at {each.host}:{each.port}" for each in addresses)
    return {"brokers": brokers, "cluster": "the stack's own" if cluster.ours else "not the stack's own"}
