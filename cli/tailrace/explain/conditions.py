# SPDX-License-Identifier: Apache-2.0
"""The words that rules are written in: what a signal must have done.

A condition answers with the signals that bear it out, or None when it does not hold. A signal
that was not measured bears nothing out, neither that it rose nor that it stayed.
"""

from collections.abc import Callable

from tailrace.explain.signals import Signal, View

Condition = Callable[[View], list[Signal] | None]
# In spreads of the quiet seconds.
CLEAR = 4.0


def rose(name: str, times: float, by: float = 0, of_rise: float = 0) -> Condition:
    """To ``times`` its quiet level, by ``by`` of its unit and ``of_rise`` of latency's rise."""

    def holds(view: View) -> list[Signal] | None:
        signal = view.get(name)
        if signal is None or signal.z < CLEAR or signal.during < times * signal.before:
            return None
        return [signal] if signal.rise >= max(by, of_rise * view.rise_ms) else None

    return holds


def spiked(name: str, times: float, by: float = 0, of_rise: float = 0) -> Condition:
    """As ``rose``, in the worst seconds of the episode against the worst of the quiet ones."""

    def holds(view: View) -> list[Signal] | None:
        signal = view.get(name)
        if signal is None or signal.peak < times * max(signal.quiet_peak, 0):
            return None
        enough = signal.peak - signal.quiet_peak >= max(by, of_rise * view.rise_ms, 1e-9)
        return [signal] if enough else None

    return holds


def fell(name: str, to: float) -> Condition:
    """To at most this share of its quiet level."""

    def holds(view: View) -> list[Signal] | None:
        signal = view.get(name)
        if signal is None or signal.z > -3 or signal.during > to * signal.before:
            return None
        return [signal]

    return holds


def vanished(name: str, least: float) -> Condition:
    """From at least ``least`` to nothing, in a quarter of the episode or more."""

    def holds(view: View) -> list[Signal] | None:
        signal = view.get(name)
        if signal is None or signal.before < least:
            return None
        return [signal] if signal.low <= 0.05 * signal.before else None

    return holds


def reached(name: str, least: float) -> Condition:
    """At least this much, whatever it was before."""

    def holds(view: View) -> list[Signal] | None:
        signal = view.get(name)
        return [signal] if signal is not None and signal.during >= least else None

    return holds


def persisted(name: str, by: float) -> Condition:
    """Usually under ``by`` of its unit, and more by that in three of four seconds."""

    def holds(view: View) -> list[Signal] | None:
        signal = view.get(name)
        if signal is None or signal.before >= by:
            return None
        return [signal] if signal.low >= signal.before + by else None

    return holds


def never(name: str) -> Condition:
    """Measured, and zero in all but the rarest seconds of the episode."""

    def holds(view: View) -> list[Signal] | None:
        signal = view.get(name)
        return [signal] if signal is not None and signal.peak <= 0 else None

    return holds


def calm(name: str, times: float, by: float) -> Condition:
    """Measured, and not above ``times`` its quiet level or not by ``by`` of its unit."""

    def holds(view: View) -> list[Signal] | None:
        signal = view.get(name)
        if signal is None:
            return None
        return [signal] if signal.during < times * signal.before or signal.rise < by else None

    return holds


def stayed(name: str, of: str, share: float) -> Condition:
    """Its rise is under ``share`` of the rise of ``of``: it cannot be where the time went."""

    def holds(view: View) -> list[Signal] | None:
        signal, other = view.get(name), view.get(of)
        if signal is None or other is None:
            return None
        return [signal] if signal.rise < share * other.rise else None

    return holds


def small(name: str, of: str, share: float) -> Condition:
    """Its level is under ``share`` of the level of ``of``."""

    def holds(view: View) -> list[Signal] | None:
        signal, other = view.get(name), view.get(of)
        if signal is None or other is None:
            return None
        return [signal] if signal.during < share * other.during else None

    return holds


def measured(name: str) -> Condition:
    return lambda view: [] if view.get(name) is not None else None


def unmeasured(name: str) -> Condition:
    return lambda view: [] if view.get(name) is None else None


def without(condition: Condition) -> Condition:
    """Where the condition does not hold."""
    return lambda view: [] if condition(view) is None else None


def either(*conditions: Condition) -> Condition:
    """The first that holds."""

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
