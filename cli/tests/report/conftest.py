# SPDX-License-Identifier: Apache-2.0
"""One warehouse with a run of each kind, and a report of each, made once per session."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from clickhouse_connect.driver.client import Client
from playwright.sync_api import BrowserContext, Page

from lab.simulated.fixture_runs import FIXTURE_RUNS
from lab.stand.browser import chromium
from lab.stand.warehouse import Warehouse
from tailrace.report.builder import build


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of the seeded warehouse, which is also the environment's for ``tailrace``."""
    folder = tmp_path_factory.mktemp("report")
    with Warehouse(folder) as started, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAILRACE_STATE", str(folder / "state"))
        for name, value in started.variables.items():
            patch.setenv(name, value)
        client = started.client
        for run in FIXTURE_RUNS.values():
            run.store(client)
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
def browser() -> Iterator[BrowserContext]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(browser: BrowserContext) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.close()
