# SPDX-License-Identifier: Apache-2.0
"""The test stand: a fresh warehouse and the collectors, started as the stack starts them, on free ports."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from lab.bench.pipeline import programs
from lab.bench.pipeline.forwarder import Forwarder
from lab.bench.pipeline.programs import BenchError, Program
from lab.bench.pipeline.tables import Warehouse
from tailrace.runs import loadgen
from tailrace.stack.api import StackPaths

ROOT = Path(__file__).resolve().parents[3]
HOME = ROOT / ".tailrace"
BENCH_BUILD = HOME / "build" / "bench"


@dataclass
class Stand:
    """Everything that runs. Emitters are pointed at the forwarders, and so are the collectors' exporters."""

    warehouse: Warehouse
    programs: dict[str, Program]
    to_collector: dict[str, Forwarder]
    to_warehouse: dict[str, Forwarder]
    stock_metrics_port: int
    logs: Path
    env: dict[str, str]

    def emitter(self, main: str, name: str, *arguments: str) -> Program:
        """A Java program of ``lab/bench/pipeline/java`` that talks over stdin and stdout."""
        return programs.start(name, java(main, *arguments), self.env, self.logs, talks=True)


def java(main: str, *arguments: str) -> list[str]:
    """The load generator's own command line with another main class."""
    emitters = BENCH_BUILD / "emitters"
    *with_flags, _, _jar = loadgen.command(StackPaths.load())
    return [*with_flags, "-cp", f"{emitters}/bench-emitters-0.1.0.jar:{emitters}/lib/*", main, *arguments]


@contextmanager
def stand(*, with_stock: bool) -> Iterator[Stand]:
    """Starts it all and, however the block ends, stops it all and deletes its data. Logs stay."""
    logs = HOME / "logs-bench"
    logs.mkdir(parents=True, exist_ok=True)
    # BENCH_DATA chooses the file system that is measured with.
    data = Path(tempfile.mkdtemp(prefix="bench-", dir=os.environ.get("BENCH_DATA") or _ensure(BENCH_BUILD)))
    with ExitStack() as ending:
        ending.callback(shutil.rmtree, data, ignore_errors=True)
        ports = {name: programs.free_port() for name in StackPaths.load().ports}
        env = _environment(data, ports)
        made = Stand(
            Warehouse(ports["WAREHOUSE_PORT"], env["WAREHOUSE_USER"], env["WAREHOUSE_PASSWORD"]),
            {},
            {},
            {},
            0,
            logs,
            env,
        )
        _start_ours(made, ports, data, ending)
        if with_stock:
            _start_stock(made, ending)
        yield made


def _ensure(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _environment(state: Path, ports: dict[str, int]) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TAILRACE_", "WAREHOUSE_"))}
    places = {"TAILRACE_ROOT": ROOT, "TAILRACE_HOME": HOME, "TAILRACE_STATE": state}
    return (
        kept
        | {name: str(place) for name, place in places.items()}
        | {name: str(port) for name, port in ports.items()}
        | {"WAREHOUSE_USER": "bench", "WAREHOUSE_PASSWORD": secrets.token_hex(16)}
    )


def _start_ours(made: Stand, ports: dict[str, int], data: Path, ending: ExitStack) -> None:
    def run(name: str, command: list[str | Path], env: dict[str, str], health: str) -> None:
        program = programs.start(name, command, env, made.logs)
        ending.callback(program.stop)
        made.programs[name] = program
        programs.wait_ready(program, health)

    warehouse, metrics = ports["WAREHOUSE_PORT"], ports["VICTORIAMETRICS_PORT"]
    run(
        "warehouse",
        [
            HOME / "bin/tailrace-warehouse",
            f"--listen=127.0.0.1:{warehouse}",
            f"--data={data / 'warehouse'}",
            f"--lib={HOME / 'lib/libchdb.so'}",
        ],
        made.env,
        f"http://127.0.0.1:{warehouse}/ping",
    )
    subprocess.run(
        [HOME / "bin/tailrace-migrate", "--url", f"http://127.0.0.1:{warehouse}", "up"],
        env=made.env,
        check=True,
        capture_output=True,
    )
    run(
        "victoria-metrics",
        [
            HOME / "bin/victoria-metrics",
            f"-httpListenAddr=127.0.0.1:{metrics}",
            f"-storageDataPath={data / 'victoriametrics'}",
            "-opentelemetry.usePrometheusNaming",
            "-memory.allowedBytes=128MB",
            "-loggerLevel=WARN",
        ],
        made.env,
        f"http://127.0.0.1:{metrics}/health",
    )
    made.to_warehouse["ours"] = Forwarder(warehouse)
    made.to_collector["ours"] = Forwarder(ports["COLLECTOR_OTLP_HTTP_PORT"])
    run(
        "collector",
        [HOME / "bin/tailrace-collector", "--config", ROOT / "stack/collector.yaml"],
        made.env | {"WAREHOUSE_PORT": str(made.to_warehouse["ours"].port)},
        f"http://127.0.0.1:{ports['COLLECTOR_HEALTH_PORT']}/",
    )


def _start_stock(made: Stand, ending: ExitStack) -> None:
    binary = HOME / "bin/stock-collector"
    if not binary.exists():
        raise BenchError(f"{binary} missing; run make bench-pipeline")
    names = ("STOCK_OTLP_GRPC_PORT", "STOCK_HEALTH_PORT", "STOCK_METRICS_PORT")
    ports = {name: programs.free_port() for name in names}
    made.to_warehouse["stock"] = Forwarder(made.warehouse.port)
    made.to_collector["stock"] = Forwarder(ports["STOCK_OTLP_GRPC_PORT"])
    made.stock_metrics_port = ports["STOCK_METRICS_PORT"]
    program = programs.start(
        "stock-collector",
        [binary, "--config", ROOT / "lab/bench/pipeline/stock/collector.yaml"],
        made.env
        | {name: str(port) for name, port in ports.items()}
        | {"WAREHOUSE_PORT": str(made.to_warehouse["stock"].port)},
        made.logs,
    )
    ending.callback(program.stop)
    made.programs["stock-collector"] = program
    programs.wait_ready(program, f"http://127.0.0.1:{ports['STOCK_HEALTH_PORT']}/")
