# SPDX-License-Identifier: Apache-2.0
"""A run with transactions of ten messages, on top of ``model``: two producers that each write both partitions."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any

from clickhouse_connect.driver.client import Client

from lab.simulated.model import Message, Model

SIZE = 10
COMMITTED, ABORTED, IN_DOUBT = "committed", "aborted", "in_doubt"
Transaction = tuple[int, int]  # producer, number


class Transacted(Model):
    """Change ``outcomes``, ``lose`` or ``receive`` messages, then ``insert``; the ledger follows from them.

    ``outcomes``: of transactions that did not commit. ``unrecorded``: transactions without a row, as of a load
    generator that was killed.
    """

    def __init__(self, run_id: str, subscriptions: int = 1) -> None:
        super().__init__(run_id, failures=0, topic_plan={"subscriptions": subscriptions})
        self.published = [
            replace(m, producer=n // 2 % 2, partition=n % 2, sequence=n // 4 * 2 + n % 2)
            for n, m in enumerate(self.published)
        ]
        self.delivered = [replace(m, subscription=each) for each in range(subscriptions) for m in self.published]
        self.behaviour = {"transaction_messages": SIZE}
        self.isolation = ""
        self.outcomes: dict[Transaction, str] = {}
        self.unrecorded: set[Transaction] = set()

    def transaction(self, message: Message) -> Transaction:
        return message.producer, message.sequence // SIZE

    def messages(self, transaction: Transaction) -> list[Message]:
        return [m for m in self.published if self.transaction(m) == transaction]

    def end(self, transaction: Transaction, outcome: str, *, read: bool) -> None:
        """Give a transaction an outcome; ``read``: whether consumers received it."""
        self.outcomes[transaction] = outcome
        if not read:
            self.lose(self.messages(transaction))

    def lose(self, messages: Iterable[Message], subscription: int | None = None) -> None:
        """These messages are never received, by one subscription or by all."""
        places = {(m.partition, m.offset) for m in messages}
        self.delivered = [
            m
            for m in self.delivered
            if (m.partition, m.offset) not in places or subscription not in (None, m.subscription)
        ]

    def insert(self, client: Client) -> None:
        self._count()
        super().insert(client)
        client.insert("transactions", list(self._transactions()))

    def _all(self) -> list[tuple[Transaction, list[Message]]]:
        ordered = sorted(self.published, key=lambda m: (m.producer, m.sequence))
        return [(key, list(messages)) for key, messages in groupby(ordered, self.transaction)]

    def _transactions(self) -> Iterator[list[Any]]:
        for key, messages in self._all():
            if key not in self.unrecorded:
                outcome = self.outcomes.get(key, COMMITTED)
                begin, end = messages[0].intended, max(m.ack for m in messages) + 1_500
                times = (begin, begin + 5, end - 1_500, end)
                size = len(messages)
                error = "TimeoutException" if outcome == IN_DOUBT else ""
                yield [
                    *(self.run_id, 0, key[0], self.topic, key[1], key[1] * SIZE, size, size),
                    *(*times, outcome, error),
                ]

    def _count(self) -> None:
        """Ledger and events as the load generator would have them."""
        ended = len(self._all()) - len(self.unrecorded)
        counts = {("transactions", kind, ""): ended for kind in ("ended", "recorded")}
        counts["transactions", "begun", ""] = ended + len(self.unrecorded)
        for kind in ("received", "recorded"):
            counts["deliveries", kind, ""] = len(self.delivered)
        for key, outcome in self.outcomes.items():
            of_kind = ("publishes", outcome, "")
            counts[of_kind] = counts.get(of_kind, 0) + len(self.messages(key))
            self.events.append((0, "transaction", outcome, json.dumps(self._detail(key))))
        counts["run_events", "recorded", ""] = 4 + len(self.events)
        self.ledger = {**self.ledger, **counts}

    def _detail(self, key: Transaction) -> dict[str, Any]:
        messages = self.messages(key)
        offsets = {p: [m.offset for m in messages if m.partition == p] for p in (0, 1)}
        ranges = [[p, min(found), max(found)] for p, found in offsets.items() if found]
        return {"producer": key[0], "topic": self.topic, "messages": len(messages), "offsets": ranges}

    def _run(self) -> list[Any]:
        row = super()._run()
        manifest = json.loads(row[10])
        if self.isolation:
            manifest["plan"]["consumer_config"] = {"isolation.level": self.isolation}
        return [*row[:10], json.dumps(manifest), *row[11:]]
