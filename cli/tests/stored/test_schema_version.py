# SPDX-License-Identifier: Apache-2.0
"""A warehouse that a newer program has migrated is refused by every command."""

from collections.abc import Callable

from click.testing import Result
from clickhouse_connect.driver.client import Client

from tailrace import warehouse


def test_a_newer_schema_is_refused_with_one_line(tailrace: Callable[..., Result], client: Client) -> None:
    known = warehouse.newest_schema()
    assert warehouse.schema_version(client) == known
    client.insert("goose_db_version", [[known + 1, 1]], column_names=["version_id", "is_applied"])
    try:
        for arguments in (["query", "runs"], ["audit"], ["runs", "list"]):
            result = tailrace(*arguments)
            assert result.exit_code == 2
            assert result.stderr.count("\n") == 1
            assert f"version {known + 1}, this tailrace knows {known}" in result.stderr
    finally:
        client.command(
            f"ALTER TABLE goose_db_version DELETE WHERE version_id = {known + 1} SETTINGS mutations_sync = 2"
        )
    assert tailrace("query", "runs").exit_code == 0


def test_a_database_that_was_never_migrated_has_version_0(client: Client) -> None:
    client.command("RENAME TABLE goose_db_version TO goose_hidden")
    try:
        assert warehouse.schema_version(client) == 0
    finally:
        client.command("RENAME TABLE goose_hidden TO goose_db_version")
