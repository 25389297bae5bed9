# SPDX-License-Identifier: Apache-2.0
"""Runs for the query library: one with every fault, and ones drawn as (due, latency) pairs."""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from clickhouse_connect.driver.client import Client

from lab.simulated.model import PAYLOAD, RATE, SECONDS, START_S, WARMUP_S, Message, Model

US = 1_000_000
START_US = START_S * US
MEASURE_US = START_US + WARMUP_S * US
PRODUCERS, PARTITIONS = 3, 4
# Partition 1 moves from broker 2 to broker 3 in the middle of the measure phase.
LEADER_CHANGE_US = START_US + 12 * US
FAILURES = [  # error class, due (s of the run), given up after (ms), partition
    ("TimeoutException", 3.5, 2000, 0),
    ("TimeoutException", 4.25, 3000, 1),
    ("TimeoutException", 0.5, 1000, -1),
    ("NotEnoughReplicasException", 6, 500, 1),
]


class Faulty(Model):
    """Two consumer groups. Group 1 misses, repeats and sees more than was acknowledged."""

    def __init__(self, run_id: str) -> None:
        super().__init__(run_id)
        dice = random.Random(11)
        offsets = [0] * PARTITIONS
        self.published = []
        for n in range(SECONDS * RATE):
            due = START_US + n * US // RATE
            partition = dice.randrange(PARTITIONS)
            delay = dice.randrange(400) + (5000 if dice.random() < 0.02 else 0)
            ack = due + delay + int(dice.lognormvariate(7, 0.5))
            receive = ack + int(dice.lognormvariate(6, 0.4))
            offset = offsets[partition]
            offsets[partition] += 1
            self.published.append(Message(dice.randrange(PRODUCERS), partition, offset, due, delay, ack, receive))
        self.reordered = self._reorder(300) + self._reorder(900)
        self.delivered = list(self.published)
        self.failures = len(FAILURES)
        self.second_group = self._faults()

    def _reorder(self, near: int) -> list[tuple[int, int]]:
        """Swap offsets with the next message of its producer and partition: (partition, µs)."""
        first = self.published[near]
        at = next(
            i
            for i in range(near + 1, len(self.published))
            if (self.published[i].producer, self.published[i].partition) == (first.producer, first.partition)
        )
        second = self.published[at]
        self.published[near] = replace(first, offset=second.offset)
        self.published[at] = replace(second, offset=first.offset)
        return [(first.partition, second.intended - first.intended)]

    def _faults(self) -> list[Message]:
        """What group 1 received: all 40 ms later, three missing, two twice, one unknown."""
        late = [replace(m, receive=m.receive + 40_000) for m in self.published]
        self.missing = [late[i] for i in (500, 501, 1200)]
        self.repeated = [late[i] for i in (700, 1300)]
        top = max(m.offset for m in late if m.partition == 2)
        self.unknown = replace(late[800], partition=2, offset=top + 1)
        kept = [m for m in late if m not in self.missing]
        return [*kept, *self.repeated, self.unknown]

    def group(self, subscription: int) -> list[Message]:
        return self.second_group if subscription else self.delivered

    def _deliveries(self) -> list[list[Any]]:
        return [
            [
                *(self.run_id, 0, group, m.partition % 2, m.producer, self.topic),
                *(m.partition, m.offset, m.intended, m.receive, PAYLOAD, m.sequence, m.tie),
            ]
            for group in (0, 1)
            for m in self.group(group)
        ]

    def _failures(self) -> list[list[Any]]:
        rows: list[list[Any]] = []
        for name, due_s, after_ms, partition in FAILURES:
            due = START_US + int(due_s * US)
            gone = due + after_ms * 1000
            row = [self.run_id, 0, 0, self.topic, partition, due, 0, gone, PAYLOAD, name, len(rows), 0]
            rows.append(row)
        return rows

    def _run(self) -> list[Any]:
        row = super()._run()
        manifest = json.loads(row[10])
        manifest["plan"]["consumer_groups"] = 2
        manifest["plan"]["topics"] = [{"name": self.topic, "partitions": PARTITIONS}]
        return [*row[:10], json.dumps(manifest), *row[11:]]

    def insert(self, client: Client) -> None:
        super().insert(client)
        leaders = [(START_US - US, p, 1 + p % 2) for p in range(PARTITIONS)]
        leaders.append((LEADER_CHANGE_US, 1, 3))
        client.insert(
            "partition_leaders",
            [
                [self.run_id, 0, at, self.topic, partition, leader, f"host-{leader}"]
                for at, partition, leader in leaders
            ],
        )

    def broker(self, partition: int, answered: int) -> int:
        """The partition's leader when a message was answered."""
        return 3 if partition == 1 and answered >= LEADER_CHANGE_US else 1 + partition % 2


@dataclass(frozen=True)
class Trace:
    """Messages as (due, end-to-end latency) in µs, acknowledged in half of it, all measured.

    ``begun`` and ``drained`` are the times, in µs, between which the load lasted.
    """

    run_id: str
    messages: Sequence[tuple[int, int]]
    begun: int = START_US
    drained: int | None = None

    def insert(self, client: Client) -> None:
        topic = f"{self.run_id}-0"
        rows = list(enumerate(self.messages))
        client.insert(
            "publishes",
            [[self.run_id, 0, 0, topic, 0, n, due, 0, due + us // 2, PAYLOAD] for n, (due, us) in rows],
        )
        client.insert(
            "deliveries",
            [[self.run_id, 0, 0, 0, 0, topic, 0, n, due, due + us, PAYLOAD, -1, 0] for n, (due, us) in rows],
        )
        end = self.drained or max(due for due, _ in self.messages) // US * US + US
        marks = [("measure", self.begun), ("drain", end), ("end", end + 10 * US)]
        client.insert("run_events", [[self.run_id, 0, at, "phase", name, ""] for name, at in marks])
