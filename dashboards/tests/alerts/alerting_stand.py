# SPDX-License-Identifier: Apache-2.0
"""What the fixtures of this folder hand to its tests."""

from dataclasses import dataclass, field


@dataclass
class Webhook:
    """What Alertmanager delivered: status, alert name and labels, in order."""

    port: int
    received: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)


@dataclass
class Alerting:
    """The metrics store that vmalert asks, and where Alertmanager delivers."""

    metrics_url: str
    webhook: Webhook
