# SPDX-License-Identifier: Apache-2.0
"""The benchmark's stand: a fresh warehouse and the collectors, configured as in the stack."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from lab.bench.pipeline.forwarder import Forwarder
from lab.bench.pipeline.tables import Tables
from lab.stand.collector import Collector
from lab.stand.ports import free_ports
from lab.stand.program import Program, built
from lab.stand.victoriametrics import MetricsServer
from lab.stand.warehouse import Warehouse
from tailrace.api import REPO_ROOT, StackPaths, loadgen

HOME = REPO_ROOT / ".tailrace"
BENCH_BUILD = HOME / "build" / "bench"
LOGS = HOME / "logs-bench"
METRICS_FLAGS = ("-opentelemetry.usePrometheusNaming", "-memory.allowedBytes=128MB", "-loggerLevel=WARN")


@dataclass
class PipelineStand:
    """Everything that runs. Emitters send to the forwarders, and so do the collectors' exporters."""

    warehouse: Tables
    programs: dict[str, Program] = field(default_factory=dict)
    to_collector: dict[str, Forwarder] = field(default_factory=dict)
    to_warehouse: dict[str, Forwarder] = field(default_factory=dict)
    stock_metrics_port: int = 0
    # WAREHOUSE_USER and WAREHOUSE_PASSWORD.
    secrets: dict[str, str] = field(default_factory=dict)

    def emitter(self, main: str, name: str, *arguments: str) -> Program:
        """A Java program of ``lab/bench/pipeline/java`` that reads stdin and writes stdout."""
        return Program.start(name, java(main, *arguments), LOGS, os.environ | self.secrets, pipes=True)


def java(main: str, *arguments: str) -> list[str]:
    """The load generator's own command line with another main class."""
    emitters = BENCH_BUILD / "emitters"
    *with_flags, _, _jar = loadgen.command(StackPaths.load())
    return [*with_flags, "-cp", f"{emitters}/bench-emitters-0.1.0.jar:{emitters}/lib/*", main, *arguments]


@contextmanager
def pipeline_stand(*, with_stock: bool) -> Iterator[PipelineStand]:
    """Start it all; at the end of the block stop it all and delete its data. Logs stay."""
    BENCH_BUILD.mkdir(parents=True, exist_ok=True)
    # BENCH_DATA chooses the file system that is measured.
    data = Path(tempfile.mkdtemp(prefix="bench-", dir=os.environ.get("BENCH_DATA") or BENCH_BUILD))
    with ExitStack() as stops:
        stops.callback(shutil.rmtree, data, ignore_errors=True)
        warehouse = stops.enter_context(Warehouse(LOGS, data / "warehouse"))
        made = PipelineStand(Tables(warehouse.client), secrets=warehouse.secrets)
        metrics = stops.enter_context(MetricsServer(LOGS, METRICS_FLAGS, data=data / "victoriametrics"))
        made.to_warehouse["ours"] = Forwarder(warehouse.port)
        collector = Collector(
            LOGS,
            warehouse,
            warehouse_port=made.to_warehouse["ours"].port,
            metrics_port=metrics.port,
            state=data,
        )
        made.to_collector["ours"] = Forwarder(collector.port)
        stops.enter_context(collector)
        for name, part in (("warehouse", warehouse), ("victoria-metrics", metrics), ("collector", collector)):
            assert part.program is not None
            made.programs[name] = part.program
        if with_stock:
            made.to_warehouse["client"] = Forwarder(warehouse.port)
            _start_stock(made, warehouse, stops)
        yield made


def _start_stock(made: PipelineStand, warehouse: Warehouse, stops: ExitStack) -> None:
    binary = built(HOME / "bin" / "stock-collector", "run make bench-pipeline")
    otlp, health, made.stock_metrics_port = free_ports(3)
    made.to_warehouse["stock"] = Forwarder(warehouse.port)
    made.to_collector["stock"] = Forwarder(otlp)
    variables = warehouse.secrets | {
        "STOCK_OTLP_GRPC_PORT": str(otlp),
        "STOCK_HEALTH_PORT": str(health),
        "STOCK_METRICS_PORT": str(made.stock_metrics_port),
        "WAREHOUSE_PORT": str(made.to_warehouse["stock"].port),
    }
    config = REPO_ROOT / "lab" / "bench" / "pipeline" / "stock" / "collector.yaml"
    program = Program.start("stock-collector", [binary, "--config", config], LOGS, os.environ | variables)
    stops.callback(program.stop)
    made.programs["stock-collector"] = program
    program.wait_ready(f"http://127.0.0.1:{health}/")
