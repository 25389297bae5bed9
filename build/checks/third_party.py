#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every direct dependency must be named, with its licence, in THIRD_PARTY.md. Exit 1 lists the missing."""

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from repository import ROOT, report

OWN = ("tailrace.dev/", "io.tailrace")


def direct() -> Iterator[tuple[Path, str]]:
    """(file, name as THIRD_PARTY.md should show it) of each direct dependency."""
    for pom in (ROOT / "loadgen/pom.xml", ROOT / "stack/kafka/pom.xml"):
        dependency = r"<(?:dependency|artifactItem)>.*?<artifactId>([^<]+)</artifactId>"
        for name in re.findall(dependency, pom.read_text(), re.S):
            yield pom, name
    for module in [m for depth in ("*", "*/*", "*/*/*") for m in ROOT.glob(f"{depth}/go.mod")]:
        if ".tailrace" in module.parts:
            continue
        required = re.findall(r"^\s*([\w.-]+\.[\w.-]+/\S+) v\S+(?!.*// indirect)$", module.read_text(), re.M)
        tools = re.findall(r"^\s*(?:tool\s+)?([\w.-]+\.[\w.-]+/\S+)$", module.read_text(), re.M)
        for name in required + [tool for tool in tools if not tool.startswith("module")]:
            # The repository, not the package inside it: the first three path elements at the most.
            host, *rest = name.split("/")
            yield module, "/".join([host, *rest[: 2 if host == "github.com" else 1]])
    package = ROOT / "build/setup/package.json"
    for name in json.loads(package.read_text())["dependencies"]:
        yield package, name
    project = ROOT / "cli/pyproject.toml"
    tables = tomllib.loads(project.read_text())["project"]
    for line in tables["dependencies"] + tables["optional-dependencies"]["dev"]:
        yield project, re.split(r"[=<>\[]", line)[0]


def main() -> int:
    page = (ROOT / "THIRD_PARTY.md").read_text()
    names = sorted({(file, name) for file, name in direct() if not name.startswith(OWN)})
    missing = [
        f"{file.relative_to(ROOT)}: {name} is not in THIRD_PARTY.md; add it with its licence"
        for file, name in names
        if name not in page
    ]
    return report("third party", f"{len(names)} direct dependencies", missing, "not listed")


if __name__ == "__main__":
    sys.exit(main())
