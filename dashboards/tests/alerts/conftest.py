# SPDX-License-Identifier: Apache-2.0
"""VictoriaMetrics, vmalert and Alertmanager, all real, and a webhook that remembers."""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from alerting_stand import Alerting, Webhook
from clickhouse_connect.driver.client import Client

from lab.stand.ports import free_ports
from lab.stand.program import Program, built
from lab.stand.victoriametrics import MetricsServer
from lab.stand.warehouse import Warehouse
from tailrace.api import REPO_ROOT, StackPaths


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    (tmp_path / "warehouse").mkdir()
    with Warehouse(tmp_path / "warehouse") as started:
        yield started.client


@pytest.fixture
def webhook() -> Iterator[Webhook]:
    found = Webhook(0)

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            for alert in body["alerts"]:
                labels = alert["labels"]
                found.received.append((alert["status"], labels["alertname"], labels))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing on stderr."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    found.port = server.server_port
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield found
    server.shutdown()
    server.server_close()


@pytest.fixture
def alerting(tmp_path: Path, webhook: Webhook) -> Iterator[Alerting]:
    """vmalert, started as the stack starts it, and an Alertmanager that it notifies."""
    manager_port, alert_port = free_ports(2)
    config = tmp_path / "alertmanager.yml"
    hook = {"url": f"http://127.0.0.1:{webhook.port}/", "send_resolved": True}
    waits = {"group_wait": "0s", "group_interval": "1s", "repeat_interval": "1h"}
    route = {"receiver": "test", "group_by": ["alertname"], **waits}
    receiver = {"name": "test", "webhook_configs": [hook]}
    config.write_text(yaml.safe_dump({"route": route, "receivers": [receiver]}), encoding="utf-8")
    manager_url = f"http://127.0.0.1:{manager_port}"
    manager = [
        built(StackPaths.load().bin / "alertmanager", "run make test-alerts"),
        f"--config.file={config}",
        f"--storage.path={tmp_path / 'alertmanager'}",
        f"--web.listen-address=127.0.0.1:{manager_port}",
        "--cluster.listen-address=",
    ]
    with ExitStack() as stops:
        metrics = stops.enter_context(MetricsServer(tmp_path))
        env = os.environ | {
            "TAILRACE_ROOT": str(REPO_ROOT),
            "TAILRACE_HOME": str(REPO_ROOT / ".tailrace"),
            "TAILRACE_ALERTMANAGER_URL": manager_url,
            "TAILRACE_SLO_P99_MS": "100",
            "VICTORIAMETRICS_PORT": str(metrics.port),
            "VMALERT_PORT": str(alert_port),
        }
        vmalert = [REPO_ROOT / "stack" / "vmalert" / "start.sh"]
        for name, command, ready in (
            ("alertmanager", manager, f"{manager_url}/-/ready"),
            ("vmalert", vmalert, f"http://127.0.0.1:{alert_port}/health"),
        ):
            program = Program.start(name, command, tmp_path, env)
            stops.callback(program.stop)
            program.wait_ready(ready)
        yield Alerting(metrics.url, webhook)
