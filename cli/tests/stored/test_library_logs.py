# SPDX-License-Identifier: Apache-2.0
"""Broker logs: lines posted as Vector posts them, and what the query makes of them."""

import base64
import json
import urllib.request

from clickhouse_connect.driver.client import Client
from test_golden import ask

from tailrace.stack.api import Endpoints

NOON_US = 1_769_860_800_000_000


def post(endpoints: Endpoints, lines: list[dict[str, object]]) -> None:
    """JSONEachRow over HTTP, columns by name, times as whole µs."""
    request = urllib.request.Request(
        f"{endpoints.warehouse_url}/?query=INSERT+INTO+broker_logs+FORMAT+JSONEachRow",
        data="\n".join(json.dumps(line) for line in lines).encode(),
    )
    pair = f"{endpoints.warehouse_user}:{endpoints.warehouse_password}".encode()
    request.add_header("Authorization", f"Basic {base64.b64encode(pair).decode()}")
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert answer.status == 200


def line(at_us: int, level: str, message: str, source: str = "kafka") -> dict[str, object]:
    return {
        "run_id": "logged",
        "time": NOON_US + at_us,
        "host": "broker1",
        "source": source,
        "level": level,
        "logger": "Log",
        "message": message,
    }


def test_warnings_of_a_run_equal_ones_of_a_second_once(
    client: Client, endpoints: Endpoints
) -> None:
    post(
        endpoints,
        [
            line(0, "INFO", "started"),
            line(250_000, "WARN", "slow"),
            line(900_000, "WARN", "slow"),
            line(1_100_000, "WARN", "slow"),
            line(1_500_000, "ERROR", "nvme1: I/O timeout", "kernel"),
            line(0, "ERROR", "of another run") | {"run_id": "other"},
        ],
    )
    rows = ask(client, "broker_logs", run_id="logged")
    found = [(row["time"].second, row["source"], row["level"], row["lines"]) for row in rows]
    assert found == [
        (0, "kafka", "WARN", 2),
        (1, "kafka", "WARN", 1),
        (1, "kernel", "ERROR", 1),
    ]
    assert rows[0]["time"].isoformat().startswith("2026-01-31T12:00:00")
    assert len(ask(client, "broker_logs", run_id="logged", rows="1")) == 1
