# SPDX-License-Identifier: Apache-2.0
"""A Java agent that delays a broker at one place of a request's way."""

import subprocess
from pathlib import Path

from lab.stand.errors import StandError
from tailrace.api import StackPaths

_SOURCE = Path(__file__).with_name("DelayAgent.java")


def option(folder: Path, command: Path) -> str:
    """Compile the agent in ``folder``; the option of a JVM that loads it, with the file that it follows."""
    folder.mkdir(parents=True)
    (library,) = (StackPaths.load().root / ".tailrace/build/brokeragent/agent/lib").glob("byte-buddy-*.jar")
    _run("javac", "-cp", str(library), "-d", str(folder / "classes"), str(_SOURCE))
    manifest = folder / "manifest.txt"
    manifest.write_text(f"Premain-Class: DelayAgent\nClass-Path: {library.as_uri()}\n", encoding="utf-8")
    jar = folder / "delays.jar"
    _run("jar", "cfm", str(jar), str(manifest), "-C", str(folder / "classes"), ".")
    return f"-javaagent:{jar}={command}"


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise StandError(f"{command[0]} ended with {done.returncode}: {done.stderr[-2000:]}")
