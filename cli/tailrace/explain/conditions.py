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
# The least fall that counts, in the same spreads: a fall ends at zero, a rise has no such bound.
CLEAR_FALL = -3.0


def _signal(name: str, test: Callable[[Signal, View], bool]) -> Condition:
    """The signal was measured and passes the test."""

    def holds(view: View) -> list[Signal] | None:
        signal = view.get(name)
        return [signal] if signal is not None and test(signal, view) else None

    return holds


def _relative(name: str, than: str, test: Callable[[Signal, Signal], bool]) -> Condition:
    """Both signals were measured and pass the test."""

    def holds(view: View) -> list[Signal] | None:
        signal, other = view.get(name), view.get(than)
        return [signal] if signal is not None and other is not None and test(signal, other) else None

    return holds


def rose(name: str, times: float, by: float = 0, of_rise: float = 0) -> Condition:
    """At least ``times`` its baseline, and higher by ``by`` and by ``of_rise`` of latency's rise."""

    def test(signal: Signal, view: View) -> bool:
        clearly = signal.z >= CLEAR and signal.during >= times * signal.before
        return clearly and signal.rise >= max(by, of_rise * view.rise_ms)

    return _signal(name, test)


def spiked(name: str, times: float, by: float = 0, of_rise: float = 0) -> Condition:
    """As ``rose``, for the worst seconds of the episode against the worst quiet seconds."""

    def test(signal: Signal, view: View) -> bool:
        higher = signal.peak - signal.quiet_peak >= max(by, of_rise * view.rise_ms, 1e-9)
        return higher and signal.peak >= times * max(signal.quiet_peak, 0)

    return _signal(name, test)


def fell(name: str, to: float) -> Condition:
    """At most this share of its baseline."""
    return _signal(name, lambda signal, _: signal.z <= CLEAR_FALL and signal.during <= to * signal.before)


def vanished(name: str, least: float) -> Condition:
    """From at least ``least`` to zero, in a quarter of the episode or more."""
    return _signal(name, lambda signal, _: signal.before >= least and signal.low <= 0.05 * signal.before)


def reached(name: str, least: float) -> Condition:
    """At least this much, whatever its baseline."""
    return _signal(name, lambda signal, _: signal.during >= least)


def persisted(name: str, by: float) -> Condition:
    """Under ``by`` in quiet seconds, and higher by ``by`` in three of four seconds of the episode."""
    return _signal(name, lambda signal, _: signal.before < by and signal.low >= signal.before + by)


def never(name: str) -> Condition:
    """Measured, and zero in at least 95 % of the episode: ``peak`` is the 95th percentile of its seconds."""
    return _signal(name, lambda signal, _: signal.peak <= 0)


def calm(name: str, times: float, by: float) -> Condition:
    """Measured, and below ``times`` its baseline or higher by less than ``by``."""
    return _signal(name, lambda signal, _: signal.during < times * signal.before or signal.rise < by)


def stayed(name: str, than: str, share: float) -> Condition:
    """Its rise is under ``share`` of the rise of ``than``, so it cannot account for the time."""
    return _relative(name, than, lambda signal, other: signal.rise < share * other.rise)


def small(name: str, than: str, share: float) -> Condition:
    """Its level is under ``share`` of the level of ``than``."""
    return _relative(name, than, lambda signal, other: signal.during < share * other.during)


def measured(name: str) -> Condition:
    """Measured in enough of the episode, whatever its value; it is no evidence."""
    return lambda view: [] if view.get(name) is not None else None


def unmeasured(name: str) -> Condition:
    return without(measured(name))


def without(condition: Condition) -> Condition:
    """The condition does not hold."""
    return lambda view: [] if condition(view) is None else None


def any_of(*conditions: Condition) -> Condition:
    """The first condition that holds."""
    return lambda view: next((found for each in conditions if (found := each(view)) is not None), None)


def all_of(*conditions: Condition) -> Condition:
    """All conditions hold."""

    def holds(view: View) -> list[Signal] | None:
        found: list[Signal] = []
        for condition in conditions:
            signals = condition(view)
            if signals is None:
                return None
            found += signals
        return found

    return holds
