# SPDX-License-Identifier: Apache-2.0
"""The way to the warehouse: ClickHouse's HTTP interface, wherever it runs."""

import logging
import os
import re
from urllib.parse import urlsplit

import clickhouse_connect
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import ClickHouseError, scrub_error_details

from tailrace.errors import BadInput
from tailrace.stack.api import Endpoints, StackPaths

# It logs what it then raises, and without a handler Python would print that to stderr.
logging.getLogger("clickhouse_connect").addHandler(logging.NullHandler())

# The audit of a run of 36 hours reads billions of rows before the first byte of its answer.
ANSWER_TIMEOUT_S = 6 * 3600


class WarehouseDown(BadInput):
    """Nobody answers at the warehouse's address."""


def connect(endpoints: Endpoints | None = None, timeout_s: int = ANSWER_TIMEOUT_S) -> Client:
    """A client of the warehouse; of the local stack's unless ``endpoints`` are given.
    ``timeout_s``: how long an answer may take.

    Raises WarehouseDown when nobody answers, BadInput when the user or password is refused or the
    schema is newer than this program.
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


def schema_version(client: Client) -> int:
    """Number of the newest migration applied; 0 when there is none."""
    if not int(client.query("EXISTS TABLE goose_db_version").result_rows[0][0]):
        return 0
    return int(client.query("SELECT max(version_id) FROM goose_db_version").result_rows[0][0])


def newest_schema() -> int:
    """Number of the newest migration that this program comes with."""
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
            # The variable that OpenSSL knows, so that all of this command trusts the same.
            ca_cert=os.environ.get("SSL_CERT_FILE") if address.scheme == "https" else None,
            # Times come back as UTC, whatever this machine's zone is.
            tz_mode="aware",
            # Two queries at a time are allowed here; one session would serialise them.
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
    """Whether nobody answered, as against an answer that is an error."""
    return any(word in str(err) for word in ("HTTPConnectionPool", "Connection refused", "Connection aborted"))


def first_line(err: ClickHouseError) -> str:
    """What went wrong, in one line: the server's own first line when it said something."""
    text = str(err).strip()
    said = re.search(r"Code: \d+\..*", text)
    lines = (said[0] if said else text).splitlines()
    return " ".join(scrub_error_details(lines[0] if lines else type(err).__name__).split())
