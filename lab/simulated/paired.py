# SPDX-License-Identifier: Apache-2.0
"""Runs to compare: seconds that sway together, as a real system's do."""

import json
import math
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from clickhouse_connect.driver.client import Client

from lab.simulated.model import START_S
from lab.simulated.per_second import bucket


@dataclass
class Paired:
    """``factor`` on every latency; ``rate`` messages a second; ``memory``: how much of a second's
    level stays in the next; ``sway``: spread of the levels, as a logarithm; ``silent``: seconds at
    the start without a message; ``delay_us``: the load generator's own delay."""

    run_id: str
    seed: int
    factor: float = 1.0
    rate: int = 100
    seconds: int = 300
    memory: float = 0.7
    sway: float = 0.2
    silent: int = 0
    delay_us: int = 0
    audit: str = "pass"
    state: str = "finished"
    workload: str = "name: paired\nproducerRate: 100\n"
    driver: str = "name: kafka\nproducerConfig: |\n  acks=all\n  linger.ms=0\n"
    manifest: dict[str, Any] = field(default_factory=dict)

    def insert(self, client: Client) -> None:
        """Store rollups, phases and the run's row."""
        dice = random.Random(self.seed)
        rows, level = [], 0.0
        for second in range(self.silent, self.seconds):
            fresh = dice.gauss(0, self.sway * math.sqrt(1 - self.memory**2))
            level = self.memory * level + fresh
            counts: Counter[tuple[str, int]] = Counter()
            for _ in range(self.rate):
                us = 2_000 * self.factor * math.exp(level + dice.gauss(0, 0.5))
                counts["publish", bucket(us + self.delay_us)] += 1
                counts["end_to_end", bucket(us + self.delay_us + 800)] += 1
                if self.delay_us:
                    counts["publish_delay", bucket(self.delay_us)] += 1
            at = START_S + second
            rows += [[self.run_id, s, "t", 0, at, b, n, 0] for (s, b), n in counts.items()]
            for stage in ("acked", "received"):
                rows.append([self.run_id, stage, "t", 0, at, 0, self.rate, self.rate * 100])
        client.insert("rollup_1s", rows)
        marks = [("measure", 0), ("drain", self.seconds), ("end", self.seconds + 1)]
        client.insert(
            "run_events",
            [[self.run_id, 0, (START_S + at) * 1_000_000, "phase", name, ""] for name, at in marks],
        )
        start, end = START_S * 1_000_000, (START_S + self.seconds + 2) * 1_000_000
        audit = json.dumps({"verdict": self.audit}) if self.audit else ""
        row = [self.run_id, "paired", "kafka", self.state, start, end, 42, 1]
        texts = [self.workload, self.driver, json.dumps(self.manifest), audit]
        client.insert("runs", [[*row, *texts, start]])
