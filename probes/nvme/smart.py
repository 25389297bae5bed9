#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the NVMe drives' SMART data, and their write amplification, for node_exporter's textfile collector.

Usage: smart.py FILE [SECONDS [SYSFS]]      writes FILE now and every SECONDS (60)

It calls nvme-cli: ``nvme smart-log`` of every drive, and ``nvme ocp smart-add-log`` of those that follow the
OCP data centre specification, the only ones that report what they wrote to flash. Standard library only, so
that it runs on any host.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

DATA_UNIT_BYTES = 512 * 1000
KELVIN = 273
SYSFS = "/sys/class/nvme"

# nvme-cli's key, metric, type, help, factor and offset
SMART = (
    ("critical_warning", "critical_warning", "gauge", "Critical warning bits, 0 when all is well.", 1, 0),
    ("temperature", "temperature_celsius", "gauge", "Composite temperature.", 1, -KELVIN),
    ("percent_used", "used_ratio", "gauge", "Share of the rated endurance that is used up; may exceed 1.", 0.01, 0),
    ("avail_spare", "available_spare_ratio", "gauge", "Spare blocks left.", 0.01, 0),
    ("data_units_read", "read_bytes_total", "counter", "Bytes the host read.", DATA_UNIT_BYTES, 0),
    ("data_units_written", "written_bytes_total", "counter", "Bytes the host wrote.", DATA_UNIT_BYTES, 0),
    ("controller_busy_time", "busy_seconds_total", "counter", "Time the controller had commands to do.", 60, 0),
    ("media_errors", "media_errors_total", "counter", "Errors of data integrity.", 1, 0),
    ("unsafe_shutdowns", "unsafe_shutdowns_total", "counter", "Losses of power without notice.", 1, 0),
    ("warning_temp_time", "warning_temperature_seconds_total", "counter", "Time above the warning temperature.", 60, 0),
    ("critical_comp_time", "critical_temperature_seconds_total", "counter", "Time above the critical one.", 60, 0),
    ("thm_temp1_trans_count", "light_throttles_total", "counter", "Times the drive slowed down for heat.", 1, 0),
    ("thm_temp2_trans_count", "heavy_throttles_total", "counter", "Times it slowed down a lot for heat.", 1, 0),
)
# Both spellings are in use: with blanks until nvme-cli 2.10, with underscores in its second output format.
FLASH_WRITTEN = ("Physical media units written", "physical_media_units_written")


class Metrics:
    """Text of one exposition: samples are kept together by metric, as the format requires."""

    def __init__(self) -> None:
        self._families: dict[str, list[str]] = {}

    def add(self, name: str, kind: str, text: str, labels: dict[str, str], value: float) -> None:
        head = [f"# HELP nvme_smart_{name} {text}", f"# TYPE nvme_smart_{name} {kind}"]
        pairs = ",".join(f'{key}="{escaped(text)}"' for key, text in labels.items())
        braced = f"{{{pairs}}}" if pairs else ""
        self._families.setdefault(name, head).append(f"nvme_smart_{name}{braced} {value:.15g}")

    def text(self) -> str:
        return "".join(line + "\n" for lines in self._families.values() for line in lines)


def escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


def drives(sysfs: Path) -> dict[str, str]:
    """Controller to block device, nvme0 to nvme0n1; to itself when it has none or several."""
    found = {}
    for controller in sorted(sysfs.glob("nvme*")):
        spaces = [each.name for each in controller.glob(f"{controller.name}n*")]
        found[controller.name] = spaces[0] if len(spaces) == 1 else controller.name
    return found


def ask(*arguments: str) -> dict[str, Any]:
    """The JSON that nvme-cli prints. Raises OSError or ValueError with the reason in words."""
    try:
        done = subprocess.run(
            ["nvme", *arguments, "--output-format=json"], capture_output=True, text=True, timeout=10, check=False
        )
    except FileNotFoundError:
        raise OSError("nvme-cli is not installed") from None
    except subprocess.TimeoutExpired:
        raise OSError("the drive did not answer in 10 s") from None
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise OSError(lines[-1] if lines else f"exit code {done.returncode}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def number(value: Any) -> float:
    """A count as nvme-cli writes it: a number, digits in a string, or two halves of 128 bits."""
    if isinstance(value, dict):
        return int(value["hi"]) * 2.0**64 + int(value["lo"])
    return float(value)


def add_smart(metrics: Metrics, labels: dict[str, str], log: dict[str, Any]) -> None:
    for key, name, kind, text, factor, offset in SMART:
        if key in log:
            # Rounded: 7 * 0.01 is not 0.07 otherwise.
            metrics.add(name, kind, text, labels, round(number(log[key]) * factor + offset, 6))


def add_flash(metrics: Metrics, labels: dict[str, str], log: dict[str, Any]) -> None:
    for key in FLASH_WRITTEN:
        if key in log:
            text = "Bytes written to flash; over written_bytes_total this is the write amplification."
            metrics.add("flash_written_bytes_total", "counter", text, labels, number(log[key]))
            return


def read(sysfs: Path) -> tuple[Metrics, list[str]]:
    """Metrics of all drives, and one line for each drive that cannot be read."""
    metrics, troubles = Metrics(), []
    found = drives(sysfs)
    metrics.add("drives", "gauge", "NVMe drives of this host.", {}, len(found))
    for controller, device in found.items():
        labels = {"controller": controller, "device": device}
        reason = ""
        try:
            add_smart(metrics, labels, ask("smart-log", f"/dev/{controller}"))
        except (OSError, ValueError) as error:
            reason = str(error)
            troubles.append(f"{controller}: {reason}")
        help_text = "1 when the drive's SMART log could be read, else 0 and the reason."
        metrics.add("up", "gauge", help_text, labels | {"reason": reason}, 0 if reason else 1)
        if not reason:
            try:
                add_flash(metrics, labels, ask("ocp", "smart-add-log", f"/dev/{controller}"))
            except (OSError, ValueError):
                continue  # most drives are no OCP drives; so flash_written_bytes_total is left out
    return metrics, troubles


def write(file: Path, text: str) -> None:
    """Replaced in one step: the collector may be reading."""
    fresh = file.with_suffix(".new")
    fresh.write_text(text, encoding="utf-8")
    os.replace(fresh, file)


def main(arguments: list[str]) -> int:
    if not 1 <= len(arguments) <= 3 or not all(text.isdigit() for text in arguments[1:2]):
        print(__doc__, file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    given = dict(enumerate(arguments))
    file, pause, sysfs = Path(given[0]), int(given.get(1, "60")), Path(given.get(2, SYSFS))
    logged: list[str] | None = None
    while True:
        metrics, troubles = read(sysfs)
        write(file, metrics.text())
        if troubles != logged:
            print(f"NVMe drives: {len(drives(sysfs))}; {'; '.join(troubles) or 'all readable'}", flush=True)
            logged = troubles
        time.sleep(pause)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
