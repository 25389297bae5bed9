# SPDX-License-Identifier: Apache-2.0
"""Measures the offset between this host's clock and the warehouse's.

The warehouse has the one clock that every worker's host can read. It reads its clock at some moment between request
and response, so half the round trip bounds the error, whatever the network does.
"""

import base64
import http.client
import json
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from urllib.parse import urlencode, urlsplit

from clickhouse_connect.driver.client import Client

from tailrace import warehouse
from tailrace.errors import BadInput
from tailrace.lookup import exists
from tailrace.runs.workers import Workers
from tailrace.stack.api import Endpoints

ROUND_TRIPS = 25
START, END = "measured_start", "measured_end"
_TIMEOUT_S = 5
# How long after the last ledger the commands on other hosts may take to store their clock offsets.
PATIENCE_S = 10.0
_QUESTION = "SELECT toUnixTimestamp64Micro(now64(6))"
_STORED = (
    "SELECT uniqExact(worker) FROM v_run_events"
    " WHERE run_id = {run_id:String} AND kind = 'clock' AND name = {name:String}"
)

Say = Callable[[str], None]


@dataclass(frozen=True)
class Offset:
    """This host's clock minus the reference's, µs: within ``bound_us`` of ``offset_us``."""

    host: str
    reference: str
    offset_us: float
    bound_us: float
    round_trips: int
    time_us: int


def measure(endpoints: Endpoints, round_trips: int = ROUND_TRIPS) -> Offset:
    """The most exact of several round trips on one connection. Raises OSError when no server answers."""
    address = urlsplit(endpoints.warehouse_url)
    secure = address.scheme == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    port = address.port or (8443 if secure else 8123)
    connection = kind(address.hostname or "127.0.0.1", port, timeout=_TIMEOUT_S)
    user = f"{endpoints.warehouse_user}:{endpoints.warehouse_password}".encode()
    headers = {"Authorization": f"Basic {base64.b64encode(user).decode()}"}
    found: list[Offset] = []
    try:
        for _ in range(round_trips):
            found.append(_once(connection, headers, f"{address.hostname}:{port}"))
    except (http.client.HTTPException, ValueError) as err:
        raise OSError(str(err) or type(err).__name__) from err
    finally:
        connection.close()
    best = min(found, key=lambda offset: offset.bound_us)
    return Offset(**{**asdict(best), "round_trips": round_trips})


def _once(connection: http.client.HTTPConnection, headers: dict[str, str], reference: str) -> Offset:
    sent_ns, sent = time.monotonic_ns(), time.time_ns()
    connection.request("GET", f"/?{urlencode({'query': _QUESTION})}", headers=headers)
    answer = connection.getresponse()
    text = answer.read()
    # From the monotonic clock, because the other clock may be set in between.
    trip_us = (time.monotonic_ns() - sent_ns) / 1000
    if answer.status != 200:
        raise OSError(f"HTTP {answer.status}")
    middle_us = sent / 1000 + trip_us / 2
    return Offset(
        host=socket.gethostname(),
        reference=reference,
        offset_us=middle_us - int(text),
        bound_us=trip_us / 2,
        round_trips=1,
        time_us=sent // 1000,
    )


def attempt(endpoints: Endpoints, say: Say) -> Offset | None:
    """Like ``measure``; None, with a line of explanation, when the warehouse is not reachable."""
    try:
        return measure(endpoints)
    except OSError as err:
        reason = str(err) or type(err).__name__
        say(f"note: clock not measured: no answer at {endpoints.warehouse_url} ({reason})")
        return None


def keep(
    endpoints: Endpoints, run_id: str, workers: Sequence[int], measured: Sequence[tuple[str, Offset | None]], say: Say
) -> None:
    """Store each (name, offset) as an event of these workers, if the warehouse has their run."""
    rows = [
        [run_id, worker, offset.time_us, "clock", name, json.dumps(asdict(offset))]
        for worker in workers
        for name, offset in measured
        if offset is not None
    ]
    if not rows:
        return
    try:
        client = warehouse.connect(endpoints)
    except BadInput as err:
        say(f"note: the clock's offset is not stored: {err}")
        return
    with client:
        if not exists(client, run_id):
            say(f"note: the clock's offset is not stored: {endpoints.warehouse_url} has no run {run_id}")
            return
        columns = ["run_id", "worker", "time", "kind", "name", "detail"]
        client.insert("run_events", rows, column_names=columns)


def wait(client: Client, run_id: str, workers: Workers, patience_s: float = PATIENCE_S) -> None:
    """Wait, for a bounded time, until the commands on other hosts have stored their clock offsets."""
    deadline = time.monotonic() + patience_s
    while not workers.all_here and time.monotonic() < deadline:
        if int(warehouse.select(client, _STORED, run_id=run_id, name=END)[0][0]) == workers.count:
            return
        time.sleep(0.25)
