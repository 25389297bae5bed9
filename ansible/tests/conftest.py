# SPDX-License-Identifier: Apache-2.0
"""Configuration files as the roles write them, for the hosts of the six-machine inventory."""

import json
import os
import subprocess
from pathlib import Path

import pytest

ANSIBLE = Path(__file__).resolve().parents[1]
HOME = ANSIBLE.parent / ".tailrace"
SECRETS = {
    f"vault_{name}_password": f"secret-of-{name}-0123456789"
    for name in (
        *("warehouse_writer", "warehouse_runner", "warehouse_reader", "warehouse_logs"),
        *("metrics", "kafka_loadgen", "grafana_admin"),
    )
}
BROKER, OBSERVABILITY, LOADER = "broker2", "observability1", "client1"
TEMPLATES = {
    "brokers": [
        *(f"kafka/{name}" for name in ("server.properties", "format.args", "log4j2.yaml")),
        *("redpanda/redpanda.yaml", "redpanda/bootstrap.yaml", "redpanda/redpanda.service"),
        *("vmagent/scrape.yml", "vector/vector.yaml", "vector/tests.yaml"),
        *("common/clock-offset.sh", "common/chrony.conf"),
    ],
    "observability": [
        *("warehouse/users.yaml", "clickhouse/config.yaml", "clickhouse/users.yaml", "collector/collector.yaml"),
        *("vmagent/scrape.yml", "vector/vector.yaml", "grafana/datasources.yaml", "victoriametrics/rules.json"),
    ],
    "loaders": ["loadgen/environment", "loadgen/tailrace"],
}


def issue(authority: Path, *arguments: str) -> str:
    """A certificate by the role pki's own program; what it prints."""
    script = ANSIBLE / "roles" / "pki" / "files" / "issue.sh"
    done = subprocess.run([script, authority, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def play(inventory: Path | str, playbook: Path | str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """The finished playbook with its output."""
    return subprocess.run(
        ["ansible-playbook", "-i", str(inventory), str(playbook), *map(str, arguments)],
        cwd=ANSIBLE,
        env=os.environ | {"ANSIBLE_NOCOLOR": "1", "ANSIBLE_DISPLAY_FAILED_STDERR": "false"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``rendered/HOST/ROLE/FILE``, and ``etc`` as a broker's /etc/tailrace with its own certificates."""
    place = tmp_path_factory.mktemp("lab")
    authority, tls = place / "control" / "pki", place / "etc" / "tls"
    issue(authority, BROKER, "127.0.0.1", "90", "30")
    tls.mkdir(parents=True)
    (tls / "ca.pem").write_bytes((authority / "ca.pem").read_bytes())
    for kind in ("key", "crt", "pem"):
        (tls / f"host.{kind}").write_bytes((authority / f"{BROKER}.{kind}").read_bytes())
    variables = SECRETS | {
        "render_out": str(place / "rendered"),
        "render_templates": TEMPLATES,
        "tailrace_source": "repository",
        "tailrace_config": str(place / "etc"),
        "tailrace_control_dir": str(place / "control"),
    }
    (place / "variables.json").write_text(json.dumps(variables))
    hosts = ",".join((BROKER, OBSERVABILITY, LOADER))
    done = play("inventories/aws", "tests/render.yml", "-l", hosts, "-e", f"@{place}/variables.json")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return place


@pytest.fixture(scope="session")
def rendered(place: Path) -> Path:
    return place / "rendered"
