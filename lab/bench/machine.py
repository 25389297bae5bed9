# SPDX-License-Identifier: Apache-2.0
"""What a result was measured on."""

import os
import platform
from pathlib import Path


def headline() -> str:
    """Cores, processor, kernel and load in one line."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        "unknown processor",
    )
    return f"{os.cpu_count()} cores, {model}, kernel {platform.release()}; load {os.getloadavg()[0]:.1f}"


def machine_busy_seconds() -> float:
    """Time that all processors together have worked since boot, for all programs."""
    fields = [int(value) for value in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    user, nice, system, _idle, _iowait, irq, softirq, steal = fields
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
