# SPDX-License-Identifier: Apache-2.0
"""The hosts from outside: listening ports, and what is left of a deployment."""

from __future__ import annotations

from cluster.hosts import NAMES, Hosts, address

LEFT = (
    "ls -d /opt/tailrace /etc/tailrace /var/lib/tailrace /etc/systemd/system/*tailrace* /etc/*/*tailrace*"
    " /etc/*/*/*tailrace* 2>/dev/null; getent passwd | grep ^tailrace; getent group | grep ^tailrace;"
    " systemctl list-units --all --plain --no-legend 'tailrace-*' | cut -d' ' -f1;"
    " pgrep -af 'tailrace|kafka|victoria' | grep -v pgrep"
)


def open_to_all(hosts: Hosts) -> list[str]:
    """Sockets that listen beyond loopback and the deployment's own address, sshd's apart."""
    found = []
    for name in NAMES:
        for line in hosts.ssh(name, "ss -ltnuH").splitlines():
            local = line.split()[4]
            place, port = local.rsplit(":", 1)
            inside = place.startswith("127.") or place in (address(name), "[::1]", "[::ffff:127.0.0.1]")
            mapped = place == f"[::ffff:{address(name)}]"
            if not (inside or mapped or port == "22"):
                found.append(f"{name} {local}")
    return found


def down(hosts: Hosts) -> list[str]:
    """Services that are enabled and do not run."""
    enabled = "systemctl list-unit-files --plain --no-legend --state=enabled 'tailrace-*.service' | cut -d' ' -f1"
    each = f'for unit in $({enabled}); do echo "$unit $(systemctl is-active $unit)"; done'
    lines = [f"{name} {line}" for name in NAMES for line in hosts.ssh(name, each).splitlines()]
    return [line for line in lines if not line.endswith(" active")]


def left(hosts: Hosts) -> list[str]:
    """Files, users, units and processes of a deployment that are still there."""
    return [f"{name}: {line}" for name in NAMES for line in hosts.ssh(name, LEFT, check=False).splitlines() if line]
