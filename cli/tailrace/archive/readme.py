# SPDX-License-Identifier: Apache-2.0
"""The README of an exported run, for people who have never heard of Tailrace."""

from tailrace.archive.manifest import Manifest

_TEXT = """# Benchmark run {run_id}

One benchmark of a Kafka-protocol broker, exported by Tailrace {version} on {time}.
Times are UTC, with microseconds; latencies are differences of them.

| folder | rows | files |
|---|---|---|
{tables}

{messages}`runs` has the workload, the driver and the
verdict of the audit, `run_events` the phases, `host_metrics` what hosts and brokers did meanwhile.
`*_1s` are sums per second. Columns with their types are in `manifest.json`.

Is it whole?

    sha256sum -c SHA256SUMS

{percentiles}Into a Tailrace warehouse: `tailrace runs import FOLDER`.
"""

_MESSAGES = """`publishes` and `deliveries` have one row per message: when it was due
(`intended_time`), acknowledged (`ack_time`) and received (`receive_time`). """

_WITHOUT = """The messages themselves are left out; `rollup_1s` counts them by second and latency,
within 0.4 % (`bucket`: the top 16 bits of the latency in µs as a 32-bit float). """

_PERCENTILES = """Percentiles of the end-to-end latency in µs, with DuckDB:

    SELECT quantile_disc(epoch_us(receive_time) - epoch_us(intended_time), [0.5, 0.99, 0.999])
    FROM 'deliveries/*.parquet';

with ClickHouse:

    SELECT quantilesExact(0.5, 0.99, 0.999)(dateDiff('microsecond', intended_time, receive_time))
    FROM file('deliveries/*.parquet');

"""


def readme(manifest: Manifest) -> str:
    """Markdown."""
    rows = [f"| `{name}/` | {table.rows:,} | {len(table.files)} |" for name, table in manifest.tables.items()]
    return _TEXT.format(
        messages=_WITHOUT if manifest.left_out else _MESSAGES,
        percentiles="" if manifest.left_out else _PERCENTILES,
        run_id=manifest.run_id,
        version=manifest.tailrace_version,
        time=manifest.exported_time,
        tables="\n".join(rows),
    )
