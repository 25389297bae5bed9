# SPDX-License-Identifier: Apache-2.0
"""A run whose messages another program copies to a second topic, on top of ``model``."""

import json
from dataclasses import replace
from typing import Any

from lab.simulated.model import Model

COPY_OFFSET = 1000


class Copied(Model):
    """It reads the copy only, whose offsets are higher by ``COPY_OFFSET``."""

    def __init__(self, run_id: str) -> None:
        super().__init__(run_id)
        self.delivered = [replace(m, offset=m.offset + COPY_OFFSET) for m in self.published]
        self.ledger["deliveries", "other_run", ""] = 0

    @property
    def copy(self) -> str:
        return f"{self.topic}-copy"

    def _deliveries(self) -> list[list[Any]]:
        return [[*row[:5], self.copy, *row[6:]] for row in super()._deliveries()]

    def _ledger(self) -> list[list[Any]]:
        for kind in ("received", "recorded"):
            self.ledger["deliveries", kind, ""] = len(self.delivered)
        return super()._ledger()

    def _run(self) -> list[Any]:
        row = super()._run()
        manifest = json.loads(row[10])
        written = {**manifest["plan"]["topics"][0], "subscriptions": 0}
        copy = {"name": self.copy, "partitions": 2, "subscriptions": 1, "copy_of": self.topic}
        manifest["plan"]["topics"] = [written, copy]
        return [*row[:10], json.dumps(manifest), *row[11:]]
