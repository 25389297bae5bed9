# SPDX-License-Identifier: Apache-2.0
"""What an experiment needs is worked out before anything is started."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tailrace.errors import BadInput
from tailrace.experiments import needs
from tailrace.experiments.experiment import FULL, SMALL, Filled, chosen, published
from tailrace.experiments.needs import Machine
from tailrace.runs import loadgen
from tailrace.runs.disk import brokers_bytes
from tailrace.runs.planning import Plan
from tailrace.stack.api import StackPaths

GIB = 1024**3
ROOMY = Machine(heap=8 * GIB, available=64 * GIB)


@pytest.fixture
def paths(tmp_path: Path) -> StackPaths:
    return replace(StackPaths.load(), state=tmp_path)


def plan(paths: StackPaths, **changes: Any) -> Plan:
    servers = f"127.0.0.1:{paths.ports['KAFKA_PORT']}"
    made: Mapping[str, Any] = {
        **{"replication_factor": 1, "producers": 4, "consumers": 4, "worker_producers": 4},
        **{"worker_consumers": 4, "partitions": 288, "consumer_groups": 1, "message_bytes": 1024},
        **{"expected_messages": 1000, "expected_deliveries": 1000, "behaviour": {}},
        "topics": [{"name": "t", "partitions": 288, "subscriptions": 1}],
        "producer_config": {"bootstrap.servers": servers},
        "consumer_config": {},
        "topic_config": {},
        "phases": [
            {
                **{"name": "measure", "seconds": 1, "until": "time", "messages": 1000},
                "messages_per_second": 1000,
            }
        ],
    }
    return Plan({**made, **changes})


def test_what_fits_is_not_refused(paths: StackPaths) -> None:
    needs.check([plan(paths)], paths, ROOMY, up=False)


def test_three_replicas_need_three_brokers(paths: StackPaths) -> None:
    with pytest.raises(BadInput, match="needs 3 brokers and the stack has one"):
        needs.check([plan(paths, replication_factor=3)], paths, ROOMY, up=True)


def test_clients_need_their_buffers(paths: StackPaths) -> None:
    many = plan(paths, producers=400, worker_producers=400, consumers=10, worker_consumers=10)
    # 400 buffers of 32 MiB, and 29 partitions of 1 MiB for each of 10 consumers.
    needed = 256 * 1024**2 + 400 * 32 * 1024**2 + 10 * 29 * 1024**2
    assert needs.memory_bytes(many) == needed
    with pytest.raises(BadInput, match=r"heap of 13.0 GiB.*8.0 GiB.*TAILRACE_LOADGEN_HEAP=14g"):
        needs.check([many], paths, ROOMY, up=True)
    slim = {"producer_config": {"buffer.memory": "4194304"}}
    needs.check([Plan({**many, **slim})], paths, ROOMY, up=True)


def test_groups_read_their_own_topics_alone(paths: StackPaths) -> None:
    topics = [{"name": "t", "partitions": 10, "subscriptions": 2, "count": 20}]
    slim = {
        "producer_config": {"buffer.memory": "4194304"},
        "consumers": 40,
        "worker_consumers": 40,
    }
    many = plan(paths, topics=topics, partitions=200, consumer_groups=40, **slim)
    # 400 assignments among 40 consumers, a MiB each.
    assert needs.memory_bytes(many) == 256 * 1024**2 + 4 * 4 * 1024**2 + 40 * 10 * 1024**2


def test_small_forms_with_many_clients_fit_the_load_generators_heap(paths: StackPaths) -> None:
    found = chosen(published(StackPaths.load().root), ["1-producers", "4-record-keys"])
    steps = [step for experiment in found for step in experiment.steps(SMALL, "kafka")]
    for step in (each for each in steps if not each.tls):
        for made in loadgen.plans(paths, loadgen.Inputs(step.workload, step.driver, None, None)):
            assert needs.memory_bytes(made) < GIB, step.workload


def test_the_machine_must_have_the_heap_and_room_for_the_stack(paths: StackPaths) -> None:
    tight = Machine(heap=2 * GIB, available=3 * GIB)
    needs.check([plan(paths)], paths, tight, up=True)
    with pytest.raises(BadInput, match=r"3.0 GiB of memory are free, 3.5 GiB needed"):
        needs.check([plan(paths)], paths, tight, up=False)


def test_disk_is_asked_of_the_plan(paths: StackPaths) -> None:
    hours = 1_024_000 * 37 * 3600
    phase = {"name": "measure", "seconds": 37 * 3600, "until": "time", "messages": hours}
    phases = [{**phase, "messages_per_second": 1_024_000}]
    long = plan(paths, phases=phases, expected_messages=hours, expected_deliveries=hours)
    with pytest.raises(BadInput, match=r"GiB needed for this run \(.* GiB for its rows"):
        needs.check([long], paths, ROOMY, up=True)


def declare_drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **drive: int) -> None:
    """Three brokers elsewhere, each with a log folder on either of two drives."""
    broker = {"host": "b", "log_dirs": ["/1", "/2"], "log_device": "nvme1n1", "drive": drive}
    file = tmp_path / "brokers.json"
    file.write_text(json.dumps([{"id": number, **broker} for number in range(3)]))
    monkeypatch.setenv("TAILRACE_BROKERS", str(file))


def far(paths: StackPaths, messages: int) -> Plan:
    phase = {"name": "measure", "seconds": messages / 1e6, "until": "time", "messages": messages}
    servers = {"producer_config": {"bootstrap.servers": "b.invalid:9092"}}
    phases = [{**phase, "messages_per_second": 1e6}]
    return plan(paths, phases=phases, replication_factor=3, **servers)


def test_brokers_elsewhere_need_drives_that_hold_the_log(
    paths: StackPaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare_drive(tmp_path, monkeypatch, bytes=7_500_000_000_000)
    # 1,044 bytes three times: 0.95 of 45 TB hold 13.6 billion of them.
    assert needs.check_brokers_drives([far(paths, 13 * 10**9)], paths) == ""
    with pytest.raises(BadInput, match=r"3 brokers have drives of 41909\.. GiB together"):
        needs.check_brokers_drives([far(paths, 10**9), far(paths, 14 * 10**9)], paths)


def test_brokers_without_declared_drives_get_a_note(
    paths: StackPaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    say = needs.check_brokers_drives([far(paths, 13 * 10**9)], paths)
    assert say.endswith("needed on the brokers' drives together; their size is unknown")
    declare_drive(tmp_path, monkeypatch)
    assert needs.check_brokers_drives([far(paths, 13 * 10**9)], paths) == say
    assert needs.check_brokers_drives([plan(paths)], paths) == ""


@pytest.mark.parametrize("name", ["2-long-run", "6-backlog"])
def test_days_of_load_fit_the_published_drives(paths: StackPaths, name: str) -> None:
    """Three brokers of 15 TB, of which the authors left a quarter empty."""
    [experiment] = chosen(published(StackPaths.load().root), [name])
    for step in experiment.steps(FULL, "redpanda"):
        servers = "b.invalid:9092"
        [made] = loadgen.plans(paths, loadgen.Inputs(step.workload, step.driver, None, servers), 1)
        kept = brokers_bytes(made, paths) / 3
        assert kept == pytest.approx(0.75 * 15e12, rel=0.01), step.workload


def test_topics_that_stay_must_fit_together(paths: StackPaths) -> None:
    filled = Filled(10**12, "f", ["256", "1k"], [1, 16])
    with pytest.raises(BadInput, match="needed for 4 topics that are filled and kept"):
        needs.check_filled(filled, paths)
    needs.check_filled(replace(filled, records=1000), paths)


@pytest.mark.parametrize(("text", "heap"), [(None, GIB), ("2g", 2 * GIB), ("512M", GIB // 2)])
def test_the_heap_is_the_load_generators(text: str | None, heap: int) -> None:
    assert needs.machine(text).heap == heap
