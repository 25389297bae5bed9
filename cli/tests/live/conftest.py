# SPDX-License-Identifier: Apache-2.0
"""A VictoriaMetrics with the live metrics of a run, and a warehouse with the run."""

import time
from collections.abc import Iterator

import pytest
from clickhouse_connect.driver.client import Client
from going_run import BUCKETS, DISK, RATES, RUN

from lab.stand.victoriametrics import MetricsServer, send
from lab.stand.warehouse import Warehouse
from tailrace import warehouse
from tailrace.stack.api import Endpoints


@pytest.fixture(scope="session")
def metrics(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of the metrics; samples from a minute ago to a quarter of an hour ahead."""
    with MetricsServer(tmp_path_factory.mktemp("metrics")) as server:
        url = server.url
        now = int(time.time())
        times = range(now - 60, now + 900)

        def counter(name: str, labels: dict[str, str], per_second: float) -> None:
            send(url, name, labels, {1000 * at: (at - now + 100) * per_second for at in times})

        run = {"tailrace_run_id": RUN}
        for name, rate in RATES.items():
            counter(f"tailrace_messages_{name}_total", run, rate)
        for stage in ("publish_latency", "end_to_end_latency", "publish_delay"):
            for vmrange, rate in BUCKETS.items():
                labels = {**run, "vmrange": vmrange}
                counter(f"tailrace_{stage}_seconds_bucket", labels, rate)
        for name, rate in DISK.items():
            for device in ("sdb", "sdc"):
                counter(f"node_disk_{name}", {"host": "b1", "device": device}, rate)
        send(url, "tailrace_events_unshipped", run, dict.fromkeys((1000 * at for at in times), 12))
        for name, about in (("SlowFlush", RUN), ("Other", "another-run")):
            labels = {"alertname": name, "alertstate": "firing", "run_id": about}
            send(url, "ALERTS", labels, dict.fromkeys((1000 * at for at in times), 1))
        yield url


@pytest.fixture(scope="session")
def endpoints(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoints]:
    with Warehouse(tmp_path_factory.mktemp("live")) as started:
        yield started.endpoints


@pytest.fixture
def client(endpoints: Endpoints, metrics: str, monkeypatch: pytest.MonkeyPatch) -> Client:
    """A client of the warehouse, which is also the environment's for ``tailrace``."""
    monkeypatch.setenv("TAILRACE_VM_URL", metrics)
    monkeypatch.setenv("TAILRACE_WAREHOUSE_URL", endpoints.warehouse_url)
    monkeypatch.setenv("TAILRACE_WAREHOUSE_USER", endpoints.warehouse_user)
    monkeypatch.setenv("TAILRACE_WAREHOUSE_PASSWORD", endpoints.warehouse_password)
    return warehouse.connect(endpoints)
