# SPDX-License-Identifier: Apache-2.0
"""One warehouse with a run of each kind, and a report of each, made once per session."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from clickhouse_connect.driver.client import Client
from devtools import Tab, chromium
from seeds import SEEDS
from warehouse_server import serve

from tailrace import warehouse
from tailrace.report import build


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of the seeded warehouse, which the environment names for ``tailrace`` too."""
    folder = tmp_path_factory.mktemp("report")
    with serve(folder) as endpoints, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAILRACE_STATE", str(folder / "state"))
        patch.setenv("TAILRACE_WAREHOUSE_URL", endpoints.warehouse_url)
        patch.setenv("TAILRACE_WAREHOUSE_USER", endpoints.warehouse_user)
        patch.setenv("TAILRACE_WAREHOUSE_PASSWORD", endpoints.warehouse_password)
        client = warehouse.connect(endpoints)
        for seed in SEEDS.values():
            seed.store(client)
        yield client


@pytest.fixture(scope="session")
def report(client: Client, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """``report("full")`` → the report's file, built once."""
    folder = tmp_path_factory.mktemp("reports")
    made: dict[str, Path] = {}

    def get(run_id: str) -> Path:
        if run_id not in made:
            made[run_id] = build(run_id, folder / f"{run_id}.html")
        return made[run_id]

    return get


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with chromium(tmp_path_factory.mktemp("profile")) as tab:
        yield tab


@pytest.fixture
def tab(browser: Tab) -> Tab:
    browser.events.clear()
    return browser
