# SPDX-License-Identifier: Apache-2.0
"""Formats of numbers, times and durations on pages."""

from datetime import datetime

MISSING = "–"


def count(number: float | None) -> str:
    """1234567 → ``1,234,567``."""
    return MISSING if number is None else f"{number:,.0f}"


def brief(number: float) -> str:
    """Three significant digits; whole numbers keep all digits."""
    size = abs(number)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{number:,.{digits}f}"


def latency(us: float | None) -> str:
    """µs → ``842 µs``, ``3.85 ms`` or ``1.24 s``, to three digits."""
    if us is None:
        return MISSING
    size = abs(us)
    if size < 1_000:
        return f"{us:,.0f} µs"
    return f"{brief(us / 1e6)} s" if size >= 1_000_000 else f"{brief(us / 1e3)} ms"


def exact_ms(us: float | None) -> str:
    """µs → ms with three decimals, the resolution of the clock."""
    return MISSING if us is None else f"{us / 1000:,.3f}"


def size(number: float | None) -> str:
    """Bytes → ``3.82 GiB``."""
    if number is None:
        return MISSING
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(number) < 1024:
            return f"{brief(number) if unit != 'B' else count(number)} {unit}"
        number /= 1024
    return f"{brief(number)} TiB"


def duration(seconds: float) -> str:
    """90.4 → ``1 min 30 s``."""
    whole = round(seconds)
    if whole < 60:
        return f"{brief(seconds) if seconds < 10 else whole} s"
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    parts = [(hours, "h"), (minutes, "min"), (rest, "s")]
    return " ".join(f"{value} {unit}" for value, unit in parts if value)


def phase_words(name: str) -> str:
    """``backlog_build`` → ``backlog build``."""
    return "warm-up" if name == "warmup" else name.replace("_", " ")


def elapsed(seconds: float) -> str:
    """Seconds since the start of the measure phase as ``[h:]m:ss``."""
    whole = abs(round(seconds))
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    clock = f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
    return f"−{clock}" if seconds < 0 else clock


def moment(when: datetime) -> str:
    return when.strftime("%Y-%m-%d %H:%M:%S UTC")


def signed(number: float | None) -> str:
    """0.914 → ``+0.91``."""
    return MISSING if number is None else f"{number:+.2f}".replace("-", "−")


def lag(seconds: int) -> str:
    """Seconds of a lag with its sign: ``+1 s``."""
    return f"{seconds:+d} s".replace("-", "−") if seconds else "0 s"
