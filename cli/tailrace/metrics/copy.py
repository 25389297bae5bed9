# SPDX-License-Identifier: Apache-2.0
"""Copies a run's samples from VictoriaMetrics into ``host_metrics``."""

import hashlib
import json
import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from clickhouse_connect.driver.client import Client

from tailrace.contracts import KEPT_METRICS, LEFT_OUT_METRICS
from tailrace.metrics.victoriametrics import VictoriaMetrics
from tailrace.warehouse import select

BATCH_ROWS = 100_000
# The metrics that are copied (contracts/kept_metrics.yaml).
SELECTOR = f'{{__name__=~"{"|".join(KEPT_METRICS)}",__name__!~"{LEFT_OUT_METRICS}"}}'


COLUMNS = ("run_id", "metric", "job", "host", "device", "labels", "time", "value")


@dataclass(frozen=True)
class SeriesPart:
    """Part of one time series: times are ms since 1970."""

    metric: str
    job: str
    host: str
    device: str
    labels: dict[str, str]
    times: list[int]
    values: list[float]
    stale: int

    @classmethod
    def parse(cls, line: bytes) -> "SeriesPart":
        """Read one line of ``/api/v1/export``. Staleness markers are counted, not kept."""
        document = json.loads(line)
        labels: dict[str, str] = dict(document["metric"])
        named = {key: labels.pop(key, "") for key in ("__name__", "job", "host", "device")}
        pairs = [(time, _number(value)) for time, value in zip(document["timestamps"], document["values"], strict=True)]
        kept = [(time, value) for time, value in pairs if not math.isnan(value)]
        return cls(
            metric=named["__name__"],
            job=named["job"],
            host=named["host"],
            device=named["device"],
            labels=dict(sorted(labels.items())),
            times=[time for time, _ in kept],
            values=[value for _, value in kept],
            stale=len(pairs) - len(kept),
        )

    def after(self, time_ms: int) -> "SeriesPart":
        """The samples later than ``time_ms``."""
        first = bisect_right(self.times, time_ms)
        return replace(self, times=self.times[first:], values=self.values[first:])


def _number(value: float | str | None) -> float:
    """JSON has no NaN and no infinity: the export writes null, "Infinity" and "-Infinity"."""
    return math.nan if value is None else float(value)


@dataclass(frozen=True)
class Copied:
    """What is stored of the run now; ``stale`` counts staleness markers, which are no samples."""

    series: int
    samples: int
    stale: int


@dataclass
class _Batch:
    columns: list[list[Any]]
    digest: Any
    stored: int = 0
    stale: int = 0

    @classmethod
    def empty(cls) -> "_Batch":
        return cls([[] for _ in COLUMNS], hashlib.blake2b(digest_size=16))

    def __len__(self) -> int:
        return len(self.columns[0])


def copy(source: VictoriaMetrics, client: Client, run_id: str, start_ms: int, end_ms: int) -> Copied:
    """Copy all samples of ``[start_ms, end_ms]``, in batches of bounded size.

    Called again after an interruption, it copies what is missing: a series arrives and is stored in time order, so the
    samples newer than its newest stored one are missing. Each batch has a deduplication token computed from its bytes,
    so a batch that is sent again because its response got lost is stored once.
    Raises VictoriaMetricsError, or the client's errors.
    """
    samples, stale = 0, 0
    names: set[tuple[Any, ...]] = set()
    lines = source.export(SELECTOR, start_ms, end_ms)
    for number, batch in enumerate(_batches(lines, run_id, names, _newest(client, run_id))):
        stale += batch.stale
        samples += batch.stored + len(batch)
        if not len(batch):
            continue
        client.insert(
            "host_metrics",
            batch.columns,
            column_names=COLUMNS,
            column_oriented=True,
            settings={"insert_deduplication_token": f"{run_id}/host_metrics/{number}/" + batch.digest.hexdigest()},
        )
    return Copied(len(names), samples, stale)


def _newest(client: Client, run_id: str) -> dict[tuple[Any, ...], int]:
    """Time of the newest stored sample, ms since 1970, by series; empty for a run's first copy."""
    rows = select(
        client,
        "SELECT metric, job, host, device, labels, toUnixTimestamp64Milli(max(time)) FROM v_host_metrics"
        " WHERE run_id = {run_id:String} GROUP BY metric, job, host, device, labels",
        run_id=run_id,
    )
    return {(*row[:4], *sorted(row[4].items())): int(row[5]) for row in rows}


def _batches(
    lines: Iterable[bytes], run_id: str, names: set[tuple[Any, ...]], newest: Mapping[tuple[Any, ...], int]
) -> Iterator[_Batch]:
    batch = _Batch.empty()
    for line in lines:
        whole = SeriesPart.parse(line)
        name = (whole.metric, whole.job, whole.host, whole.device, *whole.labels.items())
        names.add(name)
        series = whole.after(newest[name]) if name in newest else whole
        count = len(series.times)
        batch.stale += series.stale
        batch.stored += len(whole.times) - count
        if not count:
            continue
        row = (run_id, series.metric, series.job, series.host, series.device, series.labels)
        for column, value in zip(batch.columns, row, strict=False):
            column.extend([value] * count)
        batch.columns[-2].extend(series.times)
        batch.columns[-1].extend(series.values)
        batch.digest.update(line)
        if len(batch) >= BATCH_ROWS:
            yield batch
            batch = _Batch.empty()
    yield batch
