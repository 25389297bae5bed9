# SPDX-License-Identifier: Apache-2.0
"""make test-cluster: deploy, deploy again, run with a broker stopped, rotate, upgrade, refuse what cannot work, wipe.

Ends with a line RESULT; exit code 1 when anything is not as it must be, 0 with a reason where it cannot run.
"""

from __future__ import annotations

import re
import signal
import sys
import time

from cluster import rolling, state
from cluster.hosts import NAMES, Hosts, missing_tool
from cluster.lab import PATIENCE_S, ROOT, Done, Lab, tail

FOLDER = ROOT / ".tailrace" / "cluster"
RUN = "cluster-1"
WORKLOAD = """
name: cluster
topics: 1
partitionsPerTopic: 6
messageSize: 512
subscriptionsPerTopic: 1
producersPerTopic: 2
consumerPerSubscription: 2
producerRate: 400
warmupDuration: 5s
testDuration: 40s
drainTimeout: 120s
seed: 7
"""
STOPPED = NAMES[1]
# Nothing of these may change a host; each is refused with one line that contains this.
REFUSED = (
    (("-e", '{"tailrace_replication_factor": 4}'), "there are 3 brokers"),
    (("-e", '{"drives_devices": ["nosuch1"]}'), "no drive nosuch1; there are:"),
    (("-e", '{"tailrace_max_clock_us": -1000000}'), "its clock is"),
    (("-e", '{"vault_metrics_password": ""}'), "vault_metrics_password: missing or shorter"),
)


def main() -> int:
    reason = missing_tool()
    if reason:
        print(f"test-cluster skipped: {reason}")
        return 0
    # What stops the hosts is in the finally below.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("test-cluster: terminated"))
    for log in FOLDER.glob("*.log"):
        log.unlink()
    hosts = Hosts(FOLDER)
    try:
        hosts.start()
        lab = Lab(hosts, FOLDER)
        lab.write()
        return conduct(hosts, lab)
    finally:
        hosts.stop()


def conduct(hosts: Hosts, lab: Lab) -> int:
    faults: list[str] = []
    first = expect(lab.playbook("site"), "the first deployment")
    print(f"deployed in {first.seconds:.0f} s, {first.changed} changes", flush=True)
    second = expect(lab.playbook("site"), "the second deployment")
    print(f"again in {second.seconds:.0f} s, {second.changed} changes", flush=True)
    if second.changed:
        faults.append(f"the second deployment changed: {changes(second)}")
    faults += [f"open beyond the deployment: {socket}" for socket in state.open_to_all(hosts)]
    audit, stopped, why = run(hosts, lab)
    faults += why
    rotate_s, why = rolling.rotate(hosts, lab)
    print(f"certificates rotated in {rotate_s:.0f} s, {len(why)} faults", flush=True)
    faults += why
    upgrade_s, why = rolling.upgrade(hosts, lab)
    print(f"brokers upgraded in {upgrade_s:.0f} s, {len(why)} faults", flush=True)
    faults += why + audited(hosts)
    for arguments, wanted in REFUSED:
        refused = lab.playbook("preflight", *arguments)
        if refused.code == 0 or wanted not in refused.output or refused.changed:
            faults.append(f"not refused as it should be: {' '.join(arguments)}")
    faults += refuse_unreachable(lab)
    if lab.playbook("wipe").code == 0:
        faults.append("wipe.yml without its confirmation was not refused")
    expect(lab.playbook("wipe", "-e", "wipe_confirm=threehosts"), "wipe.yml")
    faults += [f"left behind: {line}" for line in state.left(hosts)]
    for fault in faults:
        print(f"FAULT {fault}")
    print(
        f"RESULT hosts={len(NAMES)} changed_second={second.changed} audit={audit} broker_stopped={stopped}"
        f" first_s={first.seconds:.0f} second_s={second.seconds:.0f} rotate_s={rotate_s:.0f} upgrade_s={upgrade_s:.0f}"
        f" faults={len(faults)}"
    )
    return 1 if faults else 0


def run(hosts: Hosts, lab: Lab) -> tuple[str, int, list[str]]:
    """One run with a broker stopped in its middle: the audit's word, how many were stopped, what went wrong."""
    workload = FOLDER / "cluster.yaml"
    workload.write_text(WORKLOAD)
    playing = lab.begin(
        "run",
        "-e",
        f"run_workload={workload}",
        "-e",
        f"run_id={RUN}",
        "-e",
        f"run_results={lab.results}",
        "-e",
        "run_lead_seconds=120",
    )
    log = f"/var/lib/tailrace/loadgen/runs/{RUN}/loadgen-0.log"
    stopped = 0
    deadline = time.monotonic() + PATIENCE_S
    while playing.process.poll() is None and not stopped:
        if re.search(r"^measure 00:1\d", hosts.ssh(NAMES[0], f"cat {log}", check=False), re.M):
            hosts.ssh(STOPPED, "systemctl stop tailrace-kafka")
            stopped = 1
            print(f"stopped the broker of {STOPPED} in mid-run", flush=True)
        if time.monotonic() > deadline:
            break
        time.sleep(1)
    done = lab.finish(playing)
    hosts.ssh(STOPPED, "systemctl start tailrace-kafka")
    faults = [] if done.code == 0 else [f"run.yml failed: {tail(done)}"]
    audit = re.search(r"RESULT .*?\baudit=(\w+)", done.output)
    if not (lab.results / RUN / "report.html").exists():
        faults.append("no report was fetched")
    if not stopped:
        faults.append("no broker was stopped: the run never measured")
    if audit is None or audit[1] != "pass":
        faults.append(f"the audit printed {audit and audit[1]}")
    return (audit[1] if audit else "none"), stopped, faults


def audited(hosts: Hosts) -> list[str]:
    """The run is still stored as it was, and a loader reaches the warehouse under its new certificate."""
    output = hosts.ssh(NAMES[0], f"/opt/tailrace/bin/tailrace audit {RUN} 2>&1 && echo agreed", check=False)
    return [] if output.endswith("agreed\n") else [f"the run is not there as it was: {output.strip()[-500:]}"]


def refuse_unreachable(lab: Lab) -> list[str]:
    """An unreachable host is named, and nothing is changed."""
    extra = lab.inventory / "more.yml"
    extra.write_text("all: {children: {loaders: {hosts: {lab9: {ansible_host: 10.77.0.99}}}}}\n")
    try:
        done = lab.playbook("preflight", "-e", "ansible_ssh_timeout=3")
    finally:
        extra.unlink()
    right = done.code != 0 and "unreachable: lab9;" in done.output and not done.changed
    return [] if right else ["an unreachable host was not refused as it should be"]


def expect(done: Done, what: str) -> Done:
    if done.code != 0:
        raise SystemExit(f"{what} failed with exit code {done.code} after {done.seconds:.0f} s: {tail(done)}")
    return done


def changes(done: Done) -> str:
    """Names of the tasks that changed something."""
    blocks = re.split(r"^TASK \[", done.output, flags=re.M)[1:]
    return "; ".join(block.split("]")[0] for block in blocks if re.search(r"^changed:", block, re.M))


if __name__ == "__main__":
    sys.exit(main())
