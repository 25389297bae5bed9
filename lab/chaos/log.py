# SPDX-License-Identifier: Apache-2.0
"""LogReader, the independent consumer, compiled at its first use with the broker's jars."""

import hashlib
import re
import subprocess
from pathlib import Path

import numpy as np

from lab.chaos.messages import LOGGED, Entries
from lab.chaos.stand import ChaosStand
from lab.stand.errors import StandError
from tailrace.api import Endpoints, java

_SOURCE = Path(__file__).resolve().parent / "reader" / "LogReader.java"
_TIMEOUT_S = 300


def read(stand: ChaosStand, run_id: str) -> tuple[Entries, dict[int, tuple[int, int]]]:
    """Every message in the run's topic up to the log's end, and the first and end offset of each partition."""
    file = stand.folder / f"{run_id}.log"
    printed = call(stand, "read", run_id, str(file))
    ends = re.findall(r"^partition (\d+) from (\d+) to (\d+)$", printed, re.M)
    logged = np.fromfile(file, LOGGED)
    file.unlink()
    return logged, {int(partition): (int(first), int(end)) for partition, first, end in ends}


def call(stand: ChaosStand, verb: str, run_id: str, *arguments: str) -> str:
    """What ``LogReader verb SERVERS run_id arguments`` prints. Raises StandError when it fails."""
    libs = f"{stand.paths.kafka_home}/libs/*"
    classes = stand.folder.parent / f"reader-{hashlib.sha256(_SOURCE.read_bytes()).hexdigest()[:12]}"
    if not classes.exists():
        new = classes.with_suffix(".new")
        _run(["javac", "-cp", libs, "-d", str(new), str(_SOURCE)])
        new.rename(classes)
    logging = stand.paths.root / "stack" / "kafka" / "log4j2.yaml"
    flags = ["-Xmx256m", "-XX:TieredStopAtLevel=1", f"-Dlog4j2.configurationFile={logging}"]
    servers = Endpoints.load(stand.paths).bootstrap_servers
    return _run([java(), *flags, "-cp", f"{classes}:{libs}", "LogReader", verb, servers, run_id, *arguments])


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_TIMEOUT_S)
    if done.returncode:
        raise StandError(
            f"{' '.join(command)} ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return done.stdout
