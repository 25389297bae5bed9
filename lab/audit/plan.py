# SPDX-License-Identifier: Apache-2.0
"""What a run of this test is: its files, what is planted in it, and what its audit must find."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

WORKLOAD: Mapping[str, Any] = {
    "topics": 1,
    "partitionsPerTopic": 10,
    "producersPerTopic": 1,
    "subscriptionsPerTopic": 1,
    "consumerPerSubscription": 1,
    "messageSize": 100,
    "keys": "roundRobin",
    "producerRate": 400,
    "warmupDuration": "0s",
    "testDuration": "6s",
    "drainTimeout": "4s",
    "seed": 7,
}
DRIVER: Mapping[str, Any] = {
    "name": "planted",
    "driverClass": "io.openmessaging.benchmark.driver.kafka.KafkaBenchmarkDriver",
    "replicationFactor": 1,
}
Settings = Mapping[str, Mapping[str, str]]
# An answer has several messages, so that an anomaly of two of them finds both in one.
SETTINGS: Settings = {
    "producerConfig": {"linger.ms": "0"},
    "consumerConfig": {"fetch.min.bytes": "4000", "fetch.max.wait.ms": "300"},
}


@dataclass(frozen=True)
class Plant:
    """One anomaly. ``kind``: of the Kafka proxy (kafkaproxy/Anomaly.java); or ``drop`` or ``double`` of a block.

    ``at``: of produce requests the messages of the partition before it, of fetch answers the least offset, of ends of
    transactions those before it. ``block``: the stream of the block. ``sql``: is executed after the run, which is then
    audited again.

    ``fails``: check and pattern of each failure that must be there, ``notes``: patterns of notes. ``{partition}`` and
    what the proxy reports, such as ``{offset}``, are filled in. Without both, the audit must find nothing. ``also``:
    failures that may be there beside them, as consequences.

    ``topic``: the end of its name, after that of the run. ``claim``: of the certificate, that the anomaly breaks, and
    the kind and pattern of what its check must find.
    """

    name: str
    kind: str = ""
    partition: int = 0
    at: int = 60
    count: int = 1
    fails: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    also: tuple[tuple[str, str], ...] = ()
    block: str = ""
    sql: str = ""
    claim: tuple[str, str, str] | None = None
    topic: str = "0000000"

    @property
    def is_anomaly(self) -> bool:
        """Whether the audit must state it; else it is a control."""
        return bool(self.fails or self.notes)


@dataclass(frozen=True)
class Case:
    """A workload that is run twice: with its anomalies, each in a separate partition, and without them.

    ``also``: failures that may be there beside those of the anomalies, as consequences of several of them.
    ``states``: notes that both runs must have. ``companion``: a subcommand of the load generator that runs beside the
    load. ``{run}`` in the workload is the run's id.
    """

    name: str
    plants: tuple[Plant, ...]
    workload: Mapping[str, Any] = field(default_factory=dict)
    settings: Settings = field(default_factory=dict)
    also: tuple[tuple[str, str], ...] = ()
    states: tuple[str, ...] = ()
    companion: str = ""


@dataclass(frozen=True)
class PlannedRun:
    """``clean``: without the case's anomalies."""

    case: Case
    clean: bool

    @property
    def run_id(self) -> str:
        return f"clean-{self.case.name}" if self.clean else self.case.name

    @property
    def claims(self) -> tuple[str, ...]:
        """The certificate's claims that the case's anomalies break: they are checked in both runs."""
        return tuple(sorted({plant.claim[0] for plant in self.case.plants if plant.claim}))

    @property
    def plants(self) -> tuple[Plant, ...]:
        return () if self.clean else self.case.plants
