# SPDX-License-Identifier: Apache-2.0
"""One host after the other: certificates are rotated, brokers upgraded; every host returns, no replica stays behind."""

from __future__ import annotations

import subprocess
import time

from cluster import state
from cluster.hosts import JVM, NAMES, Hosts, address
from cluster.lab import ROOT, Lab, tail

VERSION = "rolled"
# For the broker that the run before had stopped.
RETURN_S = 180.0
# Certificate of the host's file, as port 0, and of each port that listens on the deployment's network.
SERVED = (
    "show() { openssl x509 -noout -fingerprint -sha256 2>/dev/null; };"
    'echo "0 $(show </etc/tailrace/tls/host.crt)";'
    " for port in $(ss -Hltn | awk '{print $4}' | grep -F ADDRESS | sed 's/.*://' | grep -vx 22 | sort -u); do"
    ' echo "$port $(timeout 9 openssl s_client -connect ADDRESS:$port </dev/null 2>/dev/null | show)"; done'
)
BROKER = "systemctl show tailrace-kafka --value --property"


def rotate(hosts: Hosts, lab: Lab) -> tuple[float, list[str]]:
    """How long it took, seconds, and what went wrong."""
    faults = behind(hosts, lab, RETURN_S)
    before = served(hosts)
    done = lab.playbook("rotate_certificates")
    if done.code != 0:
        return done.seconds, [*faults, f"rotate_certificates.yml failed: {tail(done)}"]
    after = served(hosts)
    if after.keys() != before.keys():
        faults.append(f"other ports after the rotation: {sorted(after.keys() ^ before.keys())}")
    for (name, port), shown in after.items():
        if not shown or shown == before.get((name, port)):
            faults.append(f"{name}:{port} shows no certificate that is new")
        elif shown != after[name, "0"]:
            faults.append(f"{name}:{port} shows another certificate than the host has")
    return done.seconds, faults + settled(hosts, lab)


def upgrade(hosts: Hosts, lab: Lab) -> tuple[float, list[str]]:
    """To a version that is the same Kafka under another name: how long it took, seconds, and what went wrong."""
    before = started(hosts)
    done = lab.playbook("upgrade", "-e", f"kafka_version={VERSION}")
    if done.code != 0:
        return done.seconds, [f"upgrade.yml failed: {tail(done)}"]
    after = started(hosts)
    faults = [f"{name}: its broker was not restarted" for name in NAMES if after[name] <= before[name]]
    if sorted(NAMES, key=lambda name: after[name]) != list(NAMES):
        faults.append(f"brokers were not restarted one after the other: {after}")
    for name in NAMES:
        running = hosts.ssh(name, f"tr '\\0' ' ' </proc/$({BROKER} MainPID)/cmdline")
        if f"/opt/tailrace/kafka-{VERSION}/libs/" not in running:
            faults.append(f"{name}: its broker runs something else: {running}")
    return done.seconds, faults + settled(hosts, lab)


def settled(hosts: Hosts, lab: Lab) -> list[str]:
    return [f"not running: {unit}" for unit in state.down(hosts)] + behind(hosts, lab)


def served(hosts: Hosts) -> dict[tuple[str, str], str]:
    """Fingerprint of the certificate by host and port; port 0 is the host's file."""
    found = {}
    for name in NAMES:
        for line in hosts.ssh(name, SERVED.replace("ADDRESS", address(name))).splitlines():
            port, _, fingerprint = line.partition(" ")
            found[name, port] = fingerprint
    return found


def started(hosts: Hosts) -> dict[str, int]:
    """When each broker was started, µs of the clock that all hosts share."""
    return {name: int(hosts.ssh(name, f"{BROKER} ActiveEnterTimestampMonotonic")) for name in NAMES}


def behind(hosts: Hosts, lab: Lab, patience_s: float = 0.0) -> list[str]:
    """Partitions whose replicas are not all in sync; polled until the timeout, each time by a new JVM."""
    deadline = time.monotonic() + patience_s
    while (found := replicas(hosts, lab)) and time.monotonic() < deadline:
        pass
    return found


def replicas(hosts: Hosts, lab: Lab) -> list[str]:
    """The brokers' answer, asked with the first broker's certificate."""
    pki = ROOT / ".tailrace" / "ansible" / lab.inventory.name / "pki"
    config = lab.inventory.parent / "admin.properties"
    config.write_text(
        f"bootstrap.servers={','.join(f'{address(name)}:9094' for name in NAMES)}\nsecurity.protocol=SSL\n"
        f"ssl.keystore.type=PEM\nssl.keystore.location={pki / NAMES[0]}.pem\n"
        f"ssl.truststore.type=PEM\nssl.truststore.location={pki / 'ca.pem'}\n"
    )
    libs = ROOT / ".tailrace" / "kafka" / "libs" / "*"
    source = ROOT / "ansible" / "tests" / "cluster" / "Replicas.java"
    java = [f"{JVM}/bin/java", "-Dlog4j2.level=error", "-cp", str(libs), str(source), str(config), "rolling"]
    done = subprocess.run(hosts.inside(*java), capture_output=True, text=True, check=False, timeout=RETURN_S)
    lines = done.stdout.splitlines()
    if done.returncode != 0 or not lines or not lines[-1].startswith("partitions="):
        return [f"brokers do not report their replicas: {(done.stderr or done.stdout).strip()[-1000:]}"]
    return [line for line in lines if line.startswith("behind: ")]
