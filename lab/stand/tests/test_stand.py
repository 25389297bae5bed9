# SPDX-License-Identifier: Apache-2.0
"""Each part starts alone, stops, and starts again where it was; what fails names its log."""

import socket
import sys
from pathlib import Path

import pytest

from lab.stand.errors import StandError
from lab.stand.kafka import KafkaCluster
from lab.stand.ports import RANGE, free_ports
from lab.stand.program import Program
from lab.stand.warehouse import Warehouse
from tailrace.api import broker_answers


def port_of(broker: KafkaCluster) -> int:
    return int(broker.bootstrap_servers.rpartition(":")[2])


def test_only_a_broker(broker: KafkaCluster) -> None:
    assert broker_answers(port_of(broker))
    assert list(broker.programs) == [1]


def test_a_stopped_broker_is_gone_and_starts_again_at_its_port(tmp_path: Path) -> None:
    with KafkaCluster(tmp_path, brokers=1) as broker:
        port = port_of(broker)
        broker.stop()
        assert not broker_answers(port)
        broker.start()
        assert broker_answers(port)
    assert not broker_answers(port)


def test_a_warehouse_keeps_its_rows_address_and_user(tmp_path: Path) -> None:
    with Warehouse(tmp_path) as warehouse:
        endpoints = warehouse.endpoints
        warehouse.client.command("INSERT INTO runs (run_id) VALUES ('kept')")
        warehouse.stop()
        warehouse.start()
        assert warehouse.endpoints == endpoints
        assert warehouse.client.query("SELECT run_id FROM runs").result_rows == [("kept",)]


def test_ports_are_different_and_below_those_of_outgoing_connections() -> None:
    first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    ports = free_ports(50)
    assert len(set(ports)) == 50
    assert set(ports) <= set(RANGE)
    assert max(RANGE) < first


def test_a_taken_port_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setattr("lab.stand.ports.RANGE", range(port, port + 1))
        with pytest.raises(StandError, match="fewer than 1 free ports"):
            free_ports(1)


def test_a_program_that_ends_is_named_with_its_code_and_log(tmp_path: Path) -> None:
    program = Program.start("part", [sys.executable, "-c", "raise SystemExit(3)"], tmp_path)
    with pytest.raises(StandError, match=rf"part ended with code 3; log: {tmp_path}/part.log"):
        program.wait_ready("http://127.0.0.1:1/")
