# SPDX-License-Identifier: Apache-2.0
"""Connects to the warehouse through ClickHouse's HTTP interface."""

import logging
import os
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import clickhouse_connect
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import ClickHouseError, scrub_error_details

from tailrace.errors import BadInput
from tailrace.stack.api import Endpoints, StackPaths

# The client logs each error that it raises; without a handler Python would print the log to stderr.
logging.getLogger("clickhouse_connect").addHandler(logging.NullHandler())

# The audit of a 36-hour run reads billions of rows before the first byte of the result arrives.
ANSWER_TIMEOUT_S = 6 * 3600


class WarehouseDown(BadInput):
    """No server answers at the warehouse's address."""


def connect(endpoints: Endpoints | None = None, timeout_s: int = ANSWER_TIMEOUT_S) -> Client:
    """A client of the warehouse at ``endpoints``, by default the local stack's; a query may take ``timeout_s``.

    Raises WarehouseDown when no server answers, BadInput when it refuses the user or password or when its schema is
    newer than this program.
    """
    endpoints = endpoints or Endpoints.load(StackPaths.load())
    client = _client(endpoints, timeout_s)
    version, known = schema_version(client), newest_schema()
    if version > known:
        raise BadInput(
            f"{endpoints.warehouse_url}: the schema has version {version}, this tailrace knows"
            f" {known}; use a newer tailrace, or another warehouse"
        )
    return client


def select(client: Client, sql: str, **parameters: Any) -> Sequence[Sequence[Any]]:
    """The rows of a statement with ``{name:Type}`` in place of each parameter."""
    return client.query(sql, parameters=parameters).result_rows


def schema_version(client: Client) -> int:
    """Number of the newest applied migration; 0 without one."""
    if not select(client, "EXISTS TABLE goose_db_version")[0][0]:
        return 0
    return int(select(client, "SELECT max(version_id) FROM goose_db_version")[0][0])


def newest_schema() -> int:
    """Number of the newest migration that this program ships."""
    folder = StackPaths.load().root / "schemas" / "migrations"
    return max(int(path.name.partition("_")[0]) for path in folder.glob("*.sql"))


def _client(endpoints: Endpoints, timeout_s: int) -> Client:
    address = urlsplit(endpoints.warehouse_url)
    try:
        return clickhouse_connect.get_client(
            host=address.hostname or "127.0.0.1",
            port=address.port or (8443 if address.scheme == "https" else 8123),
            interface=address.scheme or "http",
            username=endpoints.warehouse_user,
            password=endpoints.warehouse_password,
            # OpenSSL reads the same variable, so every connection of this command trusts the same authorities.
            ca_cert=os.environ.get("SSL_CERT_FILE") if address.scheme == "https" else None,
            # Return times in UTC, whatever the local time zone is.
            tz_mode="aware",
            # A session would serialise queries that may run side by side.
            autogenerate_session_id=False,
            send_receive_timeout=timeout_s,
        )
    except ClickHouseError as err:
        text = " ".join(str(err).split())
        if "Code: 516" in text or "AUTHENTICATION_FAILED" in text or "HTTP 401" in text:
            raise BadInput(
                f"{endpoints.warehouse_url}: the warehouse refuses user "
                f"{endpoints.warehouse_user}; check secrets/warehouse.env in the state folder"
            ) from err
        raise WarehouseDown(
            f"{endpoints.warehouse_url}: the warehouse is not reachable; start it: tailrace up"
        ) from err


def is_unreachable(err: ClickHouseError) -> bool:
    """Whether no server answered; false for an error that the server returned."""
    return any(word in str(err) for word in ("HTTPConnectionPool", "Connection refused", "Connection aborted"))


def first_line(err: ClickHouseError) -> str:
    """The error in one line: the server's own first line when it sent one."""
    text = str(err).strip()
    reported = re.search(r"Code: \d+\..*", text)
    lines = (reported[0] if reported else text).splitlines()
    return " ".join(scrub_error_details(lines[0] if lines else type(err).__name__).split())
