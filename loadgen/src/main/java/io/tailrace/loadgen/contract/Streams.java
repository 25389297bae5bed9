// SPDX-License-Identifier: Apache-2.0
// Generated from contracts/streams.yaml by make contracts. Do not edit.
package io.tailrace.loadgen.contract;

import java.util.List;
import java.util.Map;

/** Streams of blocks: names and columns. */
public final class Streams {
  /** One row per message that the broker acknowledged. */
  public static final String PUBLISHES = "publishes";

  /** One row per message that a poll() returned. */
  public static final String DELIVERIES = "deliveries";

  /** One row per message whose send failed. */
  public static final String PUBLISH_FAILURES = "publish_failures";

  /** Phases and other events of a run. */
  public static final String RUN_EVENTS = "run_events";

  /** The broker that led a partition, at the start and at each change. */
  public static final String PARTITION_LEADERS = "partition_leaders";

  /** One row per transaction that a producer ended or gave up. */
  public static final String TRANSACTIONS = "transactions";

  /** One row per partition of a produce or fetch request that a broker answered. */
  public static final String BROKER_REQUESTS = "broker_requests";

  /** A worker's own counts, its last block. */
  public static final String LEDGER = "ledger";

  /** ClickHouse type of each column, by stream and column, in the order of the block. */
  public static final Map<String, List<Column>> COLUMNS =
      Map.ofEntries(
          Map.entry(
              PUBLISHES,
              List.of(
              new Column("run_id", "LowCardinality(String)"),
              new Column("worker", "UInt16"),
              new Column("producer", "UInt32"),
              new Column("topic", "LowCardinality(String)"),
              new Column("partition", "Int32"),
              new Column("offset", "Int64"),
              new Column("intended_time", "DateTime64(6, 'UTC')"),
              new Column("publish_delay_us", "Int64"),
              new Column("ack_time", "DateTime64(6, 'UTC')"),
              new Column("payload_bytes", "UInt32"))),
          Map.entry(
              DELIVERIES,
              List.of(
              new Column("run_id", "LowCardinality(String)"),
              new Column("worker", "UInt16"),
              new Column("subscription", "UInt16"),
              new Column("consumer", "UInt32"),
              new Column("producer", "UInt32"),
              new Column("topic", "LowCardinality(String)"),
              new Column("partition", "Int32"),
              new Column("offset", "Int64"),
              new Column("intended_time", "DateTime64(6, 'UTC')"),
              new Column("receive_time", "DateTime64(6, 'UTC')"),
              new Column("payload_bytes", "UInt32"),
              new Column("sequence", "Int64"),
              new Column("tie", "UInt32"))),
          Map.entry(
              PUBLISH_FAILURES,
              List.of(
              new Column("run_id", "LowCardinality(String)"),
              new Column("worker", "UInt16"),
              new Column("producer", "UInt32"),
              new Column("topic", "LowCardinality(String)"),
              new Column("partition", "Int32"),
              new Column("intended_time", "DateTime64(6, 'UTC')"),
              new Column("publish_delay_us", "Int64"),
              new Column("fail_time", "DateTime64(6, 'UTC')"),
              new Column("payload_bytes", "UInt32"),
              new Column("error_class", "LowCardinality(String)"),
              new Column("sequence", "Int64"),
              new Column("tie", "UInt32"))),
          Map.entry(
              RUN_EVENTS,
              List.of(
              new Column("run_id", "LowCardinality(String)"),
              new Column("worker", "UInt16"),
              new Column("time", "DateTime64(6, 'UTC')"),
              new Column("kind", "LowCardinality(String)"),
              new Column("name", "LowCardinality(String)"),
              new Column("detail", "String"))),
          Map.entry(
              PARTITION_LEADERS,
              List.of(
              new Column("run_id", "LowCardinality(String)"),
              new Column("worker", "UInt16"),
              new Column("time", "DateTime64(6, 'UTC')"),
              new Column("topic", "LowCardinality(String)"),
              new Column("partition", "Int32"),
              new Column("leader", "Int32"),
              new Column("leader_host", "LowCardinality(String)"))),
          Map.entry(
              TRANSACTIONS,
              List.of(
              new Column("run_id", "LowCardinality(String)"),
              new Column("worker", "UInt16"),
              new Column("producer", "UInt32"),
              new Column("topic", "LowCardinality(String)"),
              new Column("number", "UInt64"),
              new Column("first_sequence", "UInt64"),
              new Column("messages", "UInt32"),
              new Column("acked", "UInt32"),
              new Column("begin_time", "DateTime64(6, 'UTC')"),
              new Column("begun_time", "DateTime64(6, 'UTC')"),
              new Column("end_request_time", "DateTime64(6, 'UTC')"),
              new Column("end_time", "DateTime64(6, 'UTC')"),
              new Column("outcome", "LowCardinality(String)"),
              new Column("error_class", "LowCardinality(String)"))),
          Map.entry(
              BROKER_REQUESTS,
              List.of(
              new Column("run_id", "LowCardinality(String)"),
              new Column("worker", "UInt16"),
              new Column("broker", "UInt32"),
              new Column("api", "LowCardinality(String)"),
              new Column("replica", "Int32"),
              new Column("client_id", "LowCardinality(String)"),
              new Column("connection", "LowCardinality(String)"),
              new Column("correlation_id", "Int32"),
              new Column("topic", "LowCardinality(String)"),
              new Column("partition", "Int32"),
              new Column("offset", "Int64"),
              new Column("records", "UInt32"),
              new Column("bytes", "UInt32"),
              new Column("high_watermark", "Int64"),
              new Column("answered", "LowCardinality(String)"),
              new Column("error", "LowCardinality(String)"),
              new Column("read_time", "DateTime64(6, 'UTC')"),
              new Column("queue_us", "UInt32"),
              new Column("local_us", "UInt32"),
              new Column("remote_us", "UInt32"),
              new Column("response_queue_us", "UInt32"),
              new Column("send_us", "UInt32"),
              new Column("throttle_ms", "UInt32"),
              new Column("log_us", "UInt32"),
              new Column("lock_us", "UInt32"),
              new Column("roll_us", "UInt32"),
              new Column("flush_us", "UInt32"))),
          Map.entry(
              LEDGER,
              List.of(
              new Column("run_id", "LowCardinality(String)"),
              new Column("worker", "UInt16"),
              new Column("stream", "LowCardinality(String)"),
              new Column("kind", "LowCardinality(String)"),
              new Column("reason", "LowCardinality(String)"),
              new Column("events", "UInt64"),
              new Column("from_time", "DateTime64(6, 'UTC')"),
              new Column("to_time", "DateTime64(6, 'UTC')"))));

  /** A column of a stream: its name and ClickHouse type. */
  public record Column(String name, String type) {}

  private Streams() {}
}
