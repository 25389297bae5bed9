# SPDX-License-Identifier: Apache-2.0
"""Starts the load generator."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from tailrace.errors import BadInput, Failed
from tailrace.runs import planning
from tailrace.stack.api import SET_UP, StackPaths

# In its lines about options: users see the command ``tailrace`` alone.
_OWN_NAME = re.compile(r"^tailrace-loadgen \w+: |; see tailrace-loadgen \w+ --help$", re.MULTILINE)

DIALECTS = ("omb", "redpanda", "vanlightly", "automq", "tailrace")


@dataclass(frozen=True)
class Inputs:
    """The user's input; ``bootstrap_servers`` and ``seed`` override the files'.

    ``point`` numbers the points of a workload with ``vary``, from 0. ``dialect`` is the format of a
    workload file that does not name it; None for a guess.
    """

    workload: Path
    driver: Path
    seed: int | None
    bootstrap_servers: str | None
    point: int | None = None
    dialect: str | None = None

    def command_line(self, root: Path) -> str:
        """The command that repeats this run in the repository."""
        words = ["tailrace", "run", *self._files()[1:], *self._overrides()]
        return shlex.join(word.removeprefix(f"{root}/") for word in words)

    def arguments(self, paths: StackPaths) -> list[str]:
        """For the load generator; the default brokers are the stack's own."""
        return [*self._files(), "--default-bootstrap-servers", local_servers(paths), *self._overrides()]

    def _files(self) -> list[str]:
        return ["--workload", str(self.workload), "--driver", str(self.driver)]

    def _overrides(self) -> list[str]:
        given = {
            **{"--bootstrap-servers": self.bootstrap_servers, "--seed": self.seed},
            **{"--point": self.point, "--dialect": self.dialect},
        }
        return [word for name, value in given.items() if value is not None for word in (name, str(value))]


def local_servers(paths: StackPaths) -> str:
    """Where the stack's own brokers listen."""
    return paths.broker_servers()


def java(env: Mapping[str, str] = os.environ) -> str:
    """The java program: of JAVA_HOME when that is set, else of PATH. Raises BadInput."""
    home = env.get("JAVA_HOME")
    found = shutil.which(f"{home}/bin/java" if home else "java")
    if found is None:
        raise BadInput(f"no java in {home or 'PATH'}; install a JDK 17 or later (tailrace doctor)")
    return found


def command(paths: StackPaths, env: Mapping[str, str] = os.environ) -> list[str]:
    """java with the load generator's flags and jar."""
    if not paths.loadgen_jar.exists():
        raise BadInput(f"{paths.loadgen_jar} missing; {SET_UP}")
    return [java(env), *_class_archive(paths), *jvm_options(env), "-jar", str(paths.loadgen_jar)]


def _class_archive(paths: StackPaths) -> list[str]:
    """Set-up's archive of loaded classes, which halves the CPU of a start; java ignores that of another java or jar."""
    archive = paths.loadgen_jar.with_suffix(".jsa")
    return [f"-XX:SharedArchiveFile={archive}", "-Xlog:cds*=off"] if archive.exists() else []


def jvm_options(env: Mapping[str, str] = os.environ) -> list[str]:
    """Flags of java: ``TAILRACE_LOADGEN_HEAP`` sets the heap, ``TAILRACE_LOADGEN_JVM`` adds flags."""
    heap = env.get("TAILRACE_LOADGEN_HEAP")
    if heap and not re.fullmatch(r"\d+[kKmMgG]?", heap):
        raise BadInput(f"TAILRACE_LOADGEN_HEAP={heap}: give a size as java takes it, such as 2g")
    sizes = [f"-Xms{heap}", f"-Xmx{heap}"] if heap else ["-Xms512m", "-Xmx1g"]
    return [*sizes, "-XX:+UseG1GC", *shlex.split(env.get("TAILRACE_LOADGEN_JVM", ""))]


def plan(paths: StackPaths, inputs: Inputs, workers: int = 1) -> planning.Plan:
    """The one plan of the files; see ``plans``. Raises BadInput when they vary."""
    found = plans(paths, inputs, workers)
    if len(found) > 1:
        raise BadInput(f"{inputs.workload} varies {len(found)} points; say which with --point K")
    return found[0]


def plans(paths: StackPaths, inputs: Inputs, workers: int = 1) -> list[planning.Plan]:
    """Check the files and plan each run that they describe, without a connection.

    ``workers`` load generators share each run.

    With bad input the load generator's lines are printed to stderr and the command exits with 2.
    """
    done = subprocess.run(
        [*command(paths), "plan", "--workers", str(workers), *inputs.arguments(paths)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == BadInput.exit_code:
        click.echo(_OWN_NAME.sub("", done.stderr), err=True, nl=False)
        raise SystemExit(BadInput.exit_code)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise Failed(f"the load generator could not plan the run: {lines[-1]}")
    return planning.parse(done.stdout)
