# SPDX-License-Identifier: Apache-2.0
"""ClickHouse on several hosts: each a shard, three of them Keepers, and what each user may do on all of them."""

import json
from pathlib import Path

import pytest
import yaml

from conftest import ANSIBLE, SECRETS, play

HOSTS = {f"o{number}": f"127.0.0.{number}" for number in range(1, 5)}
PLAYBOOK = f"""
- hosts: observability
  connection: local
  gather_facts: false
  roles: [tailrace.lab.tailrace]
  tasks:
    - include_vars: {ANSIBLE}/roles/clickhouse/defaults/main.yml
    - template:
        src: {ANSIBLE}/roles/clickhouse/templates/{{{{ item }}}}.j2
        dest: "{{{{ out }}}}/{{{{ inventory_hostname }}}}-{{{{ item }}}}"
        mode: "0600"
      loop: [config.yaml, users.yaml]
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("cluster")
    hosts = {name: {"ansible_host": address} for name, address in HOSTS.items()}
    variables = SECRETS | {"vault_warehouse_cluster_secret": "secret-of-the-cluster", "out": str(place)}
    variables |= {"ansible_python_interpreter": "/usr/bin/python3", "tailrace_repository": str(place)}
    groups = {name: {"hosts": {"o1": {}}} for name in ("brokers", "loaders")} | {"observability": {"hosts": hosts}}
    (place / "hosts.json").write_text(json.dumps({"all": {"children": groups, "vars": variables}}))
    (place / "play.yml").write_text(PLAYBOOK)
    done = play(place / "hosts.json", place / "play.yml")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return place


def test_every_host_knows_every_shard_and_the_keepers(made: Path) -> None:
    for number, name in enumerate(HOSTS, 1):
        config = yaml.safe_load((made / f"{name}-config.yaml").read_text())
        replicas = [shard["replica"] for shard in config["remote_servers"]["tailrace"]["shard"]]
        assert [(replica["host"], replica["port"]) for replica in replicas] == [(at, 9440) for at in HOSTS.values()]
        assert [node["host"] for node in config["zookeeper"]["node"]] == list(HOSTS.values())[:3]
        assert config["macros"] == {"shard": number, "replica": name}
        assert (config["listen_host"], config["interserver_http_host"]) == (HOSTS[name], HOSTS[name])
        if number <= 3:
            assert config["keeper_server"]["server_id"] == number
            assert len(config["keeper_server"]["raft_configuration"]["server"]) == 3
        else:
            assert "keeper_server" not in config


def test_vector_may_write_to_what_each_shard_holds(made: Path) -> None:
    users = yaml.safe_load((made / "o1-users.yaml").read_text())["users"]
    assert users["tailrace_logs"]["grants"]["query"] == [
        "GRANT INSERT, SELECT ON default.broker_logs",
        "GRANT INSERT, SELECT ON default.broker_logs_local",
    ]
    assert "CREATE VIEW" in users["tailrace_writer"]["grants"]["query"][0]
