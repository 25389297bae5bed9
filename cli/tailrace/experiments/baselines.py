# SPDX-License-Identifier: Apache-2.0
"""Seconds that other programs take for the same records: what a consumer's time is held against."""

import importlib.util
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from tailrace.errors import Failed

# Of several tries the fastest counts: the file is in memory by then.
TRIES = 3
LIMIT_S = 900.0
READER = "rdkafka_read.py"
Say = Callable[[str], None]


def measure(records: Path, folder: Path, topics: Iterable[str], servers: str, say: Say) -> dict[str, Any]:
    """``wc`` and ``cat_wc`` in s; ``kcat`` and ``rdkafka`` in s by topic, absent where they are not
    installed or fail, which ``say`` is told."""
    names = list(topics)
    found: dict[str, Any] = {
        "wc": _fastest([["wc", "-l", str(records)]]),
        "cat_wc": _fastest([["cat", str(records)], ["wc", "-l"]]),
    }
    if shutil.which("kcat"):
        found |= _of_topics("kcat", names, lambda name: kcat(servers, name), say)
    else:
        say("kcat is not installed (apt install kcat): its column says so")
    if importlib.util.find_spec("confluent_kafka"):
        reader = [sys.executable, str(folder / READER), servers]
        found |= _of_topics("rdkafka", names, lambda name: [*reader, name], say)
    else:
        say("confluent-kafka is not installed (pip): the column of librdkafka says so")
    return found


# librdkafka sees a partition's end by an empty answer, which a broker holds back for 500 ms
# unless told.
AT_ONCE = ("-X", "fetch.wait.max.ms=1")


def kcat(servers: str, topic: str) -> list[str]:
    """Reads all partitions to their ends and writes nothing of what it read."""
    to_its_end = ["-C", "-q", "-e", "-o", "beginning", "-f", "", *AT_ONCE]
    return ["kcat", *to_its_end, "-b", servers, "-t", topic]


def _of_topics(
    what: str, topics: Iterable[str], command: Callable[[str], list[str]], say: Say
) -> dict[str, dict[str, float]]:
    """By topic; nothing where the program fails: another's fault is not the experiment's."""
    try:
        return {what: {topic: _fastest([command(topic)]) for topic in topics}}
    except Failed as err:
        say(f"{what}: {err}: its column says so")
        return {}


def _fastest(pipeline: Sequence[Sequence[str]]) -> float:
    return round(min(_seconds(pipeline) for _ in range(TRIES)), 4)


def _seconds(pipeline: Sequence[Sequence[str]]) -> float:
    """Wall time from the start of the first program to the end of the last. Raises Failed."""
    began = time.monotonic()
    running: list[subprocess.Popen[bytes]] = []
    try:
        given = None
        for number, command in enumerate(pipeline, start=1):
            out = subprocess.PIPE if number < len(pipeline) else subprocess.DEVNULL
            running.append(subprocess.Popen(command, stdin=given or subprocess.DEVNULL, stdout=out))
            if given:
                # This process must not hold the pipe that the next program reads.
                given.close()
            given = running[-1].stdout
        codes = [program.wait(LIMIT_S) for program in running]
    except subprocess.TimeoutExpired as err:
        raise Failed(f"{pipeline[-1][0]}: not done after {LIMIT_S:.0f} s") from err
    finally:
        for program in running:
            if program.poll() is None:
                program.kill()
                program.wait()
    if any(codes):
        raise Failed(f"{' | '.join(command[0] for command in pipeline)}: exit codes {codes}")
    return time.monotonic() - began
