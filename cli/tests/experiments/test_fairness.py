# SPDX-License-Identifier: Apache-2.0
"""Two runs are compared only when clients, drives and durability were alike."""

import copy
from typing import Any

import pytest

from tailrace.experiments import fairness

DRIVE = {
    **{"model": "nvme", "bytes": 7_500_000_000_000, "rotational": "0", "scheduler": "none"},
    **{"file_system": "xfs", "mount_options": "noatime,nodiscard"},
}
MANIFEST: dict[str, Any] = {
    "plan": {
        "replication_factor": 3,
        "workers": 2,
        "producer_config": {"acks": "all", "linger.ms": "1", "bootstrap.servers": "a:9092"},
        "consumer_config": {"max.partition.fetch.bytes": "131072"},
        "topic_config": {"min.insync.replicas": "2", "retention.ms": "3600000"},
    },
    "versions": {"java": "17.0.15", "kafka_client": "4.4.0"},
    "client_jvm": ["-Xms16g", "-Xmx16g", "-XX:+UseG1GC"],
    "host": {"cpus": 36, "cpu_model": "c", "memory_bytes": 1, "os": "o", "kernel": "k"},
    "brokers": [{"id": 1, "drive": DRIVE}],
}


# As Kafka and Redpanda tell of a topic with a driver file's settings.
KAFKA = {
    **{"flush.messages": "9223372036854775807", "flush.ms": "9223372036854775807"},
    **{"min.insync.replicas": "2", "unclean.leader.election.enable": "false"},
}
REDPANDA = {"flush.bytes": "262144", "flush.ms": "100", "write.caching": "false"}


def differences(other: dict[str, Any]) -> list[str]:
    facts = fairness.run_facts(MANIFEST, KAFKA), fairness.run_facts(other, REDPANDA)
    return fairness.differences(("A", "B"), *facts)


def changed(path: tuple[Any, ...], value: object) -> dict[str, Any]:
    other = copy.deepcopy(MANIFEST)
    inner: Any = other
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    return other


def test_the_same_on_other_addresses_may_be_compared() -> None:
    assert differences(changed(("plan", "producer_config", "bootstrap.servers"), "b:9092")) == []


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        # The confounders of the published comparison itself.
        (
            ("client_jvm",),
            ["-Xms16g", "-Xmx40g", "-XX:+UseZGC"],
            "client JVM: options: -Xms16g -Xmx16g -XX:+UseG1GC in A, -Xms16g -Xmx40g -XX:+UseZGC in B",
        ),
        (
            ("plan", "producer_config", "acks"),
            "1",
            "durability: acks: all in A, 1 in B",
        ),
        (
            ("brokers", 0, "drive", "mount_options"),
            "",
            "drives: broker 1: mount_options: noatime,nodiscard in A, not recorded in B",
        ),
        (
            ("plan", "topic_config"),
            {"min.insync.replicas": "2", "flush.messages": "1"},
            "durability: flush.messages: not set in A, 1 in B",
        ),
        (
            ("plan", "topic_config", "write.caching"),
            "true",
            "durability: write.caching: not set in A, true in B",
        ),
        (
            ("plan", "topic_config", "min.insync.replicas"),
            "1",
            "durability: min.insync.replicas: 2 in A, 1 in B",
        ),
        (
            ("plan", "producer_config", "linger.ms"),
            "0",
            "producer setting: linger.ms: 1 in A, 0 in B",
        ),
        (
            ("brokers", 0, "drive", "model"),
            "ssd",
            "drives: broker 1: model: nvme in A, ssd in B",
        ),
        (
            ("brokers", 0, "drive", "bytes"),
            6_750_000_000_000,
            "drives: broker 1: bytes: 7500000000000 in A, 6750000000000 in B",
        ),
        (
            ("versions", "kafka_client"),
            "3.9.0",
            "client library: kafka-clients: 4.4.0 in A, 3.9.0 in B",
        ),
        (("plan", "replication_factor"), 1, "durability: replication factor: 3 in A, 1 in B"),
        (("versions", "java"), "11", "client JVM: version: 17.0.15 in A, 11 in B"),
        (
            ("plan", "consumer_config"),
            {},
            "consumer setting: max.partition.fetch.bytes: 131072 in A, not set in B",
        ),
        (("host", "cpus"), 72, "client host: cpus: 36 in A, 72 in B"),
        (("plan", "workers"), 6, "clients: load generators: 2 in A, 6 in B"),
    ],
)
def test_what_differs_is_listed(path: tuple[Any, ...], value: object, line: str) -> None:
    assert differences(changed(path, value)) == [line]


def test_all_kinds_of_difference_are_listed_at_once() -> None:
    other = changed(("client_jvm",), ["-Xmx40g"])
    other["plan"]["producer_config"] |= {"acks": "1", "linger.ms": "0"}
    other["brokers"] = [*other["brokers"], {"id": 2, "drive": {**DRIVE, "scheduler": "bfq"}}]
    kinds = {line.partition(":")[0] for line in differences(other)}
    assert kinds == {"client JVM", "producer setting", "durability", "drives"}
    assert "drives: brokers: 1 in A, 2 in B" in differences(other)


def test_what_was_not_recorded_is_no_proof() -> None:
    blind = changed(("brokers",), [])
    facts = fairness.run_facts(blind, KAFKA)
    assert fairness.differences(("A", "B"), facts, facts) == ["drives: brokers: not recorded"]


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [
        # What the published comparison's brokers had in their own file.
        (KAFKA | {"flush.messages": "1"}, "flush.messages=1"),
        (KAFKA | {"unclean.leader.election.enable": "true"}, "unclean.leader.election.enable=true"),
        (
            REDPANDA | {"write.caching": "true", "flush.ms": "500"},
            "flush.ms=500, write.caching=true",
        ),
        (None, "not recorded"),
    ],
)
def test_the_brokers_own_settings_are_compared(recorded: dict[str, str] | None, expected: str) -> None:
    facts = fairness.run_facts(MANIFEST, recorded), fairness.run_facts(MANIFEST, REDPANDA)
    line = f"durability: brokers' own settings: {expected} in A, as shipped in B"
    assert fairness.differences(("A", "B"), *facts) == [line]


def test_the_driver_file_counts_over_the_brokers_own_settings() -> None:
    assert MANIFEST["plan"]["topic_config"]["min.insync.replicas"] == "2"
    facts = fairness.run_facts(MANIFEST, KAFKA | {"min.insync.replicas": "3"})
    assert facts["durability: brokers' own settings"] == "as shipped"


def test_plans_are_compared_before_any_run() -> None:
    one = fairness.plan_facts(MANIFEST["plan"])
    other = fairness.plan_facts({**MANIFEST["plan"], "replication_factor": 1})
    assert fairness.differences(("a.yaml", "b.yaml"), one, one) == []
    assert len(fairness.differences(("a.yaml", "b.yaml"), one, other)) == 1
