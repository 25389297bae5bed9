# SPDX-License-Identifier: Apache-2.0
"""clickhouse-connect as a client of the conformance suite.

Usage: connect.py read COMPRESSION SQL   reads id, name, h as a stream of blocks and prints their sum as JSON
       connect.py walk COMPRESSION       inserts, binds, keeps a session, meets errors; prints ok

Address, user, password and database are in CONFORMANCE_*. Any fault ends in a traceback and exit code 1.
"""

from __future__ import annotations

import json
import os
import sys
import zlib
from datetime import UTC, datetime

import clickhouse_connect
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import ClickHouseError


def connect(compression: str, **settings: object) -> Client:
    host, port = os.environ["CONFORMANCE_ADDRESS"].rsplit(":", 1)
    return clickhouse_connect.get_client(
        host=host,
        port=int(port),
        username=os.environ["CONFORMANCE_USER"],
        password=os.environ["CONFORMANCE_PASSWORD"],
        database=os.environ["CONFORMANCE_DATABASE"],
        compress=False if compression == "none" else compression,
        query_retries=0,
        **settings,
    )


def read(client: Client, sql: str) -> dict[str, int]:
    total = {"Rows": 0, "IDs": 0, "Names": 0, "Hashes": 0}
    with client.query_column_block_stream(sql) as stream:
        for ids, names, hashes in stream:
            total["Rows"] += len(ids)
            total["IDs"] += sum(ids)
            total["Names"] += sum(zlib.crc32(name.encode()) for name in names)
            total["Hashes"] += sum(hashes)
    return total


def code(client: Client, sql: str) -> str:
    try:
        with client.query_row_block_stream(sql) as stream:
            for _ in stream:
                pass
    except ClickHouseError as error:
        return str(error)
    raise AssertionError(f"no error: {sql}")


def walk(client: Client) -> None:
    client.command("DROP TABLE IF EXISTS walked")
    client.command(
        "CREATE TABLE walked (id UInt64, name LowCardinality(String), at DateTime64(6, 'UTC'),"
        " tags Map(String, String), xs Array(Nullable(Int32))) ENGINE = MergeTree ORDER BY id"
    )
    at = datetime(2026, 1, 2, 3, 4, 5, 678901, UTC)
    rows = [[i, f"n{i % 7}", at, {"k": str(i)}, [i, None]] for i in range(50_000)]
    client.insert("walked", rows, column_names=["id", "name", "at", "tags", "xs"])
    got = client.query("SELECT * FROM walked ORDER BY id").result_rows
    assert len(got) == len(rows), len(got)
    last = got[-1]
    assert (last[0], last[1], last[3], last[4]) == (49_999, "n5", {"k": "49999"}, [49_999, None]), last
    assert last[2].replace(tzinfo=UTC) == at, last
    bound = client.query("SELECT sum(id) FROM walked WHERE name = {n:String} AND id > {i:UInt64}", {"n": "n1", "i": 1})
    assert bound.result_rows == [(sum(i for i in range(2, 50_000) if i % 7 == 1),)], bound.result_rows
    # The client sends parameters above 4 KiB as a form.
    assert client.query("SELECT length({s:String})", {"s": "x" * 6000}).result_rows == [(6000,)]
    assert client.query("SELECT 1 WHERE 0").result_rows == []
    assert client.raw_query("SELECT 1", fmt="CSV") == b"1\n"
    assert "60" in code(client, "SELECT * FROM nope")
    late = "SELECT throwIf(number = 900000, 'on purpose') FROM numbers(1000000) SETTINGS max_block_size = 10000"
    assert "on purpose" in code(client, late)
    client.command("CREATE TEMPORARY TABLE kept (a UInt8)")
    assert client.query("SELECT count() FROM kept").result_rows == [(0,)]


def main(verb: str, compression: str, *sql: str) -> None:
    if verb == "read":
        print(json.dumps(read(connect(compression), sql[0])))
    else:
        walk(connect(compression, session_id=f"walk-{os.getpid()}"))
        print("ok")


if __name__ == "__main__":
    main(*sys.argv[1:])
