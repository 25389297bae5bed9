# SPDX-License-Identifier: Apache-2.0
"""How long ``tailrace watch`` waits for a service or a run that does not answer."""

# A service that never answered for this long has a wrong address, or is not running.
NEVER_S = 8.0
# A restarted service is back within this time, and the run goes on.
OUTAGE_S = 600.0
# A run in state running that has no metrics for this long, though VictoriaMetrics answers, is gone.
QUIET_S = 180.0


class Patience:
    """Records when VictoriaMetrics or the warehouse answered. Times are seconds of one monotonic clock;
    ``last``: the latest answer, initially the start."""

    def __init__(self, now: float) -> None:
        self.last = now
        self._ever = False
        self._quiet_since: float | None = None

    def answered(self, empty: bool, now: float) -> None:
        """It answered; ``empty``: without a value of the run."""
        self.last, self._ever = now, True
        if not empty:
            self._quiet_since = None
        elif self._quiet_since is None:
            self._quiet_since = now

    def refused(self) -> None:
        """It did not answer. A quiet time before the outage does not count afterwards."""
        self._quiet_since = None

    def outage_over(self, now: float) -> bool:
        """Whether it has not answered for too long."""
        return now - self.last > (OUTAGE_S if self._ever else NEVER_S)

    def abandoned(self, now: float) -> bool:
        """Whether the run has had no metrics for too long."""
        return self._quiet_since is not None and now - self._quiet_since > QUIET_S
