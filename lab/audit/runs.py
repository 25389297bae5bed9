# SPDX-License-Identifier: Apache-2.0
"""One run of the real load generator through the proxies, with the audit that ``tailrace run`` makes."""

import contextlib
import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from lab.audit.plan import DRIVER, SETTINGS, WORKLOAD, PlannedRun, Plant, Settings
from lab.audit.stand import AuditStand
from lab.stand.run import COMMAND
from tailrace.api import Check, Claim, StackPaths, all_claims, check_claim, loadgen

TIMEOUT_S = 600


@dataclass(frozen=True)
class Outcome:
    """What a run's audit found. ``failures``: check and text of each. ``code``: the exit code of the last command.

    ``planted``: of each anomaly, by name, where it was planted; None where it was not. ``checks``: by claim of
    the case, what the certificate's check found.
    """

    run: PlannedRun
    code: int
    planted: Mapping[str, Mapping[str, int] | None]
    verdict: str = "none"
    failures: Sequence[tuple[str, str]] = ()
    notes: Sequence[str] = ()
    checks: Mapping[str, Check] = field(default_factory=dict)


def carry_out(stand: AuditStand, run: PlannedRun, state: Path) -> Outcome:
    """Arm the anomalies, run, audit, and read the verdict that is stored with the run."""
    for plant in run.plants:
        _arm(stand, run, plant)
    folder = stand.folder / "runs" / run.run_id
    folder.mkdir(parents=True)
    workload, driver, output = (folder / name for name in ("workload.yaml", "driver.yaml", "output.txt"))
    content = yaml.safe_dump({**WORKLOAD, **run.case.workload})
    workload.write_text(content.replace("{run}", run.run_id))
    driver.write_text(yaml.safe_dump({**DRIVER, **_texts(run.case.settings)}))
    servers = f"127.0.0.1:{stand.kafka_proxy.port}"
    env = stand.variables(state)
    files: list[str | Path] = ["--workload", workload, "--driver", driver, "--bootstrap-servers", servers]
    with _companion(run, files, output.with_name("companion.txt"), env):
        words = ["run", workload, *files[2:], "--run-id", run.run_id, "--no-report"]
        code = _call(words, output, env)
    for plant in run.plants:
        if plant.sql:
            stand.warehouse.client.command(plant.sql, parameters={"run": run.run_id})
            code = _call(["audit", run.run_id], output, env)
    planted = {plant.name: _planted(stand, run, plant) for plant in run.plants}
    checks = {claim.name: check_claim(stand.warehouse.client, claim, run.run_id) for claim in _claims(run)}
    found = stand.warehouse.client.query(
        "SELECT audit FROM runs FINAL WHERE run_id = {run:String}", parameters={"run": run.run_id}
    ).result_rows
    if not found or not found[0][0]:
        return Outcome(run, code, planted, checks=checks)
    audit = json.loads(str(found[0][0]))
    failures = [(each["check"], each["text"]) for each in audit["failures"]]
    return Outcome(run, code, planted, audit["verdict"], failures, audit["notes"], checks)


def _claims(run: PlannedRun) -> list[Claim]:
    return [claim for claim in all_claims() if claim.name in run.claims]


@contextlib.contextmanager
def _companion(run: PlannedRun, files: Sequence[str | Path], output: Path, env: Mapping[str, str]) -> Iterator[None]:
    """The case's companion, which waits for the run's topics; it has ended after the block."""
    if not run.case.companion:
        yield
        return
    command = [*loadgen.command(StackPaths.load()), run.case.companion, *map(str, files), "--run-id", run.run_id]
    with output.open("w") as file, subprocess.Popen(command, env=env, stdout=file, stderr=file) as process:
        try:
            yield
        finally:
            process.terminate()
            process.wait(TIMEOUT_S)


def _arm(stand: AuditStand, run: PlannedRun, plant: Plant) -> None:
    if plant.block:
        stand.block_proxy.arm(plant.kind, plant.count, token=_token(run, plant))
    elif plant.kind:
        place = f"{run.run_id}-{plant.topic} {plant.partition} {plant.at} {plant.count}"
        stand.kafka_proxy.arm(_name(run, plant), f"{plant.kind} {place}")


def _planted(stand: AuditStand, run: PlannedRun, plant: Plant) -> Mapping[str, int] | None:
    if plant.block:
        return {} if stand.block_proxy.armed(_token(run, plant)) == 0 else None
    return stand.kafka_proxy.planted(_name(run, plant)) if plant.kind else {}


def _token(run: PlannedRun, plant: Plant) -> str:
    return f"{run.run_id}/0/{plant.block}/"


def _name(run: PlannedRun, plant: Plant) -> str:
    return f"{run.run_id}:{plant.name}".replace(" ", "_")


def _texts(changed: Settings) -> dict[str, str]:
    """``producerConfig`` and the like, as drivers have them: texts of lines."""
    parts = {part: {**SETTINGS.get(part, {}), **changed.get(part, {})} for part in {*SETTINGS, *changed}}
    return {part: "".join(f"{name}={value}\n" for name, value in keys.items()) for part, keys in parts.items()}


def _call(arguments: Sequence[str | Path], output: Path, env: Mapping[str, str]) -> int:
    with output.open("a") as file:
        done = subprocess.run(
            [COMMAND, *arguments], env=env, stdout=file, stderr=subprocess.STDOUT, timeout=TIMEOUT_S, check=False
        )
    return done.returncode
