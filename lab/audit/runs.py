# SPDX-License-Identifier: Apache-2.0
"""One run of the real load generator through the proxies, with the audit that ``tailrace run`` makes."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from lab.audit.anomalies import DRIVER, WORKLOAD, Case
from lab.audit.stand import AuditStand
from lab.stand.run import COMMAND

TIMEOUT_S = 240


@dataclass(frozen=True)
class Outcome:
    """What a run's audit found; ``checks``: name and text of each failure. ``planted``: where, None where it was not.

    ``output`` names the file with what the command printed; ``code`` is its exit code.
    """

    case: Case
    code: int
    output: Path
    planted: Mapping[str, int] | None
    checks: Sequence[tuple[str, str]] = ()
    notes: Sequence[str] = ()
    verdict: str = ""


def carry_out(stand: AuditStand, case: Case, state: Path) -> Outcome:
    """Arm the anomaly, run, audit, and read the verdict that is stored with the run."""
    run_id = case.name
    plant = case.plant
    if plant and plant.block:
        stand.block_proxy.arm(plant.kind, plant.count, token=f"{run_id}/0/{plant.block}/")
    elif plant and plant.kind:
        stand.kafka_proxy.arm(run_id, f"{plant.kind} {run_id}-0000000 {plant.partition} {plant.at} {plant.count}")
    folder = stand.folder / "runs" / run_id
    folder.mkdir(parents=True)
    workload, driver = folder / "workload.yaml", folder / "driver.yaml"
    workload.write_text(yaml.safe_dump({**WORKLOAD, "seed": 7, **case.workload}))
    driver.write_text(yaml.safe_dump({**DRIVER, **_driver(case.driver)}))
    output = folder / "output.txt"
    arguments = ["run", workload, "--driver", driver, "--run-id", run_id, "--no-report"]
    servers = f"127.0.0.1:{stand.kafka_proxy.port}"
    code = _call([*arguments, "--bootstrap-servers", servers], output, stand.variables(state))
    if plant and plant.sql:
        stand.warehouse.client.command(plant.sql, parameters={"run": run_id})
        code = _call(["audit", run_id], output, stand.variables(state))
    return _outcome(stand, case, code, output)


def _call(arguments: Sequence[str | Path], output: Path, env: Mapping[str, str]) -> int:
    with output.open("a") as file:
        done = subprocess.run(
            [COMMAND, *arguments], env=env, stdout=file, stderr=subprocess.STDOUT, timeout=TIMEOUT_S, check=False
        )
    return done.returncode


def _driver(changed: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """``producerConfig`` and the like as texts of lines, each with the defaults of this test."""
    parts = {part: {**DEFAULTS.get(part, {}), **changed.get(part, {})} for part in {*DEFAULTS, *changed}}
    return {part: "".join(f"{name}={value}\n" for name, value in keys.items()) for part, keys in parts.items()}


# An answer has several messages, so that an anomaly of two of them finds them in one.
DEFAULTS: Mapping[str, Mapping[str, str]] = {
    "consumerConfig": {"fetch.min.bytes": "4000", "fetch.max.wait.ms": "300"},
    "producerConfig": {"linger.ms": "0"},
}


def _outcome(stand: AuditStand, case: Case, code: int, output: Path) -> Outcome:
    found = stand.warehouse.client.query(
        "SELECT audit FROM runs FINAL WHERE run_id = {run:String}", parameters={"run": case.name}
    ).result_rows
    audit = json.loads(str(found[0][0]) or "{}") if found else {}
    plant = case.plant
    planted: Mapping[str, int] | None = {}
    if plant and plant.block:
        planted = {} if stand.block_proxy.hits[plant.kind] else None
    elif plant and plant.kind:
        planted = stand.kafka_proxy.planted(case.name)
    checks = [(each["check"], each["text"]) for each in audit.get("failures", [])]
    return Outcome(case, code, output, planted, checks, audit.get("notes", []), audit.get("verdict", "none"))
