# SPDX-License-Identifier: Apache-2.0
"""Which raw series of a simulated run come from which level."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

Levels = dict[str, float]


@dataclass(frozen=True)
class Source:
    """One series. ``grows``: a counter, and ``value`` is its growth per second; else a gauge.

    ``exact``: without noise, for what is 0 or 1 or counted in whole steps. ``over``: the sample is
    the lifetime mean, all growth over all of this.
    """

    metric: str
    value: Callable[[Levels], float]
    job: str
    device: str = ""
    labels: dict[str, str] = field(default_factory=dict)
    grows: bool = True
    exact: bool = False
    host: str = "localhost"
    over: Callable[[Levels], float] | None = None


def series_of(devices: tuple[str, ...]) -> Iterator[Source]:
    """All series of a run on these drives, the broker's first."""
    for device in devices:
        yield from _drive(device)
    yield from _host()
    yield from _broker()
    for metric, level in (("scheduling_lag", "lag_ms"), ("gc_pause", "pause_ms")):
        labels = {"service_name": "tailrace-loadgen", "tailrace_worker_id": "0"}
        name = f"tailrace_loader_{metric}_max_seconds"
        yield Source(name, _level(level, 1e-3), "", "", labels, grows=False, host="")


def _level(name: str, factor: float = 1) -> Callable[[Levels], float]:
    return lambda levels: levels[name] * factor


def _time(count: str, ms: str) -> Callable[[Levels], float]:
    return lambda levels: levels[count] * levels[ms] / 1000


def _drive(device: str) -> Iterator[Source]:
    counters = {
        "node_disk_writes_completed_total": _level("writes"),
        "node_disk_write_time_seconds_total": _time("writes", "write_ms"),
        "node_disk_reads_completed_total": _level("reads"),
        "node_disk_read_time_seconds_total": _time("reads", "read_ms"),
        "node_disk_flush_requests_total": _level("flushes"),
        "node_disk_flush_requests_time_seconds_total": _time("flushes", "flush_ms"),
        "node_disk_io_time_weighted_seconds_total": _level("queue"),
        "node_disk_io_time_seconds_total": _level("busy"),
        "node_disk_written_bytes_total": _level("written_mb", 1e6),
        "node_disk_read_bytes_total": _level("read_mb", 1e6),
        "node_disk_discards_completed_total": _level("discards"),
    }
    for metric, value in counters.items():
        # Time and count of the same requests must not be noisy apart.
        yield Source(metric, value, "node", device, exact="time_seconds" in metric)
    labels = {"op": "write", "process": "java"}
    name = "ioprobe_block_io_duration_seconds"
    yield Source(f"{name}_count", _level("writes"), "ioprobe", device, labels)
    yield Source(f"{name}_sum", _time("writes", "request_write_ms"), "ioprobe", device, labels, exact=True)
    sync = {"op": "fsync", "process": "java"}
    syncs = "ioprobe_sync_duration_seconds"
    yield Source(f"{syncs}_count", _level("syncs"), "ioprobe", device, sync, exact=True)
    yield Source(f"{syncs}_sum", _time("syncs", "sync_ms"), "ioprobe", device, sync)
    other = {"op": "write", "process": "fio"}
    yield Source(f"{name}_count", _level("other_requests"), "ioprobe", device, other)


def _host() -> Iterator[Source]:
    yield Source("ioprobe_up", lambda _: 1, "ioprobe", grows=False, exact=True)
    for resource in ("io", "cpu", "memory"):
        labels = {"group": "broker", "resource": resource, "extent": "some"}
        level = _level(f"{resource}_pressure")
        yield Source("procprobe_pressure_seconds_total", level, "procprobe", "", labels)
        yield Source(f"node_pressure_{resource}_waiting_seconds_total", level, "node")
    for group, level_name in (("broker", "stopped"), ("loadgen", "loader_stopped")):
        yield Source(
            "procprobe_stopped_processes",
            _level(level_name),
            "procprobe",
            labels={"group": group},
            grows=False,
            exact=True,
        )
    for group, level_name in (("broker", "broker_cores"), ("loadgen", "loader_cores")):
        labels = {"group": group, "mode": "user"}
        level = _level(level_name)
        yield Source("procprobe_cpu_seconds_total", level, "procprobe", "", labels)
    yield Source(
        "node_cpu_seconds_total",
        lambda of: of["broker_cores"] + of["loader_cores"] + of["other_cores"],
        "node",
        labels={"mode": "user", "cpu": "0"},
    )
    yield Source("node_cpu_seconds_total", _level("steal_cores"), "node", labels={"mode": "steal"})
    yield Source(
        "node_cpu_seconds_total",
        lambda of: max(0, 2 - of["broker_cores"] - of["loader_cores"] - of["other_cores"]),
        "node",
        labels={"mode": "idle", "cpu": "0"},
    )
    yield Source("node_netstat_Tcp_RetransSegs", _level("retransmits"), "node")
    yield Source("up", lambda _: 1, "node", grows=False, exact=True)


def _broker() -> Iterator[Source]:
    labels = {"broker": "1"}
    yield Source("up", _level("up"), "kafka", "", labels, grows=False, exact=True)
    yield Source("scrape_duration_seconds", _level("scrape_ms", 1e-3), "kafka", "", labels, grows=False)
    yield Source("jvm_gc_collection_seconds_sum", _level("gc"), "kafka", "", labels)
    idle = "kafka_request_handler_idle_seconds_total"
    yield Source(idle, _level("idle"), "kafka", "", labels)
    yield Source("kafka_request_queue_size", _level("waiting"), "kafka", "", labels, grows=False)
    start = {**labels, "topic": "t", "partition": "0"}
    yield Source("kafka_log_start_offset", _level("deleted"), "kafka", "", start, exact=True)
    segments = _level("segments", -1)
    yield Source("kafka_log_segments", segments, "kafka", "", start, exact=True)
    for stage in ("queue", "local", "remote", "response_send"):
        ms = f"{stage.removeprefix('response_')}_ms"
        yield from _mean(f"kafka_request_{stage}_time_seconds", "produces", _level(ms), "Produce")
    total = ("queue_ms", "local_ms", "remote_ms", "send_ms")
    name = "kafka_request_total_time_seconds"
    yield from _mean(name, "produces", lambda of: sum(of[ms] for ms in total), "Produce")
    yield from _mean(name, "fetches", lambda _: 5, "FetchConsumer")
    yield from _mean("kafka_log_flush_time_seconds", "log_flushes", _level("log_flush_ms"))
    yield Source("kafka_broker_leaders", _level("leaders"), "kafka", "", labels, False, True)


def _mean(name: str, count: str, ms: Callable[[Levels], float], request: str = "") -> Iterator[Source]:
    labels = {"broker": "1"} | ({"request": request} if request else {})
    number = _level(count)

    def seconds(levels: Levels) -> float:
        return levels[count] * ms(levels) / 1000

    yield Source(f"{name}_mean", seconds, "kafka", "", labels, over=number)
    yield Source(f"{name}_count", number, "kafka", "", labels, exact=True)
