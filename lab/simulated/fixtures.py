# SPDX-License-Identifier: Apache-2.0
"""A warehouse for each test file; each test of the file has its own run ids in it."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from clickhouse_connect.driver.client import Client

from lab.simulated.model import Model
from lab.stand.warehouse import Warehouse
from tailrace.api import Endpoints, cli, connect


@pytest.fixture(scope="module")
def endpoints(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoints]:
    with Warehouse(tmp_path_factory.mktemp("warehouse")) as started:
        yield started.endpoints


@pytest.fixture(scope="module")
def client(endpoints: Endpoints) -> Client:
    return connect(endpoints)


@pytest.fixture(scope="module")
def golden(client: Client) -> Model:
    """A run without fault; tests only read it."""
    model = Model("golden")
    model.insert(client)
    return model


@pytest.fixture
def without(client: Client) -> Callable[[str], AbstractContextManager[None]]:
    """``with without("v_runs"):`` the warehouse does not know that table or view."""

    @contextmanager
    def hide(name: str) -> Iterator[None]:
        client.command(f"RENAME TABLE {name} TO {name}_hidden")
        try:
            yield
        finally:
            client.command(f"RENAME TABLE {name}_hidden TO {name}")

    return hide


@pytest.fixture
def tailrace(endpoints: Endpoints, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """``tailrace("query", "runs")`` runs the command against the warehouse."""
    monkeypatch.setenv("TAILRACE_WAREHOUSE_URL", endpoints.warehouse_url)
    monkeypatch.setenv("TAILRACE_WAREHOUSE_USER", endpoints.warehouse_user)
    monkeypatch.setenv("TAILRACE_WAREHOUSE_PASSWORD", endpoints.warehouse_password)
    return lambda *arguments: CliRunner().invoke(cli, [str(each) for each in arguments])


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A warehouse address where no server listens."""
    monkeypatch.setenv("TAILRACE_STATE", str(tmp_path))
    monkeypatch.setenv("TAILRACE_WAREHOUSE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("TAILRACE_WAREHOUSE_USER", "nobody")
    monkeypatch.setenv("TAILRACE_WAREHOUSE_PASSWORD", "none")


@pytest.fixture
def model(request: pytest.FixtureRequest) -> Model:
    """A sound run named after the test; damage it, then insert it."""
    return Model(request.node.name.replace("[", "-").rstrip("]"))
