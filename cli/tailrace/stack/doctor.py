# SPDX-License-Identifier: Apache-2.0
"""Names what the machine lacks. Runs before anything is installed: standard library only.

``python3 -m tailrace.stack.doctor [--tools]``; with ``--tools`` it is silent about what is there
and leaves the ports out, as set-up needs none.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

from tailrace.errors import BadInput
from tailrace.stack import preflight
from tailrace.stack.paths import StackPaths


@dataclass(frozen=True)
class Tool:
    """A program that set-up needs: how to ask its version, and the least that will do."""

    name: str
    command: tuple[str, ...]
    pattern: str
    minimum: tuple[int, ...]
    remedy: str


_JDK = "apt install openjdk-17-jdk-headless"
TOOLS = (
    Tool("java", ("java", "-version"), r'version "([\d.]+)', (17,), _JDK),
    Tool("javac", ("javac", "-version"), r"javac ([\d.]+)", (17,), _JDK),
    Tool("mvn", ("mvn", "-v"), r"Apache Maven ([\d.]+)", (3, 8), "apt install maven"),
    Tool(
        "go",
        ("go", "env", "GOVERSION"),
        r"go([\d.]+)",
        (1, 26),
        "unpack a release of https://go.dev/dl into /usr/local and add /usr/local/go/bin to PATH",
    ),
    Tool(
        "node",
        ("node", "--version"),
        r"v([\d.]+)",
        (20,),
        "unpack a release of https://nodejs.org/en/download and add its bin to PATH",
    ),
    Tool("npm", ("npm", "--version"), r"([\d.]+)", (9,), "comes with node; or apt install npm"),
    Tool("make", ("make", "--version"), r"GNU Make ([\d.]+)", (4,), "apt install make"),
)

# Under either name; without it the tests of the report in a browser are skipped.
_CHROMIUM = ("chromium", "chromium-browser")


def main(tools_only: bool = False) -> int:
    """Print the findings; 0 when nothing is lacking, else 2."""
    lacks = []
    for tool in TOOLS:
        version, lack = examine(tool)
        if lack:
            lacks.append(lack)
        elif not tools_only:
            print(f"ok       {tool.name} {version}")
    lacks += python_lacks()
    try:
        paths = StackPaths.load()
        lacks += preflight.disk_lacks(paths)
        if not tools_only:
            lacks += preflight.port_lacks(paths)
    except BadInput as err:
        lacks.append(str(err))
    for line in lacks:
        print(f"lacking  {line}")
    if not tools_only and not any(map(shutil.which, _CHROMIUM)):
        print("optional  chromium: apt install chromium (the report's browser tests)")
    if not lacks and not tools_only:
        print("ok       python, disk and ports; nothing is lacking")
        print("         a first set-up takes about 4 GiB of disk, language caches included")
    return 2 if lacks else 0


def examine(tool: Tool) -> tuple[str, str]:
    """(version found, the lack in one line); one of the two is empty."""
    wanted = f"{tool.name} {'.'.join(map(str, tool.minimum))} or newer"
    path = shutil.which(tool.name)
    if path is None:
        return "", f"{wanted}: not found on PATH; {tool.remedy}"
    try:
        answer = subprocess.run([path, *tool.command[1:]], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as err:
        return "", f"{wanted}: {path} does not run ({err}); {tool.remedy}"
    match = re.search(tool.pattern, answer.stdout + answer.stderr)
    if match is None:
        return "", f"{wanted}: {path} does not tell its version; {tool.remedy}"
    version = match.group(1)
    if tuple(int(part) for part in version.split(".") if part) < tool.minimum:
        return "", f"{wanted}: {path} is {version}; {tool.remedy}"
    return version, ""


def python_lacks() -> list[str]:
    """The Python that runs this is the one that set-up will use."""
    lacks = []
    if sys.version_info < (3, 11):  # noqa: UP036 - it runs before the right one is there
        found = ".".join(map(str, sys.version_info[:3]))
        lacks.append(f"python3 3.11 or newer: {sys.executable} is {found}; apt install python3")
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        lacks.append("python3's venv module: not installed; apt install python3-venv")
    return lacks


if __name__ == "__main__":
    sys.exit(main(tools_only="--tools" in sys.argv[1:]))
