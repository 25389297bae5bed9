# SPDX-License-Identifier: Apache-2.0
"""Runs a named query of ``queries/`` as the command does, and returns its rows."""

from typing import Any

from clickhouse_connect.driver.client import Client

from tailrace.api import catalogue


def ask(client: Client, name: str, **params: str) -> list[dict[str, Any]]:
    question = catalogue.load(name)
    result = client.query(question.text, parameters=question.fill(params))
    return [dict(row) for row in result.named_results()]
