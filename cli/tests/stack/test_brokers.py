# SPDX-License-Identifier: Apache-2.0
"""What a stack of three brokers is, without starting one: addresses, settings, processes."""

import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from tailrace.errors import BadInput
from tailrace.runs.options import default_driver
from tailrace.stack.api import StackPaths, is_stack_broker, partition_bytes, with_brokers
from tailrace.stack.brokers import state_of
from tailrace.stack.lifecycle import only_one
from tailrace.stack.paths import MORE_PORT_NAMES, PORT_NAMES, REPO_ROOT
from tailrace.stack.preflight import check_all, port_problems
from tailrace.stack.supervisor import ProcessState

STACK = REPO_ROOT / "stack"


@pytest.fixture
def one(tmp_path: Path) -> StackPaths:
    return StackPaths.load({"TAILRACE_STATE": str(tmp_path / "state")})


@pytest.fixture
def three(one: StackPaths) -> StackPaths:
    return replace(one, brokers=3)


def test_a_run_finds_all_brokers_of_the_stack_and_no_others(one: StackPaths, three: StackPaths) -> None:
    ports = [one.ports[name] for name in ("KAFKA_PORT", "KAFKA_2_PORT", "KAFKA_3_PORT")]
    assert three.broker_servers() == ",".join(f"127.0.0.1:{port}" for port in ports)
    assert one.broker_servers() == f"127.0.0.1:{ports[0]}"
    assert is_stack_broker(three, three.broker_servers())
    assert is_stack_broker(three, three.broker_servers("TLS_PORT"))
    assert not is_stack_broker(one, three.broker_servers())


def test_data_of_one_broker_and_of_three_are_apart(one: StackPaths, three: StackPaths) -> None:
    folders = [three.broker_log_dir(broker) for broker in three.broker_ids]
    assert len({*folders, one.broker_log_dir(1)}) == 4
    assert one.broker_log_dir(1) == one.data / "kafka"
    assert not any(folder.is_relative_to(one.broker_data) for folder in folders)


def test_the_number_that_runs_is_remembered_until_the_stack_is_down(one: StackPaths) -> None:
    one.run.mkdir(parents=True)
    one.brokers_file.write_text("3\n")
    found = StackPaths.load({"TAILRACE_STATE": str(one.state)})
    assert found.brokers == 3
    # Nothing runs: a crash left the file, and `tailrace up` starts one broker.
    assert with_brokers(found, None).brokers == 1
    assert with_brokers(found, 3).brokers == 3


def test_a_run_without_a_driver_file_is_replicated_on_three_brokers_only(one: StackPaths, three: StackPaths) -> None:
    assert default_driver(one).name == "kafka.yaml"
    driver = yaml.safe_load(default_driver(three).read_text())
    assert driver["replicationFactor"] == 3
    assert driver["topicConfig"] == "min.insync.replicas=2\n"
    assert "acks=all" in driver["producerConfig"]
    assert partition_bytes(three, {}) == partition_bytes(one, {})


def test_a_ports_file_of_one_broker_does_not_name_those_of_three(one: StackPaths, three: StackPaths) -> None:
    few = {name: one.ports[name] for name in PORT_NAMES}
    assert set(one.used_ports) == set(few)
    assert set(three.used_ports) == {*PORT_NAMES, *MORE_PORT_NAMES}
    with pytest.raises(BadInput, match=r"KAFKA_2_PORT, .* missing for brokers 2 and 3; add a line"):
        check_all(replace(three, ports=few))
    assert not any("missing" in line for line in port_problems(replace(one, ports=few)))


def test_a_broker_is_named_only_where_the_stack_runs(three: StackPaths) -> None:
    with pytest.raises(BadInput, match="the stack is down; start it with: tailrace up"):
        state_of(three, 2)


def test_a_number_that_no_broker_has_names_none(
    one: StackPaths, three: StackPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = [ProcessState(name, "Running", "Ready", 7, 0, 0) for name in ("kafka", "kafka-1", "kafka-2", "kafka-3")]
    monkeypatch.setattr("tailrace.stack.supervisor.states", lambda _paths: running)
    assert (state_of(one, 1).name, state_of(three, 1).name, state_of(three, 3).name) == ("kafka", "kafka-1", "kafka-3")
    with pytest.raises(BadInput, match="the stack has 1 broker, no broker 2"):
        state_of(one, 2)
    with pytest.raises(BadInput, match="the stack has 3 brokers, no broker 0"):
        state_of(three, 0)


def test_brokers_may_be_killed_while_another_starts_but_not_while_the_stack_stops(three: StackPaths) -> None:
    with only_one(three, others=True), only_one(three, others=True):
        pass
    with only_one(three), pytest.raises(BadInput, match="another tailrace command"), only_one(three, others=True):
        pass


@pytest.mark.parametrize(("stopped", "word"), [(True, "stopped"), (False, "died, exit -1")])
def test_a_broker_that_the_user_stopped_did_not_die(stopped: bool, word: str) -> None:
    state = ProcessState("kafka-2", "Completed", "-", 0, 0, -1, stopped)
    assert (state.ready, state.broken, state.word) == (False, not stopped, word)


def test_three_brokers_are_started_as_one_is() -> None:
    base = yaml.safe_load((STACK / "process-compose.yaml").read_text())
    more = yaml.safe_load((STACK / "three-brokers.yaml").read_text())
    kafka = base["processes"]["kafka"]
    processes = more["processes"]
    assert processes.pop("kafka") == {"disabled": True}
    assert processes.pop("victoria-metrics") == {"environment": ["BROKER_KIND=kafka/three"]}
    assert sorted(processes) == ["kafka-1", "kafka-2", "kafka-3"]
    for name, process in processes.items():
        assert process["log_location"] == kafka["log_location"].replace("kafka.log", f"{name}.log")
        assert process["environment"][0] == f"KAFKA_BROKER_ID={name[-1]}"
        assert {**process, "log_location": 0, "environment": 0} == {**kafka, "log_location": 0, "environment": 0}
    text = (STACK / "three-brokers.yaml").read_text()
    assert set(re.findall(r"\$\{(KAFKA_\w+)\}", text)) == set(MORE_PORT_NAMES)


def test_three_brokers_are_scraped_as_one_is() -> None:
    (one,) = yaml.safe_load((STACK / "kafka" / "scrape.yml").read_text())
    (three,) = yaml.safe_load((STACK / "kafka" / "three" / "scrape.yml").read_text())
    targets = [(config["targets"], config["labels"]) for config in three.pop("static_configs")]
    names = ("KAFKA_JMX_PORT", "KAFKA_2_JMX_PORT", "KAFKA_3_JMX_PORT")
    expected = [
        ([f"127.0.0.1:%{{{name}}}"], {"host": "localhost", "broker": str(number)})
        for number, name in enumerate(names, start=1)
    ]
    assert targets == expected
    del one["static_configs"]
    assert three == one


@pytest.mark.parametrize(
    ("brokers", "command", "group"),
    [
        (None, "java kafka.Kafka /x/stack/kafka/server.properties", "broker"),
        ("3", "java kafka.Kafka /x/run/broker-2/server.properties", "broker-2"),
    ],
)
def test_procprobe_tells_brokers_apart(tmp_path: Path, brokers: str | None, command: str, group: str) -> None:
    program = tmp_path / "bin" / "tailrace-procprobe"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    program.chmod(0o700)
    env = {"PATH": os.environ["PATH"], "TAILRACE_HOME": str(tmp_path), "TAILRACE_STATE": "/x", "PROCPROBE_PORT": "1"}
    env |= {"KAFKA_BROKERS": brokers} if brokers else {}
    done = subprocess.run([STACK / "procprobe" / "start.sh"], env=env, capture_output=True, text=True, check=True)
    words = [word.partition("=")[2].partition("=") for word in done.stdout.splitlines() if word.startswith("--process")]
    assert [name for name, _, pattern in words if re.search(pattern, command)] == [group]
    assert f"--pressure={group}=/x/run/{group}" in done.stdout.splitlines()
