# SPDX-License-Identifier: Apache-2.0
"""The demo's files: its workload, at another rate or length, and its driver, which syncs every message."""

import re
from collections.abc import Mapping
from pathlib import Path

from tailrace.errors import Failed
from tailrace.stack.api import StackPaths

FILE = "demo.yaml"


def workload(paths: StackPaths) -> Path:
    return paths.root / "workloads" / FILE


def driver(paths: StackPaths) -> Path:
    name = "kafka-synced.yaml" if paths.brokers == 1 else "kafka-replicated-synced.yaml"
    return paths.root / "workloads" / "drivers" / name


def written(paths: StackPaths, target: Path, values: Mapping[str, str | int]) -> Path:
    """The demo's workload with other ``values`` of its keys, in ``target``. Raises Failed."""
    text = workload(paths).read_text(encoding="utf-8")
    for key, value in values.items():
        text, found = re.subn(rf"(?m)^{key}:.*$", f"{key}: {value}", text)
        if found != 1:
            raise Failed(f"{workload(paths)}: needs one line '{key}: …', has {found}")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    return target
