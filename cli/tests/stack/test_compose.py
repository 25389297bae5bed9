# SPDX-License-Identifier: Apache-2.0
"""stack/compose.yaml, which was never run, against its specification and the one-machine stack."""

import re
import subprocess
import sys
from typing import Any

import pytest
import yaml

from tailrace.stack.lifecycle import ELSEWHERE, is_up
from tailrace.stack.paths import PORT_NAMES, REPO_ROOT, StackPaths

STACK = REPO_ROOT / "stack"
FILE = STACK / "compose.yaml"
# Ours to choose, so not among the ports that every stack has to name.
OWN_VARIABLES = {
    *("WAREHOUSE_USER", "WAREHOUSE_PASSWORD", "WAREHOUSE_READER_PASSWORD"),
    *("GRAFANA_PASSWORD", "GRAFANA_PORT"),
    *("TAILRACE_SLO_P99_MS", "TAILRACE_HOST", "TAILRACE_VM_URL", "BROKER_KIND"),
    *("REDPANDA_CORES", "REDPANDA_MEMORY", "REDPANDA_ADMIN_PORT", "REDPANDA_RPC_PORT"),
}
BROKERS = ("kafka", "redpanda")


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    found = yaml.safe_load(FILE.read_text(encoding="utf-8"))["services"]
    assert isinstance(found, dict)
    return found


def validated(text: str) -> "subprocess.CompletedProcess[str]":
    schema = ["--builtin-schema", "vendor.compose-spec", "--default-filetype", "yaml"]
    command = [sys.executable, "-m", "check_jsonschema", *schema]
    return subprocess.run([*command, "-"], input=text, capture_output=True, text=True, check=False)


def test_it_follows_the_compose_specification() -> None:
    text = FILE.read_text(encoding="utf-8")
    done = validated(text)
    assert done.returncode == 0, done.stdout
    # The schema is in use: it refuses an unknown key.
    assert validated(text.replace("pid: host", "pit: host", 1)).returncode == 1


def test_images_are_pinned_and_secrets_have_no_default(services: dict[str, Any]) -> None:
    for name, service in services.items():
        image, _, tag = service["image"].rpartition(":")
        assert image, name
        assert re.search(r"\d+\.\d+", tag), (name, tag)
        assert "latest" not in tag
    text = FILE.read_text(encoding="utf-8")
    for secret in re.findall(r"\$\{(\w*PASSWORD)([^}]*)\}", text):
        assert secret[1].startswith(":?"), secret


def test_ports_come_from_the_ports_file_and_nothing_listens_elsewhere(
    services: dict[str, Any],
) -> None:
    text = FILE.read_text(encoding="utf-8")
    for name in re.findall(r"(?<!\$)\$\{(\w+)", text) + re.findall(r"\$\$(\w+_PORT)", text):
        assert name in PORT_NAMES or name in OWN_VARIABLES, name
    # No port is published: all share the host's network and bind to the loopback.
    assert not [name for name, service in services.items() if "ports" in service]
    assert {service["network_mode"] for service in services.values()} == {"host"}
    listening = re.findall(r"(?:listen-address|httpListenAddr|--listen)[= ]([\d.]+)", text)
    assert len(listening) == 4
    assert set(listening) == {"127.0.0.1"}


@pytest.mark.parametrize(
    ("name", "moved"),
    [
        ("node-exporter", {"--path.rootfs", "--collector.textfile.directory"}),
        ("victoria-metrics", {"-storageDataPath", "-promscrape.config"}),
    ],
)
def test_flags_are_those_of_the_stack_without_containers(services: dict[str, Any], name: str, moved: set[str]) -> None:
    stack = yaml.safe_load((STACK / "process-compose.yaml").read_text(encoding="utf-8"))
    theirs = flags(stack["processes"][name]["entrypoint"][1:])
    ours = flags(services[name]["command"])
    assert {k: v for k, v in ours.items() if k not in moved} == {k: v for k, v in theirs.items() if k not in moved}


def flags(words: list[str]) -> dict[str, str]:
    """Flag → value, variables by their names alone."""
    parted = (word.partition("=") for word in words)
    return {name: re.sub(r"\$\{(\w+)[^}]*\}", r"\1", value) for name, _, value in parted}


def test_the_broker_is_kafka_or_redpanda(services: dict[str, Any]) -> None:
    brokers = {name: service["profiles"] for name, service in services.items() if name in BROKERS}
    assert brokers == {name: [name] for name in BROKERS}
    for kind in BROKERS:
        assert (STACK / kind / "scrape.yml").exists()
    # Whichever it is, it listens where the load generators look, and nowhere but here.
    text = yaml.safe_load(FILE.read_text(encoding="utf-8"))["configs"]["redpanda"]["content"]
    node = yaml.safe_load(re.sub(r"\$\{(\w+)[^}]*\}", r"\1", text))["redpanda"]
    assert node["kafka_api"] == node["advertised_kafka_api"]
    assert node["kafka_api"] == [{"address": "127.0.0.1", "port": "KAFKA_PORT"}]
    assert {node["rpc_server"]["address"], node["admin"][0]["address"]} == {"127.0.0.1"}
    # Its admin page is the one that is scraped.
    assert services["victoria-metrics"]["environment"]["REDPANDA_ADMIN_ADDRESS"] == (
        f"127.0.0.1:${{{node['admin'][0]['port']}:-19644}}"
    )


def test_grafana_reads_as_a_user_who_cannot_write(services: dict[str, Any]) -> None:
    grafana = services["grafana"]["environment"]
    assert not {"WAREHOUSE_USER", "WAREHOUSE_PASSWORD"} & set(grafana)
    mounted = [volume.split(":") for volume in services["clickhouse"]["volumes"]]
    (source,) = [source for source, target, *_ in mounted if "/users.d/" in target]
    rights = yaml.safe_load((STACK / source).read_text(encoding="utf-8"))
    ((name, user),) = rights["users"].items()
    assert name == grafana["WAREHOUSE_READER"]
    assert user["password"] == {"@from_env": "WAREHOUSE_READER_PASSWORD"}
    assert services["clickhouse"]["environment"]["WAREHOUSE_READER_PASSWORD"] == (grafana["WAREHOUSE_READER_PASSWORD"])
    assert rights["profiles"][user["profile"]]["readonly"] == 2
    assert user["grants"] == {"query": ["GRANT SELECT ON default.*"]}
    # What the data sources are filled in with is what this Grafana is given, and nothing is left.
    sources = REPO_ROOT / "dashboards" / "provisioning" / "datasources" / "tailrace.yaml"
    names = set(re.findall(r"\$\{(\w+)\}", sources.read_text(encoding="utf-8").split("apiVersion")[1]))
    assert names <= set(grafana) | set(PORT_NAMES)
    assert {"WAREHOUSE_READER", "WAREHOUSE_READER_PASSWORD"} <= names


def test_what_is_mounted_is_there(services: dict[str, Any]) -> None:
    for name, service in services.items():
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            # What make set-up and the first start make is not in the repository.
            if source.startswith(".") and ".tailrace" not in source:
                assert (STACK / source).exists(), (name, source)


def test_a_stack_that_is_elsewhere_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = StackPaths.load({"TAILRACE_STATE": "/nonexistent"})
    assert not is_up(paths)
    monkeypatch.setenv(ELSEWHERE, "1")
    assert is_up(paths)
