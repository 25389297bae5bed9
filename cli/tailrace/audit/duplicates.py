# SPDX-License-Identifier: Apache-2.0
"""Judges messages that the log has without an acknowledgement: retries' duplicates, failed sends, other programs'."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clickhouse_connect.driver.client import Client

from tailrace.audit.verdict import Failure
from tailrace.queries.ask import rows

DUPLICATE, FAILED, UNEXPLAINED, FOREIGN = "duplicate", "failed", "unexplained", "foreign"
WRITTEN_TWICE = "written_twice"
MEANING = {
    FAILED: "are in the log although their sends failed: a failed send promises nothing",
    FOREIGN: "were received from existing topics and not written by this run",
}


@dataclass(frozen=True)
class Unacknowledged:
    """Messages of one kind that one subscription received from one partition; ``first``: sentences about the first."""

    topic: str
    partition: int
    subscription: int
    kind: str
    messages: int
    first: tuple[str, ...]

    @property
    def where(self) -> str:
        return f"{self.topic}/{self.partition} subscription {self.subscription}"

    @property
    def examples(self) -> str:
        return "; ".join(self.first) + ("; …" if self.messages > len(self.first) else "")


@dataclass(frozen=True)
class Promise:
    """Whether the producers' settings rule duplicates out, and which setting decides."""

    duplicates_allowed: bool
    setting: str


NO_PROMISE = Promise(True, "what is not known of the producers' settings")


def read_unacknowledged(
    client: Client, run_id: str, places: Iterable[tuple[str, int, int]]
) -> tuple[Unacknowledged, ...]:
    """Ask about each of the partitions (topic, partition, subscription) that have such messages."""
    found: list[Unacknowledged] = []
    for topic, partition, subscription in places:
        where = {"topic": topic, "partition": str(partition), "subscription": str(subscription)}
        first: dict[str, list[str]] = {}
        counts: dict[str, int] = {}
        for row in rows(client, "duplicates", run_id=run_id, **where):
            counts[row["kind"]] = row["messages"]
            first.setdefault(row["kind"], []).append(_example(row))
        found += [
            Unacknowledged(topic, partition, subscription, kind, counts[kind], tuple(first[kind])) for kind in counts
        ]
    return tuple(found)


def _example(row: Mapping[str, Any]) -> str:
    offsets = " and ".join(map(str, row["offsets"]))
    place = f"offset{'s' if len(row['offsets']) > 1 else ''} {offsets}"
    # The sequence is counted from the rows of publishes; of an unexplained message such rows are missing.
    named = row["kind"] not in (FOREIGN, UNEXPLAINED)
    return f"producer {row['producer']} sequence {row['sequence']} at {place}" if named else place


def read_promise(client: Client, run_id: str) -> Promise:
    """What the settings of the run's producers promise."""
    # A run whose row is lost is audited too; then the client's own defaults are assumed.
    manifests = [row["manifest"] for row in rows(client, "run_manifest", run_id=run_id)]
    plan = json.loads(next(filter(None, manifests), "{}")).get("plan", {})
    config = {name: str(value).strip().lower() for name, value in plan.get("producer_config", {}).items()}
    return promise(config, "transaction_messages" in plan.get("behaviour", {}))


def promise(config: Mapping[str, str], transactional: bool) -> Promise:
    """The rules of the Kafka client: some settings turn idempotence off unless it is asked for."""
    acks, retries = config.get("acks", "all"), config.get("retries", "")
    idempotence = config.get("enable.idempotence", "")
    if transactional:
        return Promise(False, "transactions make producers idempotent")
    if idempotence == "true":
        return Promise(False, "enable.idempotence=true")
    if acks == "0":
        return Promise(True, "acks=0")
    if retries == "0":
        return Promise(False, "retries=0")
    if idempotence == "false":
        return Promise(True, "enable.idempotence=false with retries")
    if acks not in ("all", "-1"):
        return Promise(True, f"acks={acks}, which turns idempotence off, with retries")
    return Promise(False, "enable.idempotence=true, the default")


def allowed_duplicates(found: Iterable[Unacknowledged], settings: Promise) -> int:
    """Messages in the log twice that the settings allow, of the subscription that received most."""
    counts: Counter[int] = Counter()
    for each in found:
        counts[each.subscription] += each.messages if each.kind == DUPLICATE else 0
    return max(counts.values(), default=0) if settings.duplicates_allowed else 0


def check_unacknowledged(
    found: Iterable[Unacknowledged], settings: Promise, missing_rows: int, last_sent: Mapping[int, int]
) -> tuple[list[Failure], list[str]]:
    """Failures and notes.

    ``missing_rows``: rows of publishes that were lost; ``last_sent``: by subscription, messages after their
    producer's last stored one, sent by a load generator that was killed. As many messages may be unexplained.
    """
    failures: list[Failure] = []
    notes: list[str] = []
    noted: Counter[tuple[int, str]] = Counter()
    unexplained: dict[int, list[Unacknowledged]] = {}
    for each in found:
        if each.kind == DUPLICATE and settings.duplicates_allowed:
            notes.append(
                f"{each.where}: allowed duplicates: {each.messages} messages are in the log twice ({each.examples}),"
                f" as {settings.setting} allows"
            )
        elif each.kind == DUPLICATE:
            text = (
                f"{each.where}: {WRITTEN_TWICE} is {each.messages}, expected 0 ({each.examples}): {settings.setting}"
                " promises that no message is in the log twice"
            )
            failures.append(Failure(WRITTEN_TWICE, each.where, 0, each.messages, text))
        elif each.kind == UNEXPLAINED:
            unexplained.setdefault(each.subscription, []).append(each)
        else:
            noted[each.subscription, each.kind] += each.messages
    notes += [f"subscription {group}: {count} messages {MEANING[kind]}" for (group, kind), count in noted.items()]
    for group, all_of_them in sorted(unexplained.items()):
        judged = _unexplained(group, all_of_them, missing_rows, last_sent.get(group, 0))
        if isinstance(judged, Failure):
            failures.append(judged)
        else:
            notes.append(judged)
    return failures, notes


def _unexplained(group: int, found: list[Unacknowledged], missing_rows: int, last_sent: int) -> Failure | str:
    where = f"subscription {group}"
    count = sum(each.messages for each in found)
    text = f"{where}: {count} messages were received whose sends were neither acknowledged nor failed"
    if missing_rows:
        text += f", {missing_rows} rows of publishes were lost"
    if last_sent:
        text += f", {last_sent} were sent last, before the load generator was killed"
    text += f" ({'; '.join(_listed(found))})"
    most = missing_rows + last_sent
    return Failure("unacknowledged", where, most, count, text) if count > most else text


def _listed(found: list[Unacknowledged]) -> Iterator[str]:
    for each in found[:5]:
        yield f"{each.topic}/{each.partition}: {each.examples}"
