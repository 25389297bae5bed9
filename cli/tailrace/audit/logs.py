# SPDX-License-Identifier: Apache-2.0
"""Checks messages against the offsets at which the brokers state that the logs begin and end. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from tailrace.audit.verdict import Failure

MOST_LISTED = 5


@dataclass(frozen=True)
class LostOffsets:
    """Messages whose offsets are outside their log after the run: ``after_end`` of it or ``before_start``.

    ``newest_time``: the latest send of them. ``kept_bytes``: at most so many bytes of the run are in the log.
    """

    kind: str
    offsets: int
    first_offsets: tuple[int, ...]
    newest_time: datetime
    kept_bytes: int


@dataclass(frozen=True)
class Log:
    """One partition: what was sent to it, and its log before the first message and after the last one.

    ``groups`` read the topic. ``begun``, ``ended``: whether the log's offsets were recorded then; they are 0 if not.
    ``most_bytes``: at most so many bytes of the run were written. ``settings``: what may delete messages.
    """

    topic: str
    partition: int
    groups: int
    existing: bool
    unanswered: bool
    transactions: bool
    acked: int
    most_bytes: int
    failed: int
    received: int
    lowest: int
    highest: int
    begun: bool
    ended: bool
    first_offset: int
    log_start: int
    log_end: int
    end_time: datetime
    settings: Mapping[str, str]
    lost: tuple[LostOffsets, ...] = ()

    @property
    def place(self) -> str:
        return f"{self.topic}/{self.partition}"

    @property
    def known(self) -> bool:
        """Whether it is known by how many offsets the log grew; a topic of the run's own began empty."""
        return self.ended and (self.begun or not self.existing)

    @property
    def growth(self) -> int:
        return self.log_end - self.first_offset

    @property
    def surplus(self) -> int:
        """Offsets beyond those of the run's messages and failed sends, where the log can have nothing else.

        In a log that a group reads every offset up to the highest one received is known. With acks=0, what is behind
        that was not received.
        """
        if not self.known or self.existing or self.transactions:
            return 0
        if not self.groups:
            return self.growth - self.acked - self.failed
        known_up_to = self.highest + 1 if self.lowest >= 0 else 0
        return 0 if self.unanswered else self.log_end - known_up_to - self.failed

    @property
    def outside(self) -> bool:
        """Whether a message of the run has an offset that is not in the log any more."""
        return self.ended and (self.highest >= self.log_end or -1 < self.lowest < self.log_start)

    def setting(self, name: str) -> int | None:
        """A number among the settings; None for none, and where it means without a bound."""
        value = int(self.settings.get(name, "-1"))
        return None if value < 0 else value

    def has_policy(self, word: str) -> bool:
        return word in self.settings.get("cleanup.policy", "").split(",")


def check_logs(logs: Sequence[Log], unknown: int, killed: bool) -> tuple[list[Failure], list[str]]:
    """Failures and notes. ``unknown``: messages without a row, whose partition is unknown: any log may have them."""
    written = [log for log in logs if log.partition >= 0]
    failures: list[Failure] = []
    notes: list[str] = []
    for log in written:
        for lost in log.lost:
            found = _after_end(log, lost) if lost.kind == "after_end" else _before_start(log, lost)
            if isinstance(found, Failure):
                failures.append(found)
            else:
                notes.append(found)
        if log.known and not log.unanswered and log.acked > log.growth:
            text = f"{log.place}: {log.acked} messages were acknowledged, and its log grew by {log.growth} offsets"
            failures.append(Failure("log_growth", log.place, log.acked, log.growth, text))
    unread = [log for log in written if not log.groups]
    if unread:
        notes += _unread_notes(unread, any(log.begun or log.ended for log in logs))
        failures += _check_unread(unread)
    if not killed:
        failures += _check_surplus(written, unknown + sum(log.failed for log in logs if log.partition < 0))
    if handed := [log for log in written if log.unanswered and log.known]:
        acked, growth = sum(log.acked for log in handed), sum(log.growth for log in handed)
        notes.append(f"acks=0: {acked} messages were handed to the socket, and their logs grew by {growth} offsets")
    return failures, notes


def _after_end(log: Log, lost: LostOffsets) -> Failure:
    text = (
        f"{log.place}: {lost.offsets} messages that were acknowledged or received are lost: "
        f"the log ends at offset {log.log_end} ({_offsets(lost)})"
    )
    return Failure("log_end", log.place, 0, lost.offsets, text)


def _before_start(log: Log, lost: LostOffsets) -> Failure | str:
    """A note where the topic's settings explain it: a deletion by hand moves the log's start like retention does."""
    what = f"{log.place}: {lost.offsets} messages are no longer in the log, which begins at offset {log.log_start}"
    if not log.settings:
        return f"{what}: unknown whether by retention, as the brokers did not state the topic's settings"
    bounds = ", ".join(f"{name}={log.settings.get(name)}" for name in ("retention.ms", "retention.bytes"))
    if _retention_deletes(log, lost):
        return f"{what}: removed by retention ({bounds})"
    bounds = f"cleanup.policy={log.settings.get('cleanup.policy')}, {bounds}"
    text = f"{what}, and retention cannot have removed them within the run ({bounds}; {_offsets(lost)})"
    return Failure("log_start", log.place, 0, lost.offsets, text)


def _retention_deletes(log: Log, lost: LostOffsets) -> bool:
    """Whether the newest message lost was old enough, or what remains is large enough, for a segment to be deleted."""
    if not log.has_policy("delete"):
        return False
    age, size = log.setting("retention.ms"), log.setting("retention.bytes")
    old = age is not None and lost.newest_time + timedelta(milliseconds=age) <= log.end_time
    return old or (size is not None and lost.kept_bytes >= size)


def _unread_notes(unread: Sequence[Log], recorded: bool) -> Iterator[str]:
    names = list(dict.fromkeys(log.topic for log in unread))
    listed = ", ".join(names[:MOST_LISTED]) + (", …" if len(names) > MOST_LISTED else "")
    what = f"{len(names)} topics that no group reads ({listed})"
    acked = sum(log.acked for log in unread)
    if not recorded:
        yield f"{what}: their {acked} messages were not checked, because the ends of their logs were not recorded"
        return
    growth = sum(log.growth for log in unread if log.known)
    text = f"{what} were checked by the ends of their logs alone, not by reading: {acked} messages acknowledged"
    text += f", {growth} offsets written"
    if any(log.transactions for log in unread):
        text += " (markers of transactions among them)"
    if any(log.existing for log in unread):
        text += " (in topics that existed before, perhaps by other programs too)"
    yield f"{text}; their order and contents were not checked"


def _check_unread(unread: Sequence[Log]) -> Iterator[Failure]:
    recorded = [log for log in unread if log.begun or log.ended]
    if unknown := [log for log in recorded if not log.known]:
        text = (
            f"{unknown[0].place}: unknown whether {sum(log.acked for log in unknown)} acknowledged messages of "
            f"{len(unknown)} partitions that no group reads are in their logs: no broker stated where those end"
        )
        yield Failure("log_unknown", unknown[0].place, 0, len(unknown), text)


def _check_surplus(written: Sequence[Log], unknown: int) -> Iterator[Failure]:
    """A failure per log with offsets that no message of the run explains.

    ``unknown``: messages that may be in any of the logs. A send that failed may be in the log of its partition alone.
    """
    found = [(log, surplus) for log in written if (surplus := log.surplus) > 0]
    if sum(surplus for _, surplus in found) <= unknown:
        return
    for log, surplus in found:
        read = "were acknowledged or received" if log.groups else "were acknowledged, and no group reads it"
        text = f"{log.place}: its log has {surplus} offsets more than {read}, and {log.failed} sends to it failed"
        text += f"; {unknown} messages more may be in any log" if unknown else ""
        yield Failure("log_surplus", log.place, 0, surplus, f"{text}: duplicates, or another program's")


def _offsets(lost: LostOffsets) -> str:
    listed = ", ".join(map(str, lost.first_offsets))
    return f"offsets {listed}{', …' if lost.offsets > len(lost.first_offsets) else ''}"
