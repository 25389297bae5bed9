# SPDX-License-Identifier: Apache-2.0
"""The files of one trial: workload with the given length and rate, driver with the claim's properties."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tailrace.certify.claims import Claim
from tailrace.errors import BadInput, Failed

SECTIONS = ("topicConfig", "commonConfig", "producerConfig", "consumerConfig")


def workload(source: Path, target: Path, duration_s: int, rate: int | None) -> Path:
    """Write the workload with another length and, if given, another rate."""
    text = source.read_text(encoding="utf-8")
    values = {"testDuration": f"{duration_s}s"} | ({} if rate is None else {"producerRate": str(rate)})
    for key, value in values.items():
        text, found = re.subn(rf"(?m)^{key}:.*$", f"{key}: {value}", text)
        if found != 1:
            raise Failed(f"{source}: needs one line '{key}: …', has {found}")
    target.write_text(text, encoding="utf-8")
    return target


def driver(source: Path, target: Path, claim: Claim) -> Path:
    """Write the driver with the properties that the claim needs in place of its own. Raises BadInput."""
    content = read_driver(source)
    for section, properties in claim.driver.items():
        content[section] = replaced(str(content.get(section) or ""), properties)
    target.touch(mode=0o600)
    target.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return target


def read_driver(source: Path) -> dict[str, Any]:
    """The driver file's mapping. Raises BadInput when it is none."""
    try:
        content = yaml.safe_load(source.read_text(encoding="utf-8"))
    except OSError as err:
        raise BadInput(f"{source}: {err.strerror}; give a driver file with --driver") from err
    except yaml.YAMLError as err:
        raise BadInput(f"{source}: is no YAML: {' '.join(str(err).split())}") from err
    if not isinstance(content, dict):
        raise BadInput(f"{source}: is no driver file; see workloads/README.md")
    return content


def replaced(text: str, properties: Mapping[str, str]) -> str:
    """A section of properties with other values of these."""
    kept = [line for line in text.splitlines() if re.split(r"[=:\s]", line.strip(), maxsplit=1)[0] not in properties]
    return "\n".join([*kept, *(f"{name}={value}" for name, value in properties.items())]) + "\n"
