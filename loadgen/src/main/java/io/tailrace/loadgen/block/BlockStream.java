// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import static io.tailrace.loadgen.block.Column.LOW_CARDINALITY;

import io.tailrace.loadgen.record.DeliveryRecorder;
import io.tailrace.loadgen.record.EventRecorder;
import io.tailrace.loadgen.record.FailureRecorder;
import io.tailrace.loadgen.record.LedgerRecorder;
import io.tailrace.loadgen.record.PublishRecorder;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.record.RowLog;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The streams of docs/contracts/block.md: columns in order, and the logs that supply their rows.
 */
public enum BlockStream {
  PUBLISHES(
      "publishes",
      Recorders::publishLogs,
      PublishRecorder.LONG_ACK,
      Column.runId(),
      Column.worker(),
      Column.id("producer", "UInt32", PublishRecorder.ID_PRODUCER),
      Column.topicOfRecorder(),
      Column.int32("partition", "Int32", PublishRecorder.INT_PARTITION),
      Column.int64("offset", "Int64", PublishRecorder.LONG_OFFSET),
      Column.time("intended_time", PublishRecorder.LONG_INTENDED),
      Column.int64("publish_delay_us", "Int64", PublishRecorder.LONG_PUBLISH_DELAY),
      Column.time("ack_time", PublishRecorder.LONG_ACK),
      Column.int32("payload_bytes", "UInt32", PublishRecorder.INT_PAYLOAD_BYTES)),
  DELIVERIES(
      "deliveries",
      Recorders::deliveryLogs,
      DeliveryRecorder.LONG_RECEIVE,
      Column.runId(),
      Column.worker(),
      Column.id("subscription", "UInt16", DeliveryRecorder.ID_SUBSCRIPTION),
      Column.id("consumer", "UInt32", DeliveryRecorder.ID_CONSUMER),
      Column.int32("producer", "UInt32", DeliveryRecorder.INT_PRODUCER),
      Column.topicOfRecorder(),
      Column.int32("partition", "Int32", DeliveryRecorder.INT_PARTITION),
      Column.int64("offset", "Int64", DeliveryRecorder.LONG_OFFSET),
      Column.time("intended_time", DeliveryRecorder.LONG_INTENDED),
      Column.time("receive_time", DeliveryRecorder.LONG_RECEIVE),
      Column.int32("payload_bytes", "UInt32", DeliveryRecorder.INT_PAYLOAD_BYTES)),
  PUBLISH_FAILURES(
      "publish_failures",
      Recorders::failureLogs,
      FailureRecorder.LONG_FAIL,
      Column.runId(),
      Column.worker(),
      Column.int32("producer", "UInt32", FailureRecorder.INT_PRODUCER),
      Column.text("topic", LOW_CARDINALITY, FailureRecorder.TEXT_TOPIC),
      Column.int32("partition", "Int32", FailureRecorder.INT_PARTITION),
      Column.time("intended_time", FailureRecorder.LONG_INTENDED),
      Column.int64("publish_delay_us", "Int64", FailureRecorder.LONG_PUBLISH_DELAY),
      Column.time("fail_time", FailureRecorder.LONG_FAIL),
      Column.int32("payload_bytes", "UInt32", FailureRecorder.INT_PAYLOAD_BYTES),
      Column.text("error_class", LOW_CARDINALITY, FailureRecorder.TEXT_ERROR_CLASS)),
  RUN_EVENTS(
      "run_events",
      Recorders::eventLogs,
      EventRecorder.LONG_TIME,
      Column.runId(),
      Column.worker(),
      Column.time("time", EventRecorder.LONG_TIME),
      Column.text("kind", LOW_CARDINALITY, EventRecorder.TEXT_KIND),
      Column.text("name", LOW_CARDINALITY, EventRecorder.TEXT_NAME),
      Column.text("detail", "String", EventRecorder.TEXT_DETAIL)),
  PARTITION_LEADERS(
      "partition_leaders",
      Recorders::leaderLogs,
      EventRecorder.LONG_TIME,
      Column.runId(),
      Column.worker(),
      Column.time("time", EventRecorder.LONG_TIME),
      Column.text("topic", LOW_CARDINALITY, EventRecorder.TEXT_TOPIC),
      Column.int32("partition", "Int32", EventRecorder.INT_PARTITION),
      Column.int32("leader", "Int32", EventRecorder.INT_LEADER),
      Column.text("leader_host", LOW_CARDINALITY, EventRecorder.TEXT_LEADER_HOST)),
  LEDGER(
      "ledger",
      Recorders::ledgerLogs,
      LedgerRecorder.LONG_TO,
      Column.runId(),
      Column.worker(),
      Column.text("stream", LOW_CARDINALITY, LedgerRecorder.TEXT_STREAM),
      Column.text("kind", LOW_CARDINALITY, LedgerRecorder.TEXT_KIND),
      Column.text("reason", LOW_CARDINALITY, LedgerRecorder.TEXT_REASON),
      Column.int64("events", "UInt64", LedgerRecorder.LONG_EVENTS),
      Column.time("from_time", LedgerRecorder.LONG_FROM),
      Column.time("to_time", LedgerRecorder.LONG_TO));

  /** Every stream except the ledger, which ends a run and counts the others. */
  public static final List<BlockStream> RECORDED =
      List.of(PUBLISHES, DELIVERIES, PUBLISH_FAILURES, RUN_EVENTS, PARTITION_LEADERS);

  private final String streamName;
  private final Function<Recorders, List<RowLog>> logs;
  private final int timeColumn;
  private final List<Column> columns;
  private final String columnsText;

  BlockStream(
      String streamName,
      Function<Recorders, List<RowLog>> logs,
      int timeColumn,
      Column... columns) {
    this.streamName = streamName;
    this.logs = logs;
    this.timeColumn = timeColumn;
    this.columns = List.of(columns);
    this.columnsText =
        this.columns.stream()
            .map(column -> column.name() + " " + column.type())
            .collect(Collectors.joining(", "));
  }

  /** Name as in the contract, e.g. {@code publish_failures}. */
  public String streamName() {
    return streamName;
  }

  /** Columns in order, {@code name Type, name Type, …} as in the contract's table. */
  public String columnsText() {
    return columnsText;
  }

  /** Logs that supply this stream's rows. */
  public List<RowLog> logs(Recorders recorders) {
    return logs.apply(recorders);
  }

  /** Index of the long column with a row's time. */
  int timeColumn() {
    return timeColumn;
  }

  List<Column> columns() {
    return columns;
  }
}
