# SPDX-License-Identifier: Apache-2.0
"""How long a watch goes on while nothing is heard of its run."""

# Seconds in which one of the two never answered: its address is wrong, or it is not up.
NEVER_S = 8.0
# Of an outage: whoever restarts it has it back before this, and the run goes on.
OUTAGE_S = 600.0
# VictoriaMetrics answers and has nothing of the run, which still is called running.
QUIET_S = 180.0


class Patience:
    """Remembers when VictoriaMetrics, or the warehouse, answered. Times are seconds of one
    monotonic clock; ``last``: the latest answer, before the first one the beginning."""

    def __init__(self, now: float) -> None:
        self.last = now
        self._ever = False
        self._quiet_since: float | None = None

    def answered(self, empty: bool, now: float) -> None:
        """It answered; ``empty``: it had nothing of the run."""
        self.last, self._ever = now, True
        if not empty:
            self._quiet_since = None
        elif self._quiet_since is None:
            self._quiet_since = now

    def refused(self) -> None:
        """It did not answer. What was quiet before it says nothing about the run afterwards."""
        self._quiet_since = None

    def outage_over(self, now: float) -> bool:
        """Whether it has not answered for so long that asking on is no use."""
        return now - self.last > (OUTAGE_S if self._ever else NEVER_S)

    def abandoned(self, now: float) -> bool:
        """Whether the run has been without metrics for so long that nobody can be at it."""
        return self._quiet_since is not None and now - self._quiet_since > QUIET_S
