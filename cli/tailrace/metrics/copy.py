# SPDX-License-Identifier: Apache-2.0
"""Copies a run's samples from VictoriaMetrics into ``host_metrics``."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from clickhouse_connect.driver.client import Client

from tailrace.metrics.samples import COLUMNS, Series
from tailrace.metrics.selection import SELECTOR
from tailrace.metrics.victoriametrics import VictoriaMetrics

BATCH_ROWS = 100_000


@dataclass(frozen=True)
class Copied:
    """What was copied; ``stale`` counts staleness markers, which are no samples."""

    series: int
    samples: int
    stale: int


@dataclass
class _Batch:
    columns: list[list[Any]]
    digest: Any
    stale: int = 0

    @classmethod
    def empty(cls) -> "_Batch":
        return cls([[] for _ in COLUMNS], hashlib.blake2b(digest_size=16))

    def __len__(self) -> int:
        return len(self.columns[0])


def copy(
    source: VictoriaMetrics, client: Client, run_id: str, start_ms: int, end_ms: int
) -> Copied:
    """Copy all samples of ``[start_ms, end_ms]``, in batches of bounded size.

    Each batch has a deduplication token made of its bytes: one sent again, because its answer got
    lost, is stored once. Raises VictoriaMetricsError, or the client's errors.
    """
    samples, stale = 0, 0
    names: set[tuple[Any, ...]] = set()
    for number, batch in enumerate(
        _batches(source.export(SELECTOR, start_ms, end_ms), run_id, names)
    ):
        stale += batch.stale
        if not len(batch):
            continue
        client.insert(
            "host_metrics",
            batch.columns,
            column_names=COLUMNS,
            column_oriented=True,
            settings={
                "insert_deduplication_token": f"{run_id}/host_metrics/{number}/"
                + batch.digest.hexdigest()
            },
        )
        samples += len(batch)
    return Copied(len(names), samples, stale)


def _batches(lines: Iterable[bytes], run_id: str, names: set[tuple[Any, ...]]) -> Iterator[_Batch]:
    batch = _Batch.empty()
    for line in lines:
        series = Series.parse(line)
        names.add((series.metric, series.job, series.host, series.device, *series.labels.items()))
        count = len(series.times)
        row = (
            run_id,
            series.metric,
            series.job,
            series.host,
            series.device,
            series.labels,
        )
        for column, value in zip(batch.columns, row, strict=False):
            column.extend([value] * count)
        batch.columns[-2].extend(series.times)
        batch.columns[-1].extend(series.values)
        batch.digest.update(line)
        batch.stale += series.stale
        if len(batch) >= BATCH_ROWS:
            yield batch
            batch = _Batch.empty()
    yield batch
