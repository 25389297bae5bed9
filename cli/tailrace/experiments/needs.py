# SPDX-License-Identifier: Apache-2.0
"""Computes the disk, memory and brokers that an experiment needs, from its plans."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import psutil

from tailrace.errors import BadInput
from tailrace.experiments.experiment import Filled
from tailrace.runs.disk import brokers_bytes, check_disk, gib
from tailrace.runs.planning import Plan, brokers_are_local
from tailrace.stack.api import StackPaths, declared_brokers, free_bytes

# Memory of the load generator without its clients' buffers.
BASE_BYTES = 256 * 1024**2
# The stack's own processes, its broker with its heap of 512 MiB among them.
STACK_BYTES = 1536 * 1024**2
# Kafka's defaults, used when a plan does not set them.
BUFFER_BYTES = 33_554_432
FETCH_BYTES = 52_428_800
PARTITION_FETCH_BYTES = 1_048_576
# The share of a drive that its file system leaves for files.
USABLE = 0.95
# A record of 172 bytes with its share of headers, in the smallest events.
RECORD_BYTES = 220


@dataclass(frozen=True)
class Machine:
    """The ``heap`` of a load generator and the ``available`` memory, in bytes."""

    heap: int
    available: int


def machine(heap_text: str | None) -> Machine:
    """``heap_text`` is the value of TAILRACE_LOADGEN_HEAP; the load generator's default is 1 GiB."""
    units = {"k": 1024, "m": 1024**2, "g": 1024**3}
    text = (heap_text or "1g").lower()
    heap = int(text.rstrip("kmg") or 0) * units.get(text[-1], 1)
    return Machine(heap, psutil.virtual_memory().available)


def check(plans: Sequence[Plan], paths: StackPaths, here: Machine, up: bool) -> None:
    """Raise BadInput, with what is needed, when the runs of these plans cannot run here.

    ``up``: the stack's processes run already, so ``available`` excludes their memory.
    """
    for plan in plans:
        _check_brokers(plan, paths)
        _check_memory(plan, paths, here, up)
        check_disk(plan, paths)


def check_brokers_drives(plans: Sequence[Plan], paths: StackPaths) -> str:
    """A note if brokers on other hosts have drives of unknown size, else an empty text.

    Raises BadInput, with what is needed, when their known drives are too small.
    """
    far = [plan for plan in plans if not brokers_are_local(plan, paths)]
    needed = int(max((brokers_bytes(plan, paths) for plan in far), default=0) / USABLE)
    brokers = declared_brokers() if far else []
    sizes = [int(broker.get("drive", {}).get("bytes", 0)) * len(broker["log_dirs"]) for broker in brokers]
    if not far or needed <= sum(sizes):
        return ""
    if not brokers or not all(sizes):
        return f"{gib(needed)} needed on the brokers' drives together; their size is unknown"
    raise BadInput(
        f"{len(brokers)} brokers have drives of {gib(sum(sizes))} together, {gib(needed)} needed; "
        "lower retention.bytes or retention.ms of the topics, testDuration or producerRate"
    )


def check_filled(filled: Filled, paths: StackPaths) -> None:
    """Raise BadInput when the same records in a file and in all topics do not fit on the drive."""
    needed = filled.records * RECORD_BYTES * (len(filled.topics) + 1)
    free = free_bytes(paths)
    if free < needed:
        raise BadInput(
            f"{paths.state}: {gib(free)} free, {gib(needed)} needed for {len(filled.topics)} "
            "topics that are filled and kept; free some, or set TAILRACE_STATE to another drive"
        )


def memory_bytes(plan: Plan) -> int:
    """The most heap that one worker's clients use: producers' buffers, consumers' fetches."""
    producer, consumer = plan["producer_config"], plan["consumer_config"]
    buffers = int(plan["worker_producers"]) * _number(producer, "buffer.memory", BUFFER_BYTES)
    each = _number(consumer, "max.partition.fetch.bytes", PARTITION_FETCH_BYTES)
    # Each group reads the partitions of one topic.
    read = sum(
        int(topic.get("count", 1)) * int(topic["partitions"]) * int(topic["subscriptions"]) for topic in plan["topics"]
    )
    own = -(-read // max(1, int(plan["consumers"])))
    fetch = min(_number(consumer, "fetch.max.bytes", FETCH_BYTES), each * max(1, own))
    return BASE_BYTES + buffers + int(plan["worker_consumers"]) * fetch


def _check_brokers(plan: Plan, paths: StackPaths) -> None:
    copies = int(plan["replication_factor"])
    if copies > paths.brokers and brokers_are_local(plan, paths):
        raise BadInput(
            f"it needs {copies} brokers and the stack has {'one' if paths.brokers == 1 else paths.brokers}; "
            "name a cluster with --bootstrap-servers, or take --small"
        )


def _check_memory(plan: Plan, paths: StackPaths, here: Machine, up: bool) -> None:
    needed = memory_bytes(plan)
    if needed > here.heap:
        raise BadInput(
            f"{plan['producers']} producers and {plan['consumers']} consumers may need a heap of "
            f"{gib(needed)}, the load generator has {gib(here.heap)}; set TAILRACE_LOADGEN_HEAP="
            f"{-(-needed // 1024**3)}g, or share the load among --workers"
        )
    others = 0 if up or not brokers_are_local(plan, paths) else STACK_BYTES
    if here.heap + others > here.available:
        raise BadInput(
            f"{gib(here.available)} of memory are free, {gib(here.heap + others)} needed for the "
            "load generator and the stack; free some, or lower TAILRACE_LOADGEN_HEAP"
        )


def _number(config: Mapping[str, str], name: str, default: int) -> int:
    text = str(config.get(name, ""))
    return int(text) if text.isdigit() else default
