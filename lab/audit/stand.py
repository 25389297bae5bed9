# SPDX-License-Identifier: Apache-2.0
"""Broker, collector and warehouse with a proxy in front of the broker and one in front of the warehouse."""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from lab.audit.proxy import KafkaProxy
from lab.stand.block_proxy import FaultProxy
from lab.stand.collector import Collector
from lab.stand.kafka import KafkaCluster
from lab.stand.part import Part
from lab.stand.warehouse import Warehouse

# Runs go on without host metrics.
_NOWHERE = "http://127.0.0.1:1"


class AuditStand(Part):
    """Clients reach the broker through ``kafka_proxy`` alone, blocks the warehouse through ``block_proxy``."""

    block_proxy: FaultProxy
    collector: Collector

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.kafka_proxy = KafkaProxy(folder)
        self.broker = KafkaCluster(folder / "broker", brokers=1, advertised={1: self.kafka_proxy.port})
        self.warehouse = Warehouse(folder / "warehouse")
        self._started = ExitStack()

    def start(self) -> None:
        (self.folder / "broker").mkdir(exist_ok=True)
        started = self._started
        started.enter_context(self.broker)
        self.kafka_proxy.broker_port = self.broker.port(1)
        started.enter_context(self.kafka_proxy)
        started.enter_context(self.warehouse)
        self.block_proxy = FaultProxy(self.warehouse.port)
        started.callback(self.block_proxy.close)
        self.collector = started.enter_context(
            Collector(self.folder / "collector", self.warehouse, warehouse_port=self.block_proxy.port)
        )

    def stop(self) -> None:
        self._started.close()

    def variables(self, state: Path) -> Mapping[str, str]:
        """Of a run with this state folder: runs that have one folder follow each other."""
        return {
            **os.environ,
            **self.warehouse.variables,
            "TAILRACE_STATE": str(state),
            "TAILRACE_VM_URL": _NOWHERE,
            "TAILRACE_OTLP_URL": self.collector.url,
            "TAILRACE_NO_FITNESS": "1",
            "TAILRACE_LOADGEN_HEAP": "256m",
        }
