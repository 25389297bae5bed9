# SPDX-License-Identifier: Apache-2.0
"""What a run is explained by is in the catalogue of metrics."""

from clickhouse_connect.driver.client import Client

from tailrace.metrics import catalogue


def test_every_metric_that_a_signal_is_made_of_is_in_the_catalogue(client: Client) -> None:
    used = {row[0] for row in client.query("SELECT DISTINCT metric FROM v_signals").result_rows}
    names = {metric.name for metric in catalogue.all_metrics(catalogue.load())}
    assert "node_disk_write_time_seconds_total" in used
    assert {name for metric in used for name in sources(metric)} - names == set()


def sources(metric: str) -> set[str]:
    """Kafka reports a lifetime mean and a count; the view makes their product into a sum."""
    if not (metric.startswith("kafka_") and metric.endswith("_sum")):
        return {metric}
    stem = metric.removesuffix("_sum")
    return {f"{stem}_mean", f"{stem}_count"}
