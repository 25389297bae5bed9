# SPDX-License-Identifier: Apache-2.0
"""Whose a message is: two runs on one topic at once, and retries that write a message twice."""

import re
import subprocess
import time
from pathlib import Path

import pytest

from lab.stand.run import BackgroundRun
from tailrace.api import Endpoints, StackPaths, connect, java, stack_processes

pytestmark = pytest.mark.e2e

TIMEOUT_S = 240.0
WORKLOAD = """
topics:
  - {name: TOPIC, existing: true, producers: 2, subscriptions: 1, consumers: 1}
messageSize: 100
producerRate: 400
warmupDuration: 0s
testDuration: 12s
drainTimeout: 60s
"""
DRIVER = """
name: retrying
driverClass: io.openmessaging.benchmark.driver.kafka.KafkaBenchmarkDriver
replicationFactor: 1
producerConfig: |
"""
# The client gives a request up while the broker still has it in its socket, and sends it again.
IMPATIENT = {"acks": "1", "linger.ms": "0", "request.timeout.ms": "1500", "delivery.timeout.ms": "60000"}


CREATE = """
import java.util.*;
import org.apache.kafka.clients.admin.*;

class Create {
  public static void main(String[] to) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", to[0]))) {
      admin.createTopics(List.of(new NewTopic(to[1], 2, (short) 1))).all().get();
    }
  }
}
"""


def create(stack: StackPaths, topic: str, folder: Path) -> None:
    source = folder / "Create.java"
    source.write_text(CREATE)
    command = [java(), "-cp", f"{stack.kafka_home}/libs/*", str(source), Endpoints.load(stack).bootstrap_servers, topic]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def begin(folder: Path, run_id: str, topic: str, producer: dict[str, str]) -> BackgroundRun:
    workload, driver = folder / f"{run_id}.yaml", folder / f"{run_id}-driver.yaml"
    workload.write_text(WORKLOAD.replace("TOPIC", topic))
    driver.write_text(DRIVER + "".join(f"  {name}={value}\n" for name, value in producer.items()))
    return BackgroundRun([workload, "--driver", driver, "--run-id", run_id], folder / f"{run_id}.txt")


def test_two_runs_on_one_topic_pass_and_state_each_others_messages(stack: StackPaths, tmp_path: Path) -> None:
    create(stack, "both", tmp_path)
    runs = [begin(tmp_path, run_id, "both", {"acks": "all"}) for run_id in ("one", "two")]
    for run in runs:
        assert run.wait(TIMEOUT_S) == 0, run.printed()
        assert "\naudit=pass\n" in run.printed()
        other = re.search(r"note: (\d+) messages received were written by other runs", run.printed())
        assert other, run.printed()
        assert int(other[1]) > 0


def test_a_retrys_duplicates_are_named_and_stated_as_allowed(stack: StackPaths, tmp_path: Path) -> None:
    create(stack, "retried", tmp_path)
    run = begin(tmp_path, "retried", "retried", IMPATIENT | {"enable.idempotence": "false"})
    run.wait_phase("measure", TIMEOUT_S)
    (broker,) = [each for each in stack_processes(stack.state) if "kafka.Kafka" in each.cmdline()]
    broker.suspend()
    time.sleep(4)  # the client's own clock: it has given its requests up by then
    broker.resume()
    assert run.wait(TIMEOUT_S) == 0, run.printed()

    named = re.findall(r"note: retried/(\d) subscription 0: allowed duplicates: (\d+) messages", run.printed())
    assert named, run.printed()
    assert re.search(r"producer \d sequence \d+ at offsets \d+ and \d+", run.printed()), run.printed()
    assert "as enable.idempotence=false with retries allows" in run.printed()
    assert "\naudit=pass\n" in run.printed()
    # The receivers' own offsets show as many: what the log holds beyond one of each message.
    counted = connect().query(
        "SELECT count() - uniqExact(producer, intended_time, tie) FROM v_deliveries WHERE run_id = 'retried'"
    )
    assert counted.result_rows[0][0] == sum(int(count) for _, count in named)
