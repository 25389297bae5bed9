# SPDX-License-Identifier: Apache-2.0
"""Every configuration file is read by the program it is for, where that program can be had here."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from conftest import ANSIBLE, BROKER, HOME, LOADER, OBSERVABILITY, SECRETS


def run(*command: object, env: dict[str, str] | None = None) -> tuple[int, str]:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, env=os.environ | (env or {})
    )
    return done.returncode, done.stdout + done.stderr


def kafka_reads(settings: Path) -> str:
    """What Kafka complains of in a broker's settings; empty when it takes them."""
    java = ["java", "-Xmx128m", "-XX:TieredStopAtLevel=1", "-Dlog4j2.level=error", "-cp", f"{HOME}/kafka/libs/*"]
    _code, output = run(*java, "kafka.tools.StorageTool", "info", "--config", settings)
    return "\n".join(line for line in output.splitlines() if "Exception" in line)


def test_kafka_takes_its_settings(rendered: Path) -> None:
    assert kafka_reads(rendered / BROKER / "kafka" / "server.properties") == ""


def test_kafka_refuses_settings_that_are_wrong(rendered: Path, tmp_path: Path) -> None:
    settings = (rendered / BROKER / "kafka" / "server.properties").read_text()
    wrong = tmp_path / "server.properties"
    wrong.write_text(settings.replace("node.id=2", "node.id=two"))
    assert "node.id" in kafka_reads(wrong) or "broker.id" in kafka_reads(wrong)


def test_brokers_show_each_other_certificates_and_know_all_voters(rendered: Path) -> None:
    lines = (rendered / BROKER / "kafka" / "server.properties").read_text().splitlines()
    settings = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    assert settings["controller.quorum.voters"] == "1@10.20.1.11:9093,2@10.20.1.12:9093,3@10.20.1.13:9093"
    assert settings["listener.security.protocol.map"] == "CLIENT:SASL_SSL,INTERNAL:SSL,CONTROLLER:SSL"
    assert settings["listener.name.internal.ssl.client.auth"] == "required"
    assert settings["listener.name.controller.ssl.client.auth"] == "required"
    assert all("10.20.1.12:" in listener for listener in settings["listeners"].split(","))
    assert (settings["default.replication.factor"], settings["min.insync.replicas"]) == ("3", "2")
    assert settings["num.replica.fetchers"] == "8"


def test_request_rows_add_the_agent_to_the_broker(rendered: Path) -> None:
    """Off by default; the agent speaks to the collector with the broker's own certificate."""
    added = json.loads((rendered / f"{BROKER}-agent.json").read_text())
    (option,) = added["options"]
    jar, settings = option.removeprefix("-javaagent:").split("=", 1)
    assert jar.endswith("/brokeragent/agent/brokeragent.jar")
    given = dict(each.split("=", 1) for each in settings.split(","))
    assert (given["broker"], given["collector"]) == ("2", "https://10.20.1.31:4318")
    assert given["shipping"].endswith("/brokeragent/shipping")
    names = {each.split("=")[0] for each in added["environment"]}
    assert names == {f"OTEL_EXPORTER_OTLP_{name}" for name in ("CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY")}
    assert yaml.safe_load((ANSIBLE / "roles/kafka/defaults/main.yml").read_text())["kafka_request_rows"] is False


def test_the_collector_takes_its_configuration(rendered: Path) -> None:
    secrets = {"WAREHOUSE_PASSWORD": "x", "METRICS_CREDENTIALS": "x"}
    config = rendered / OBSERVABILITY / "collector" / "collector.yaml"
    assert run(HOME / "bin" / "tailrace-collector", "validate", "--config", config, env=secrets) == (0, "")
    receiver = yaml.safe_load(config.read_text())["receivers"]["otlp"]["protocols"]["http"]
    assert receiver["tls"]["client_ca_file"].endswith("/tls/ca.pem")


@pytest.mark.parametrize("host", [BROKER, OBSERVABILITY])
def test_vmagent_takes_what_it_scrapes(rendered: Path, host: str) -> None:
    config = rendered / host / "vmagent" / "scrape.yml"
    flags = ("-dryRun", "-loggerLevel=ERROR", "-remoteWrite.url=http://127.0.0.1:9/")
    assert run(HOME / "bin" / "vmagent", *flags, f"-promscrape.config={config}") == (0, "")
    jobs = {job["job_name"]: job["static_configs"][0] for job in yaml.safe_load(config.read_text())["scrape_configs"]}
    own = {"kafka"} if host == BROKER else {"collector", "warehouse"}
    assert set(jobs) == {"node", "ioprobe", "procprobe"} | own
    assert {labels["labels"]["host"] for labels in jobs.values()} == {host}


def test_vmalert_takes_every_rule(rendered: Path, tmp_path: Path) -> None:
    files = json.loads((rendered / OBSERVABILITY / "victoriametrics" / "rules.json").read_text())
    assert len(files) == len(list((ANSIBLE.parent / "dashboards" / "alerts").glob("*.yaml"))) > 0
    for file in files:
        path = tmp_path / Path(file["dest"]).name
        path.write_text(file["content"])
        command = file["validate"].replace("%s", str(path)).split()
        words = [str(HOME / "bin" / "vmalert") if word.endswith("/vmalert") else word for word in command]
        assert run(*words)[0] == 0, path.name


@pytest.mark.parametrize("host", [BROKER, OBSERVABILITY])
def test_what_vector_reads_from_is_there(rendered: Path, host: str) -> None:
    config = yaml.safe_load((rendered / host / "vector" / "vector.yaml").read_text())
    known = set(config["sources"]) | set(config["transforms"])
    for part in (*config["transforms"].values(), *config["sinks"].values()):
        for name in part["inputs"]:
            matching = {
                other for other in known if other == name or (name.endswith("*") and other.startswith(name[:-1]))
            }
            assert matching, name
    assert all(sink["buffer"]["type"] == "disk" for sink in config["sinks"].values())
    assert config["sinks"]["metrics"]["batch"]["aggregate"] is False
    assert ("gc_file" in config["sources"]) == (host == BROKER)


def test_vector_s_own_tests_know_when_a_line_was_written(rendered: Path) -> None:
    """A field of JSON would be text, and the program would take the time of the test."""
    tests = yaml.safe_load((rendered / BROKER / "vector" / "tests.yaml").read_text())["tests"]
    sources = [test["inputs"][0] for test in tests if test["inputs"][0]["insert_at"] == "journal_rows"]
    assert len(sources) == 5
    for source in sources:
        assert source["type"] == "vrl"
        event, time = source["source"].strip().splitlines()
        assert event.startswith(". = {")
        assert re.fullmatch(r"\.timestamp = t'2026-01-31T12:00:00(\.123456)?Z'", time)


def test_vector_reads_where_kafka_s_garbage_collector_writes(rendered: Path) -> None:
    """And may: the folder is the group's that the role vector puts its user in."""
    config = yaml.safe_load((rendered / BROKER / "vector" / "vector.yaml").read_text())
    (read,) = config["sources"]["gc_file"]["include"]
    kafka = ANSIBLE / "roles" / "kafka"
    assert read.endswith("/gc/kafka.log")
    assert "'-Xlog:gc*:file=' ~ tailrace_state ~ '/gc/kafka.log:" in (kafka / "tasks" / "run.yml").read_text()
    (task,) = [
        task
        for task in yaml.safe_load((kafka / "tasks" / "configure.yml").read_text())
        if task.get("ansible.builtin.file", {}).get("path") == "{{ tailrace_state }}/gc"
    ]
    assert "kafka_log_readers" in task["ansible.builtin.file"]["group"]
    defaults = yaml.safe_load((kafka / "defaults" / "main.yml").read_text())
    vector = (ANSIBLE / "roles" / "vector" / "tasks" / "main.yml").read_text()
    assert f"'{defaults['kafka_log_readers']}'" in vector


def test_clickhouse_users_have_rights_of_their_own_and_no_readable_password(rendered: Path) -> None:
    users = yaml.safe_load((rendered / OBSERVABILITY / "clickhouse" / "users.yaml").read_text())["users"]
    assert users["tailrace_logs"]["grants"]["query"] == ["GRANT INSERT, SELECT ON default.broker_logs"]
    assert users["tailrace_reader"]["profile"] == "reader"
    assert users["default"] == {"@remove": "remove"}


def test_redpanda_gets_the_same_brokers(rendered: Path) -> None:
    node = json.loads((rendered / BROKER / "redpanda" / "redpanda.yaml").read_text())["redpanda"]
    assert [seed["host"]["address"] for seed in node["seed_servers"]] == ["10.20.1.11", "10.20.1.12", "10.20.1.13"]
    assert node["admin"][0]["address"] == "127.0.0.1"
    assert node["kafka_api"][0]["authentication_method"] == "sasl"
    assert json.loads((rendered / BROKER / "redpanda" / "bootstrap.yaml").read_text())["enable_sasl"] is True


def test_redpanda_s_unit_waits_for_its_drive_and_is_not_healed(rendered: Path) -> None:
    lines = (rendered / BROKER / "redpanda" / "redpanda.service").read_text().splitlines()
    assert {"RequiresMountsFor=/var/lib/tailrace/drives/1/redpanda", "Restart=no"} <= set(lines)


def test_passwords_are_only_where_their_program_needs_them(rendered: Path) -> None:
    holders = {
        f"{path.parent.name}/{path.name}"
        for path in rendered.rglob("*")
        if path.is_file() and any(secret in path.read_text() for secret in SECRETS.values())
    }
    assert holders == {"kafka/format.args", "loadgen/environment", "grafana/datasources.yaml"}


def test_shell_scripts_are_sound(rendered: Path) -> None:
    shellcheck = HOME / "venv" / "bin" / "shellcheck"
    for script in (rendered / BROKER / "common" / "clock-offset.sh", rendered / LOADER / "loadgen" / "tailrace"):
        assert run(shellcheck, "--exclude=SC1091", script) == (0, "")
