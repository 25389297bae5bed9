# SPDX-License-Identifier: Apache-2.0
"""The conditions that rules are made of: how a signal must have changed.

A condition returns the signals that support it, or None if it does not hold. A signal that was not
measured supports nothing, neither that it rose nor that it stayed level.
"""

from collections.abc import Callable

from tailrace.explain.signals import Signal, View

Condition = Callable[[View], list[Signal] | None]
# The least change that counts, in spreads of the quiet seconds.
CLEAR = 4.0


def rose(name: str, times: float, by: float = 0, of_rise: float = 0) -> Condition:
    """At least ``times`` its quiet level, and higher by ``by`` and by ``of_rise`` of latency's rise."""

    def holds(view: View) -> list[Signal] | None:
        signal = view.get(name)
        if signal is None or signal.z < CLEAR or signal.during < times * signal.before:
            return None
        return [signal] if signal.rise >= max(by, of_rise * view.rise_ms) else None

    return holds


def spiked(name: str, times: float, by: float = 0, of_rise: float = 0) -> Condition:
    """As ``rose``, for the worst seconds of the episode against the worst quiet seconds."""

    def holds(view: View) -> list[Signal] | None:
        signal = view.get(name)
        if signal is None or signal.peak < times * max(signal.quiet_peak, 0):
            return None
        enough = signal.peak - signal.quiet_peak >= max(by, of_rise * view.rise_ms, 1e-9)
        return [signal] if enough else None

    return holds


def fell(name: str, to: float) -> Condition:
    """At most this share of its quiet level."""

    def holds(view: View) -> list[Signal] | None:
        signal = view.get(name)
        if signal is None or signal.z > -3 or signal.during > to * signal.before:
            return None
        return [signal]

    return holds


def vanished(name: str, least: float) -> Condition:
    """From at least ``least`` to zero, in a quarter of the episode or more."""

    def holds(view: View) -> list[Signal] | None:
        signal = view.get(name)
        if signal is None or signal.before < least:
            return None
        return [signal] if signal.low <= 0.05 * signal.before else None

    return holds


def reached(name: str, least: float) -> Condition:
    """At least this much, whatever its quiet level."""

    def holds(view: View) -> list[Signal] | None:
        signal = view.get(name)
        return [signal] if signal is not None and signal.during >= least else None

    return holds


def persisted(name: str, by: float) -> Condition:
    """Under ``by`` in quiet seconds, and higher by ``by`` in three of four seconds of the episode."""

    def holds(view: View) -> list[Signal] | None:
        signal = view.get(name)
        if signal is None or signal.before >= by:
            return None
        return [signal] if signal.low >= signal.before + by else None

    return holds


def never(name: str) -> Condition:
    """Measured, and zero in at least 95 % of the episode."""

    def holds(view: View) -> list[Signal] | None:
        signal = view.get(name)
        return [signal] if signal is not None and signal.peak <= 0 else None

    return holds


def calm(name: str, times: float, by: float) -> Condition:
    """Measured, and below ``times`` its quiet level or higher by less than ``by``."""

    def holds(view: View) -> list[Signal] | None:
        signal = view.get(name)
        if signal is None:
            return None
        return [signal] if signal.during < times * signal.before or signal.rise < by else None

    return holds


def stayed(name: str, than: str, share: float) -> Condition:
    """Its rise is under ``share`` of the rise of ``than``, so it cannot account for the time."""

    def holds(view: View) -> list[Signal] | None:
        signal, other = view.get(name), view.get(than)
        if signal is None or other is None:
            return None
        return [signal] if signal.rise < share * other.rise else None

    return holds


def small(name: str, than: str, share: float) -> Condition:
    """Its level is under ``share`` of the level of ``than``."""

    def holds(view: View) -> list[Signal] | None:
        signal, other = view.get(name), view.get(than)
        if signal is None or other is None:
            return None
        return [signal] if signal.during < share * other.during else None

    return holds


def measured(name: str) -> Condition:
    return lambda view: [] if view.get(name) is not None else None


def unmeasured(name: str) -> Condition:
    return lambda view: [] if view.get(name) is None else None


def without(condition: Condition) -> Condition:
    """The condition does not hold."""
    return lambda view: [] if condition(view) is None else None


def either(*conditions: Condition) -> Condition:
    """The first condition that holds."""

    def holds(view: View) -> list[Signal] | None:
        for condition in conditions:
            found = condition(view)
            if found is not None:
                return found
        return None

    return holds


def both(*conditions: Condition) -> Condition:
    def holds(view: View) -> list[Signal] | None:
        found: list[Signal] = []
        for condition in conditions:
            each = condition(view)
            if each is None:
                return None
            found += each
        return found

    return holds
