# SPDX-License-Identifier: Apache-2.0
"""What cannot work is refused in one line, before anything changes: playbooks, on two names of this machine."""

import json
import re
import socket
import subprocess
from pathlib import Path

import pytest

from conftest import SECRETS, play

GROUPS = {"brokers": ("b1", "b2"), "loaders": ("b1", "b2"), "observability": ("b2",)}


class Deployment:
    """Two hosts that are this machine, by two of its addresses."""

    def __init__(self, place: Path) -> None:
        self.place = place
        (place / ".tailrace" / "dist").mkdir(parents=True)
        (place / ".tailrace" / "dist" / "loadgen.sha256").write_text("0" * 64)
        (place / "load.yaml").write_text("name: load\n")
        hosts = {
            name: {"ansible_connection": "local", "tailrace_address": f"127.0.0.{number}"}
            for number, name in enumerate(GROUPS["brokers"], 1)
        }
        self.inventory = {
            "all": {
                "hosts": hosts,
                "children": {group: {"hosts": dict.fromkeys(names)} for group, names in GROUPS.items()},
                "vars": SECRETS
                | {
                    # The tests do not run as root.
                    "ansible_become": False,
                    "ansible_python_interpreter": "/usr/bin/python3",
                    "tailrace_repository": str(place),
                    "tailrace_home": str(place / "opt"),
                    "tailrace_config": str(place / "etc"),
                    "tailrace_state": str(place / "var"),
                },
            }
        }

    def play(self, playbook: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The playbook as it ended. Fails when it changed anything."""
        (self.place / "hosts.json").write_text(json.dumps(self.inventory))
        done = play(self.place / "hosts.json", f"playbooks/{playbook}.yml", *arguments)
        counts = re.findall(r"changed=(\d+)", done.stdout)
        assert counts, done.stdout[-3000:] + done.stderr[-3000:]
        assert set(counts) == {"0"}, done.stdout[-3000:]
        return done

    def refused(self, playbook: str, *arguments: str) -> str:
        """The one line that a refused playbook prints. Fails when it prints more."""
        done = self.play(playbook, *arguments)
        assert done.returncode != 0, done.stdout[-3000:]
        texts = set(re.findall(r'"msg": "((?:[^"\\]|\\.)*)"', done.stdout))
        messages = {json.loads(f'"{line}"') for line in texts}
        assert not any("\n" in line for line in messages), messages
        return " | ".join(sorted(messages))


@pytest.fixture
def deployment(tmp_path: Path) -> Deployment:
    return Deployment(tmp_path)


def test_too_few_brokers_for_the_replicas(deployment: Deployment) -> None:
    message = deployment.refused("preflight", "-e", "tailrace_replication_factor=3")
    assert "there are 2 brokers; add brokers or lower it" in message


def test_a_secret_that_is_missing(deployment: Deployment) -> None:
    del deployment.inventory["all"]["vars"]["vault_grafana_admin_password"]
    message = deployment.refused("site")
    assert "vault_grafana_admin_password: missing or shorter than 12 characters" in message


def test_a_host_that_does_not_answer(deployment: Deployment) -> None:
    unreachable = {"ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": free_port()}
    deployment.inventory["all"]["hosts"]["b1"].update(unreachable)
    message = deployment.refused("upgrade")
    assert "unreachable: b1; check ansible_host, the network and the SSH key" in message


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def test_clocks_that_are_apart(deployment: Deployment) -> None:
    """One clock has both names, so no distance at all is allowed; a run asks as preflight does."""
    message = deployment.refused("preflight", "-e", '{"tailrace_max_clock_us": -1000000}')
    assert re.search(r"b[12]: its clock is [\d.]+ ms from that of b[12]; -1000.0 ms are allowed; start chrony", message)


@pytest.mark.parametrize(
    ("source", "rest"), [("clickhouse_source", {}), ("vector_source", {"tailrace_warehouse_kind": "warehouse"})]
)
def test_what_this_repository_does_not_build(deployment: Deployment, source: str, rest: dict[str, str]) -> None:
    deployment.inventory["all"]["vars"] |= {"tailrace_source": "repository"} | rest
    assert f"{source}: this repository does not build it; set {source} to vendor" in deployment.refused("site")
    deployment.inventory["all"]["vars"] |= {source: "vendor", "tailrace_grafana": "false"}
    assert f"{source}: this" not in deployment.refused("preflight", "-e", "tailrace_replication_factor=3")


def test_a_drive_that_redpanda_would_leave_alone(deployment: Deployment) -> None:
    deployment.inventory["all"]["vars"]["drives_devices"] = ["nosuch1", "nosuch2"]
    message = deployment.refused("brokers", "-e", "kind=redpanda")
    assert "b1: Redpanda takes one folder, and nosuch1, nosuch2 would be 2; set drives_raid0: true" in message
    assert "no drive nosuch1" in deployment.refused("brokers", "-e", "kind=redpanda", "-e", "drives_raid0=true")


def test_erasing_requires_every_drive_confirmed(deployment: Deployment) -> None:
    deployment.inventory["all"]["vars"]["drives_devices"] = ["nosuch1", "nosuch2"]
    message = deployment.refused("brokers", "-e", "drives_erase=true", "-e", '{"drives_confirm_wipe": ["nosuch1"]}')
    assert """erasing needs every drive confirmed: -e '{"drives_confirm_wipe": ["nosuch1", "nosuch2"]}'""" in message


def test_a_drive_that_is_not_there(deployment: Deployment) -> None:
    message = deployment.refused("brokers", "-e", '{"drives_devices": ["nosuch1"]}')
    assert re.search(r"no drive nosuch1; there are: ", message)


def test_a_rolling_playbook_begins_with_every_broker_up(deployment: Deployment) -> None:
    deployment.inventory["all"]["vars"]["tailrace_ports"] = {"kafka": free_port()}
    message = deployment.refused("rotate_certificates")
    assert "b1: its broker does not answer at 127.0.0.1:" in message


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((), "run_workload: is not given; a path,"),
        (("-e", "run_workload=nosuch.yaml"), "run_workload: no file nosuch.yaml"),
        (("-e", "run_workload=load.yaml", "-e", "run_driver=nosuch.yaml"), "run_driver: no file nosuch.yaml"),
    ],
)
def test_a_run_without_its_files(deployment: Deployment, given: tuple[str, ...], message: str) -> None:
    prepared(deployment)
    assert message in deployment.refused("run", *given)


def test_a_campaign_is_looked_at_as_a_whole_before_its_first_run(deployment: Deployment) -> None:
    prepared(deployment)
    runs = [{"workload": "load.yaml", "driver": "load.yaml"}, {"workload": "nosuch.yaml", "driver": "load.yaml"}]
    message = deployment.refused("campaign", "-e", json.dumps({"campaign": runs}))
    assert "campaign[1].workload: no file nosuch.yaml" in message
    runs[1] = {"workload": "load.yaml", "driver": "load.yaml", "id": "../out"}
    assert "run_id: '../out' has other than" in deployment.refused("campaign", "-e", json.dumps({"campaign": runs}))


def test_drives_that_were_prepared_otherwise(deployment: Deployment) -> None:
    prepared(deployment)
    other = deployment.place / "other"
    other.mkdir()
    (other / "drives.json").write_text('{"devices": ["nvme1n1"]}')
    deployment.inventory["all"]["hosts"]["b2"]["tailrace_config"] = str(other)
    message = deployment.refused("run", "-e", "run_workload=load.yaml")
    assert "b2: its drives were prepared otherwise than those of b1" in message


def prepared(deployment: Deployment) -> None:
    """What brokers.yml leaves behind on a broker."""
    etc, control = deployment.place / "etc", deployment.place / ".tailrace" / "ansible" / deployment.place.name
    (etc / "kafka").mkdir(parents=True)
    control.mkdir(parents=True)
    (etc / "drives.json").write_text('{"devices": []}')
    (etc / "kafka" / "server.properties").write_text("node.id=1\n")


def test_wiping_requires_the_deployments_name(deployment: Deployment) -> None:
    assert "to do it: -e wipe_confirm=" in deployment.refused("wipe")


def test_check_mode_works_on_empty_machines(deployment: Deployment) -> None:
    done = deployment.play("site", "--check")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert done.stdout.count("b1: nothing is deployed here yet") == 4
    assert not (deployment.place / "opt").exists()
