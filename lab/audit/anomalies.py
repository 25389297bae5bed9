# SPDX-License-Identifier: Apache-2.0
"""The anomalies and the clean runs, as data: what is planted, and what the audit must find."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

WORKLOAD: Mapping[str, Any] = {
    "topics": 1,
    "partitionsPerTopic": 2,
    "producersPerTopic": 1,
    "subscriptionsPerTopic": 1,
    "consumerPerSubscription": 1,
    "messageSize": 100,
    "producerRate": 200,
    "warmupDuration": "0s",
    "testDuration": "5s",
    "drainTimeout": "4s",
}
DRIVER: Mapping[str, Any] = {
    "name": "planted",
    "driverClass": "io.openmessaging.benchmark.driver.kafka.KafkaBenchmarkDriver",
    "replicationFactor": 1,
}
Driver = Mapping[str, Mapping[str, str]]
# Nothing is sent twice, and the broker does not count a producer's messages.
ONCE: Driver = {"producerConfig": {"enable.idempotence": "false", "retries": "0"}}
IDEMPOTENT: Driver = {"producerConfig": {"enable.idempotence": "true"}}


@dataclass(frozen=True)
class Plant:
    """What goes wrong. ``kind``: of the Kafka proxy (kafkaproxy/Anomaly.java), or drop or double of a block.

    ``at``: of produce requests the messages of the partition before it, of fetch answers the least offset, of ends of
    transactions those before it. ``block``: the stream of the block. ``sql``: is executed after the run, and the run
    is audited again.
    """

    kind: str = ""
    at: int = 150
    count: int = 1
    partition: int = 0
    block: str = ""
    sql: str = ""


@dataclass(frozen=True)
class Case:
    """One run. ``name`` is its id and what is planted; ``plant`` is None for a clean run.

    ``fails``: by check, a pattern of the failure's text; all of them and no other must fail. ``notes``: patterns of
    notes that must be there, and in no clean run. ``{offset}`` and the like are what the proxy reported.
    """

    name: str
    plant: Plant | None = None
    fails: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    workload: Mapping[str, Any] = field(default_factory=dict)
    driver: Driver = field(default_factory=dict)


PLACE = r"/0 subscription 0"
CASES = (
    Case("clean", driver=IDEMPOTENT),
    Case(
        "hidden",
        Plant("HIDE", count=3),
        {"missing": PLACE + r": missing is 3, .* offsets {offset}"},
        driver=IDEMPOTENT,
    ),
    Case(
        "doubled",
        Plant("DOUBLE"),
        {"written_twice": PLACE + r": .*producer {producer} sequence {sequence} at offsets {offset} and {again}"},
        driver=ONCE,
    ),
    Case("corrupted", Plant("CORRUPT"), {"corrupt": r"1 received messages differ"}, driver=IDEMPOTENT),
)
