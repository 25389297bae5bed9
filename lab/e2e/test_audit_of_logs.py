# SPDX-License-Identifier: Apache-2.0
"""The audit of runs on a real broker whose log or group did something that deliveries alone do not show."""

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tailrace.api import REPO_ROOT, Endpoints, StackPaths

pytestmark = pytest.mark.e2e

COMMAND = str(Path(sys.executable).with_name("tailrace"))
TIMEOUT_S = 120.0
# The least that brokers allow: a group waits so long for a member.
SESSION_S = 6
WORKLOAD = """
topics: 1
partitionsPerTopic: 2
producersPerTopic: 1
subscriptionsPerTopic: 1
consumerPerSubscription: 2
messageSize: 100
producerRate: 200
warmupDuration: 0s
testDuration: 5s
"""
DRIVER = f"""
name: sessions
driverClass: io.openmessaging.benchmark.driver.kafka.KafkaBenchmarkDriver
replicationFactor: 1
consumerConfig: session.timeout.ms={SESSION_S * 1000}
"""
# As an operator does, through Kafka's admin client, once the topic's partition 1 has so many messages.
DELETE = """
import java.util.Map;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.common.TopicPartition;

class Delete {
  public static void main(String[] to) throws Exception {
    TopicPartition place = new TopicPartition(to[1], 1);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", to[0]))) {
      admin.describeCluster().nodes().get();
      System.out.println("ready");
      while (!admin.listTopics().names().get().contains(to[1])
          || admin.listOffsets(Map.of(place, OffsetSpec.latest())).partitionResult(place).get().offset() < 40) {
        Thread.sleep(50);
      }
      admin.deleteRecords(Map.of(place, RecordsToDelete.beforeOffset(40))).all().get();
    }
  }
}
"""


def run(folder: Path, run_id: str, keys: str) -> "subprocess.Popen[str]":
    workload, driver = folder / "workload.yaml", folder / "driver.yaml"
    own = {line.partition(":")[0] for line in keys.splitlines()}
    kept = [line for line in WORKLOAD.splitlines() if line.partition(":")[0] not in own]
    workload.write_text("\n".join([*kept, keys]))
    driver.write_text(DRIVER)
    arguments = [COMMAND, "run", str(workload), "--driver", str(driver), "--run-id", run_id, "--no-report"]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def until(process: "subprocess.Popen[str]", pattern: str) -> None:
    assert process.stdout is not None
    seen = []
    for line in process.stdout:
        seen.append(line)
        if re.search(pattern, line):
            return
    raise AssertionError(f"no line like {pattern} in {seen}")


def test_what_a_rebalance_redelivers_is_stated_and_the_logs_hold_all(stack: StackPaths, tmp_path: Path) -> None:
    keys = "testDuration: 14s\nsampleEvery: 1s\naudit: {reread: all}\n"
    with run(tmp_path, "rebalanced", keys) as process:
        until(process, "^measure 00:04")
        (generator,) = [
            child for child in psutil.Process(process.pid).children(recursive=True) if child.name() == "java"
        ]
        generator.suspend()
        time.sleep(SESSION_S + 2)  # the group's own clock: its members are gone then
        generator.resume()
        output, _ = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0, output
    redelivered = re.search(
        r"subscription 0: (\d+) messages of \d partitions were redelivered after a rebalance", output
    )
    assert redelivered, output
    assert int(redelivered[1]) > 0
    assert re.search(r"note: re-read of 100 %: 2802 messages of 2 ranges were read again", output), output
    assert "\naudit=pass\n" in output


def test_a_deletion_from_a_topic_that_no_group_reads_is_found(stack: StackPaths, tmp_path: Path) -> None:
    keys = "subscriptionsPerTopic: 0\nconsumerPerSubscription: 0\n"
    with deletion(stack, "emptied-0000000", tmp_path) as deleting:
        until(deleting, "^ready")
        with run(tmp_path, "emptied", keys) as process:
            output, _ = process.communicate(timeout=TIMEOUT_S)
        assert deleting.wait(timeout=TIMEOUT_S) == 0
    assert process.returncode == 1, output
    assert "emptied-0000000/1: 40 messages are no longer in the log, which begins at offset 40" in output
    assert "retention cannot have removed them within the run" in output
    assert "(emptied-0000000) were checked by the ends of their logs alone, not by reading: 1002 messages" in output


@contextmanager
def deletion(stack: StackPaths, topic: str, folder: Path) -> "Iterator[subprocess.Popen[str]]":
    source = folder / "Delete.java"
    source.write_text(DELETE)
    java = shutil.which("java")
    assert java is not None
    libraries = f"{REPO_ROOT}/.tailrace/kafka/libs/*"
    servers = Endpoints.load(stack).bootstrap_servers
    command = [java, "-cp", libraries, str(source), servers, topic]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            yield process
        finally:
            process.kill()
