# SPDX-License-Identifier: Apache-2.0
"""``tailrace certify``: checks what a cluster promises, while faults strike it."""

import contextlib
import json
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click

from tailrace.certify import claims as known
from tailrace.certify import faults, files, setting, text, trial
from tailrace.certify.certificate import Certificate, Line
from tailrace.certify.claims import Claim
from tailrace.certify.cluster import VERSION, Cluster
from tailrace.certify.document import document
from tailrace.errors import BadInput, Failed
from tailrace.fitness.before import VARIABLE as NO_FITNESS
from tailrace.runs import loadgen
from tailrace.runs.options import file
from tailrace.stack.api import StackPaths, down, is_elsewhere, is_up, up, with_brokers

BROKERS = 3
PAGE, DOCUMENT = "certificate.html", "certificate.json"
_DURATION = re.compile(r"(\d+)(s|m|h)?")
_SECONDS = {None: 1, "s": 1, "m": 60, "h": 3600}

Say = Callable[[str], None]


@click.command()
@click.option(
    "--driver", type=file, metavar="FILE", help="Driver file; default: workloads/drivers/kafka-replicated.yaml."
)
@click.option("--bootstrap-servers", metavar="HOST:PORT,...", help="Brokers; default: the driver's, or the stack's.")
@click.option("--claims", "names", metavar="A,B", help="Only these claims; default: all.")
@click.option("--duration", default="90s", show_default=True, metavar="TIME", help="Load and faults of each claim.")
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
    paths = StackPaths.load()
    used = driver or paths.root / "workloads" / "drivers" / "kafka-replicated.yaml"
    foreign = bool(bootstrap_servers or "bootstrap.servers" in str(files.read_driver(used)))
    duration_s = _seconds(duration, chosen, foreign)
    name = f"certify-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    with _folder(output or paths.state / "certificates" / name) as folder, _private() as private:
        options = trial.Options(name, paths, used, bootstrap_servers, duration_s, rate, seed, folder, private)
        _check(chosen[0], options, foreign)
        with _stack(foreign) as paths:
            # No latency is judged.
            os.environ.setdefault(NO_FITNESS, "1")
            certificate = _certificate(chosen, replace(options, paths=paths))
            click.echo(f"\n{folder}/{PAGE}\n{folder}/{DOCUMENT}")
    click.echo(certificate.result)
    sys.stdout.flush()
    if certificate.interrupted:
        raise KeyboardInterrupt
    if not certificate.holds:
        raise SystemExit(Failed.exit_code)


def _check(claim: Claim, options: trial.Options, foreign: bool) -> None:
    """Check the driver file as the user wrote it, and that a cluster elsewhere answers, before anything is started."""
    workload = options.paths.root / known.FOLDER / claim.workload
    loadgen.plan(options.paths, loadgen.Inputs(workload, options.driver, options.seed, options.servers), claim.workers)
    if foreign:
        trial.cluster(trial.prepared(claim, "first", options), options).addresses()


def _write(certificate: Certificate, folder: Path) -> None:
    from tailrace.certify.page import write  # templates are slow to import

    write(certificate, folder / PAGE)
    written = json.dumps(document(certificate), ensure_ascii=False, indent=1)
    (folder / DOCUMENT).write_text(written + "\n", encoding="utf-8")


def _seconds(duration: str, chosen: Sequence[Claim], foreign: bool) -> int:
    match = _DURATION.fullmatch(duration.strip())
    seconds = int(match[1]) * _SECONDS[match[2]] if match else 0
    # Brokers elsewhere are neither killed nor paused.
    own = (faults.BROKER_KILL, faults.BROKER_PAUSE)
    kinds = {claim.name: [kind for kind in claim.faults if not (foreign and kind in own)] for claim in chosen}
    least, name = max((faults.least_s(each), name) for name, each in kinds.items())
    if seconds < least:
        raise BadInput(f"--duration {duration}: give {least}s or more, so that each kind of fault can strike in {name}")
    return seconds


@contextlib.contextmanager
def _folder(folder: Path) -> Iterator[Path]:
    """The folder of the page; one that was made in vain is deleted."""
    folder = folder.absolute()
    made = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as err:
        raise BadInput(f"{folder}: {err.strerror}; give a writable folder with --output") from err
    try:
        yield folder
    finally:
        for each in made:
            with contextlib.suppress(OSError):  # it has files
                each.rmdir()


@contextlib.contextmanager
def _private() -> Iterator[Path]:
    """A folder that only this user reads, for files with the driver's secrets."""
    with tempfile.TemporaryDirectory(prefix="tailrace-certify-") as folder:
        yield Path(folder)


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
    """Try all claims. An interrupt ends it with what there is."""
    ready = trial.prepared(chosen[0], "first", options)
    cluster = trial.cluster(ready, options)
    known_to_it = cluster.facts()
    found = int(known_to_it.get(VERSION, 0))
    copies = setting.copies(ready.plan, known_to_it)
    facts = setting.facts(cluster, known_to_it, copies, options)
    for fact in facts.items():
        click.echo(": ".join(fact))
    trials = {
        claim.name if version is None else f"{claim.name}-tv{version}": (claim, version)
        for claim, version in _trials(chosen, cluster)
    }
    lines: list[Line] = []
    command = "tailrace " + shlex.join(sys.argv[1:])

    def kept(interrupted: str = "") -> Certificate:
        certificate = Certificate(facts, lines, command, list(trials)[len(lines) :], interrupted)
        _write(certificate, options.folder)
        return certificate

    name = ""
    try:
        for name, (claim, version) in trials.items():
            click.echo(f"\n{name}: {options.duration_s} s of load")
            lines.append(_tried(claim, name, {**copies, VERSION: str(version or found)}, cluster, options))
            for line in text.about(lines[-1]):
                click.echo(line)
            # After each line: a command that is killed leaves what it has.
            certificate = kept()
    except KeyboardInterrupt:
        return kept(interrupted=name)
    finally:
        if cluster.ours and any(claim.transaction_versions for claim in chosen):
            cluster.transaction_version(found)
    return certificate


def _trials(chosen: Sequence[Claim], cluster: Cluster) -> Iterator[tuple[Claim, int | None]]:
    """Each claim, with each transaction.version where that can be set."""
    for claim in chosen:
        for version in claim.transaction_versions if cluster.ours and claim.transaction_versions else (None,):
            yield claim, version


def _tried(claim: Claim, name: str, shared: Mapping[str, str], cluster: Cluster, options: trial.Options) -> Line:
    """``shared``: what the claim's configuration has beside its own properties."""
    own = {key: value for each in claim.driver.values() for key, value in each.items()}
    shown = sys.stdout

    def say(line: str) -> None:
        # While a run goes on, its own output goes to a log.
        click.echo(line, file=shown)

    if claim.transaction_versions and cluster.ours:
        cluster.transaction_version(int(shared[VERSION]))
    return trial.tried(claim, name, options, {**shared, **own}, say)
