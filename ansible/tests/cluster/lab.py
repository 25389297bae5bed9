# SPDX-License-Identifier: Apache-2.0
"""The deployment that the playbooks see: inventory, vault, and what they report."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cluster.hosts import JVM, NAMES, Hosts, address

ROOT = Path(__file__).resolve().parents[3]
# Three times what the slowest playbook may take, so that nothing that hangs hangs the test.
PATIENCE_S = 1800.0
SECRETS = (
    *(f"vault_warehouse_{role}_password" for role in ("writer", "runner", "reader", "logs")),
    *("vault_metrics_password", "vault_kafka_loadgen_password"),
)
SETTINGS = {
    "ansible_user": "root",
    "tailrace_source": "repository",
    "jdk_home": JVM,
    "tailrace_warehouse_kind": "warehouse",
    "tailrace_metrics_agent": "vmagent",
    "tailrace_grafana": "false",
    "kafka_heap": "256m",
    "loadgen_heap": "256m",
    # In a container without memory accounting the engine counts what the whole machine uses.
    "warehouse_max_memory": "12GiB",
    "victoriametrics_memory": "64MB",
    # What a container may not: the host's clock, most kernel settings, eBPF.
    "common_control_clock": "false",
    "common_sysctl": "{net.core.somaxconn: 4096}",
    "ioprobe_capabilities": "[]",
    "kafka_settings": "{offsets.topic.num.partitions: 4, transaction.state.log.num.partitions: 4}",
}


@dataclass(frozen=True)
class Done:
    """How a playbook ended. ``changed`` counts tasks over all hosts."""

    code: int
    changed: int
    seconds: float
    output: str


class Lab:
    def __init__(self, hosts: Hosts, folder: Path) -> None:
        self._hosts = hosts
        self.inventory = folder / "threehosts"
        self.results = folder / "results"
        self._vault_key = folder / "vault.key"
        self.secrets = {name: secrets.token_urlsafe(24) for name in SECRETS}

    def write(self) -> None:
        """The inventory, with an encrypted vault as a user has it."""
        group_vars = self.inventory / "group_vars" / "all"
        group_vars.mkdir(parents=True, exist_ok=True)
        lines = ["all:", "  children:"]
        groups = {"brokers": NAMES, "loaders": NAMES[:2], "observability": NAMES[2:]}
        for group, names in groups.items():
            lines.append(f"    {group}: {{hosts: {{{', '.join(f'{name}: ' for name in names)}}}}}")
        lines.append("  hosts:")
        lines += [f"    {name}: {{ansible_host: {address(name)}}}" for name in NAMES]
        lines.append("  vars:")
        lines += [f"    {name}: {value}" for name, value in SETTINGS.items()]
        lines.append(f"    ansible_ssh_private_key_file: {self._hosts.key}")
        lines.append(f"    ansible_ssh_common_args: -o UserKnownHostsFile={self._hosts.known}")
        (self.inventory / "hosts.yml").write_text("\n".join(lines) + "\n")
        self._vault_key.write_text(secrets.token_urlsafe(24))
        self._vault_key.chmod(0o600)
        vault = group_vars / "vault.yml"
        vault.write_text("".join(f"{name}: {value}\n" for name, value in self.secrets.items()))
        vault.chmod(0o600)
        subprocess.run(
            ["ansible-vault", "encrypt", "--vault-password-file", str(self._vault_key), str(vault)],
            check=True,
            capture_output=True,
        )

    def playbook(self, name: str, *arguments: str) -> Done:
        """The playbook's end. Raises TimeoutError after ``PATIENCE_S``."""
        return self.finish(self.begin(name, *arguments))

    def begin(self, name: str, *arguments: str) -> Playing:
        command: Sequence[str] = (
            *("ansible-playbook", "-i", str(self.inventory), "--vault-password-file", str(self._vault_key)),
            *(str(ROOT / "ansible" / "playbooks" / f"{name}.yml"), *arguments),
        )
        log = self.inventory.parent / f"{name}-{len(list(self.inventory.parent.glob(f'{name}-*.log')))}.log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                self._hosts.inside(*command),
                cwd=ROOT / "ansible",
                stdout=out,
                stderr=subprocess.STDOUT,
                env=os.environ | {"ANSIBLE_NOCOLOR": "1"},
            )
        return Playing(process, log, time.monotonic())

    def finish(self, playing: Playing) -> Done:
        try:
            code = playing.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            playing.process.terminate()
            playing.process.wait()
            raise TimeoutError(f"{playing.log}: not ended after {PATIENCE_S:.0f} s; see its last lines") from None
        output = playing.log.read_text(errors="replace")
        changed = sum(int(n) for n in re.findall(r"^\S+\s+: ok=\d+\s+changed=(\d+)", output, re.M))
        leaked = [name for name, value in self.secrets.items() if value in output]
        if leaked:
            raise AssertionError(f"{playing.log}: shows {', '.join(leaked)}")
        return Done(code, changed, time.monotonic() - playing.began, output)


@dataclass(frozen=True)
class Playing:
    """A playbook under way."""

    process: subprocess.Popen[bytes]
    log: Path
    began: float


def tail(done: Done) -> str:
    """What failed, in its own words."""
    return "\n".join(line for line in done.output.splitlines() if re.match(r"fatal|failed|\[ERROR\]", line))[-3000:]
