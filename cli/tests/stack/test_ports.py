# SPDX-License-Identifier: Apache-2.0
"""A busy port names itself and its owner; a bad ports file names its line."""

import os
import socket
from pathlib import Path

import pytest

from tailrace.errors import BadInput
from tailrace.stack.paths import MORE_PORT_NAMES, PORT_NAMES, StackPaths, read_ports
from tailrace.stack.portowner import busy_ports, holder, is_free
from tailrace.stack.preflight import port_problems


def test_busy_port_names_port_variable_and_owner(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        paths = StackPaths(tmp_path, tmp_path, tmp_path, tmp_path / "ports.env", {"KAFKA_PORT": port})
        (line,) = port_problems(paths)
    assert line.startswith(f"port {port} (KAFKA_PORT in {tmp_path}/ports.env) is in use by process")
    assert f"process {os.getpid()} (" in line
    assert "pytest" in line
    assert "\n" not in line


@pytest.mark.parametrize("address", ["0.0.0.0", "::"])  # noqa: S104
def test_a_server_on_every_address_takes_the_port_too(address: str) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    both = family == socket.AF_INET6
    with socket.create_server((address, 0), family=family, dualstack_ipv6=both) as server:
        port = server.getsockname()[1]
        assert not is_free(port)
        assert holder(port) == os.getpid()


def test_free_port_is_no_lack() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert is_free(port)
    assert busy_ports({"WAREHOUSE_PORT": port}) == []


def test_repository_ports_file_is_complete() -> None:
    assert set(StackPaths.load({}).ports) == {*PORT_NAMES, *MORE_PORT_NAMES}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("KAFKA_PRT=1\n", "ports.env:1: KAFKA_PRT: unknown port"),
        ("# x\nKAFKA_PORT=0\n", "ports.env:2: KAFKA_PORT: '0' is not a port"),
        ("KAFKA_PORT=70000\n", "'70000' is not a port"),
        ("KAFKA_PORT=many\n", "'many' is not a port"),
        ("KAFKA_PORT\n", "'' is not a port"),
        (
            "KAFKA_PORT=9\nWAREHOUSE_PORT=9\n",
            "ports.env:2: WAREHOUSE_PORT: 9 is already KAFKA_PORT",
        ),
        ("KAFKA_PORT=9\n", "WAREHOUSE_PORT"),
    ],
)
def test_bad_ports_file_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "ports.env"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as raised:
        read_ports(file)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_absent_ports_file_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="TAILRACE_PORTS"):
        StackPaths.load({"TAILRACE_PORTS": str(tmp_path / "none.env")})
