# SPDX-License-Identifier: Apache-2.0
"""All kinds of faults, by name."""

from __future__ import annotations

from faultlab.fault import Kind
from faultlab.kinds import broker, devices

ALL: dict[str, Kind] = {kind.name: kind for module in (devices, broker) for kind in module.KINDS}
