# SPDX-License-Identifier: Apache-2.0
"""Names what is missing on the machine. Runs before any package is installed: standard library only.

``python3 -m tailrace.stack.doctor [--tools]``; with ``--tools`` it prints only what is missing, and skips the ports,
which set-up does not need.
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
    """A program that set-up needs: how to ask its version, and the oldest version that works."""

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

# Either name; without it the report's browser tests are skipped.
_CHROMIUM = ("chromium", "chromium-browser")


def main(tools_only: bool = False) -> int:
    """Print the findings; 0 when nothing is missing, else 2."""
    problems = []
    for tool in TOOLS:
        version, problem = examine(tool)
        if problem:
            problems.append(problem)
        elif not tools_only:
            print(f"ok       {tool.name} {version}")
    problems += python_problems()
    try:
        paths = StackPaths.load()
        problems += preflight.disk_problems(paths)
        if not tools_only:
            problems += preflight.port_problems(paths)
    except BadInput as err:
        problems.append(str(err))
    for line in problems:
        print(f"missing  {line}")
    if not tools_only and not any(map(shutil.which, _CHROMIUM)):
        print("optional  chromium: apt install chromium (the report's browser tests)")
    if not problems and not tools_only:
        print("ok       python, disk and ports; nothing is missing")
        print("         a first set-up takes about 4 GiB of disk, language caches included")
    return 2 if problems else 0


def examine(tool: Tool) -> tuple[str, str]:
    """(version found, the problem in one line); one of the two is empty."""
    required = f"{tool.name} {'.'.join(map(str, tool.minimum))} or newer"
    path = shutil.which(tool.name)
    if path is None:
        return "", f"{required}: not found on PATH; {tool.remedy}"
    try:
        answer = subprocess.run([path, *tool.command[1:]], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as err:
        return "", f"{required}: {path} does not run ({err}); {tool.remedy}"
    match = re.search(tool.pattern, answer.stdout + answer.stderr)
    if match is None:
        return "", f"{required}: {path} prints no version; {tool.remedy}"
    version = match.group(1)
    if tuple(int(part) for part in version.split(".") if part) < tool.minimum:
        return "", f"{required}: {path} is {version}; {tool.remedy}"
    return version, ""


def python_problems() -> list[str]:
    """Checks the Python that runs this program; set-up will use the same one."""
    problems = []
    if sys.version_info < (3, 11):  # noqa: UP036 - it runs before the right one is there
        found = ".".join(map(str, sys.version_info[:3]))
        problems.append(f"python3 3.11 or newer: {sys.executable} is {found}; apt install python3")
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        problems.append("python3's venv module: not installed; apt install python3-venv")
    return problems


if __name__ == "__main__":
    sys.exit(main(tools_only="--tools" in sys.argv[1:]))
