# SPDX-License-Identifier: Apache-2.0
"""What a result was measured on."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def machine() -> str:
    """Cores, processor and kernel in one line."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        "unknown processor",
    )
    return f"{os.cpu_count()} cores, {model}, kernel {platform.release()}"
