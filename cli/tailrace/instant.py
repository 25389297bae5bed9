# SPDX-License-Identifier: Apache-2.0
"""Parses times that users give."""

from datetime import UTC, datetime

from tailrace.errors import BadInput


def instant(option: str, text: str) -> datetime:
    """The time in ``text``, UTC if it has no zone. Raises BadInput with the option's name."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError as err:
        raise BadInput(f"{option} {text}: not a time; write it as 2026-01-01T12:00:00 (UTC)") from err
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
