# SPDX-License-Identifier: Apache-2.0
"""All kinds of faults, by name."""

from lab.faults.fault import Kind
from lab.faults.kinds import broker, cpu, devices, kafka, load, neighbours, network, throttles

_MODULES = (devices, throttles, neighbours, cpu, broker, network, kafka, load)
ALL: dict[str, Kind] = {kind.name: kind for module in _MODULES for kind in module.KINDS}
