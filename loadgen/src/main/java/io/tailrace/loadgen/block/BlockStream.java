// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import io.tailrace.loadgen.block.Column.Source;
import io.tailrace.loadgen.contract.Streams;
import io.tailrace.loadgen.record.BrokerRequestRecorder;
import io.tailrace.loadgen.record.DeliveryRecorder;
import io.tailrace.loadgen.record.EventRecorder;
import io.tailrace.loadgen.record.FailureRecorder;
import io.tailrace.loadgen.record.LedgerRecorder;
import io.tailrace.loadgen.record.PublishRecorder;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.record.RowLog;
import io.tailrace.loadgen.record.TransactionRecorder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The streams of docs/contracts/block.md: columns in order, and the logs that supply their rows.
 */
public enum BlockStream {
  PUBLISHES(
      Streams.PUBLISHES,
      Recorders::publishLogs,
      PublishRecorder.LONG_ACK,
      new Column("producer", Source.ID, PublishRecorder.ID_PRODUCER),
      new Column("topic", Source.TOPIC, 0),
      new Column("partition", Source.INT, PublishRecorder.INT_PARTITION),
      new Column("offset", Source.LONG, PublishRecorder.LONG_OFFSET),
      new Column("intended_time", Source.LONG, PublishRecorder.LONG_INTENDED),
      new Column("publish_delay_us", Source.LONG, PublishRecorder.LONG_PUBLISH_DELAY),
      new Column("ack_time", Source.LONG, PublishRecorder.LONG_ACK),
      new Column("payload_bytes", Source.INT, PublishRecorder.INT_PAYLOAD_BYTES)),
  DELIVERIES(
      Streams.DELIVERIES,
      Recorders::deliveryLogs,
      DeliveryRecorder.LONG_RECEIVE,
      new Column("subscription", Source.ID, DeliveryRecorder.ID_SUBSCRIPTION),
      new Column("consumer", Source.ID, DeliveryRecorder.ID_CONSUMER),
      new Column("producer", Source.INT, DeliveryRecorder.INT_PRODUCER),
      new Column("topic", Source.TOPIC, 0),
      new Column("partition", Source.INT, DeliveryRecorder.INT_PARTITION),
      new Column("offset", Source.LONG, DeliveryRecorder.LONG_OFFSET),
      new Column("intended_time", Source.LONG, DeliveryRecorder.LONG_INTENDED),
      new Column("receive_time", Source.LONG, DeliveryRecorder.LONG_RECEIVE),
      new Column("payload_bytes", Source.INT, DeliveryRecorder.INT_PAYLOAD_BYTES),
      new Column("sequence", Source.LONG, DeliveryRecorder.LONG_SEQUENCE),
      new Column("tie", Source.INT, DeliveryRecorder.INT_TIE)),
  PUBLISH_FAILURES(
      Streams.PUBLISH_FAILURES,
      Recorders::failureLogs,
      FailureRecorder.LONG_FAIL,
      new Column("producer", Source.INT, FailureRecorder.INT_PRODUCER),
      new Column("topic", Source.TEXT, FailureRecorder.TEXT_TOPIC),
      new Column("partition", Source.INT, FailureRecorder.INT_PARTITION),
      new Column("intended_time", Source.LONG, FailureRecorder.LONG_INTENDED),
      new Column("publish_delay_us", Source.LONG, FailureRecorder.LONG_PUBLISH_DELAY),
      new Column("fail_time", Source.LONG, FailureRecorder.LONG_FAIL),
      new Column("payload_bytes", Source.INT, FailureRecorder.INT_PAYLOAD_BYTES),
      new Column("error_class", Source.TEXT, FailureRecorder.TEXT_ERROR_CLASS),
      new Column("sequence", Source.LONG, FailureRecorder.LONG_SEQUENCE),
      new Column("tie", Source.INT, FailureRecorder.INT_TIE)),
  RUN_EVENTS(
      Streams.RUN_EVENTS,
      Recorders::eventLogs,
      EventRecorder.LONG_TIME,
      new Column("time", Source.LONG, EventRecorder.LONG_TIME),
      new Column("kind", Source.TEXT, EventRecorder.TEXT_KIND),
      new Column("name", Source.TEXT, EventRecorder.TEXT_NAME),
      new Column("detail", Source.TEXT, EventRecorder.TEXT_DETAIL)),
  PARTITION_LEADERS(
      Streams.PARTITION_LEADERS,
      Recorders::leaderLogs,
      EventRecorder.LONG_TIME,
      new Column("time", Source.LONG, EventRecorder.LONG_TIME),
      new Column("topic", Source.TEXT, EventRecorder.TEXT_TOPIC),
      new Column("partition", Source.INT, EventRecorder.INT_PARTITION),
      new Column("leader", Source.INT, EventRecorder.INT_LEADER),
      new Column("leader_host", Source.TEXT, EventRecorder.TEXT_LEADER_HOST)),
  TRANSACTIONS(
      Streams.TRANSACTIONS,
      Recorders::transactionLogs,
      TransactionRecorder.LONG_END,
      new Column("producer", Source.INT, TransactionRecorder.INT_PRODUCER),
      new Column("topic", Source.TEXT, TransactionRecorder.TEXT_TOPIC),
      new Column("number", Source.LONG, TransactionRecorder.LONG_NUMBER),
      new Column("first_sequence", Source.LONG, TransactionRecorder.LONG_FIRST_SEQUENCE),
      new Column("messages", Source.INT, TransactionRecorder.INT_MESSAGES),
      new Column("acked", Source.INT, TransactionRecorder.INT_ACKED),
      new Column("begin_time", Source.LONG, TransactionRecorder.LONG_BEGIN),
      new Column("begun_time", Source.LONG, TransactionRecorder.LONG_BEGUN),
      new Column("end_request_time", Source.LONG, TransactionRecorder.LONG_END_REQUEST),
      new Column("end_time", Source.LONG, TransactionRecorder.LONG_END),
      new Column("outcome", Source.TEXT, TransactionRecorder.TEXT_OUTCOME),
      new Column("error_class", Source.TEXT, TransactionRecorder.TEXT_ERROR_CLASS)),
  BROKER_REQUESTS(
      Streams.BROKER_REQUESTS,
      Recorders::requestLogs,
      BrokerRequestRecorder.LONG_READ,
      new Column("broker", Source.ID, BrokerRequestRecorder.ID_BROKER),
      new Column("api", Source.TEXT, BrokerRequestRecorder.TEXT_API),
      new Column("replica", Source.INT, BrokerRequestRecorder.INT_REPLICA),
      new Column("client_id", Source.TEXT, BrokerRequestRecorder.TEXT_CLIENT_ID),
      new Column("connection", Source.TEXT, BrokerRequestRecorder.TEXT_CONNECTION),
      new Column("correlation_id", Source.INT, BrokerRequestRecorder.INT_CORRELATION_ID),
      new Column("topic", Source.TEXT, BrokerRequestRecorder.TEXT_TOPIC),
      new Column("partition", Source.INT, BrokerRequestRecorder.INT_PARTITION),
      new Column("offset", Source.LONG, BrokerRequestRecorder.LONG_OFFSET),
      new Column("records", Source.INT, BrokerRequestRecorder.INT_RECORDS),
      new Column("bytes", Source.INT, BrokerRequestRecorder.INT_BYTES),
      new Column("high_watermark", Source.LONG, BrokerRequestRecorder.LONG_HIGH_WATERMARK),
      new Column("answered", Source.TEXT, BrokerRequestRecorder.TEXT_ANSWERED),
      new Column("error", Source.TEXT, BrokerRequestRecorder.TEXT_ERROR),
      new Column("read_time", Source.LONG, BrokerRequestRecorder.LONG_READ),
      new Column("queue_us", Source.INT, BrokerRequestRecorder.INT_QUEUE),
      new Column("local_us", Source.INT, BrokerRequestRecorder.INT_LOCAL),
      new Column("remote_us", Source.INT, BrokerRequestRecorder.INT_REMOTE),
      new Column("response_queue_us", Source.INT, BrokerRequestRecorder.INT_RESPONSE_QUEUE),
      new Column("send_us", Source.INT, BrokerRequestRecorder.INT_SEND),
      new Column("throttle_ms", Source.INT, BrokerRequestRecorder.INT_THROTTLE),
      new Column("log_us", Source.INT, BrokerRequestRecorder.INT_LOG),
      new Column("lock_us", Source.INT, BrokerRequestRecorder.INT_LOCK),
      new Column("roll_us", Source.INT, BrokerRequestRecorder.INT_ROLL),
      new Column("flush_us", Source.INT, BrokerRequestRecorder.INT_FLUSH)),
  LEDGER(
      Streams.LEDGER,
      Recorders::ledgerLogs,
      LedgerRecorder.LONG_TO,
      new Column("stream", Source.TEXT, LedgerRecorder.TEXT_STREAM),
      new Column("kind", Source.TEXT, LedgerRecorder.TEXT_KIND),
      new Column("reason", Source.TEXT, LedgerRecorder.TEXT_REASON),
      new Column("events", Source.LONG, LedgerRecorder.LONG_EVENTS),
      new Column("from_time", Source.LONG, LedgerRecorder.LONG_FROM),
      new Column("to_time", Source.LONG, LedgerRecorder.LONG_TO));

  /** Every stream except the ledger, which ends a run and counts the others. */
  public static final List<BlockStream> RECORDED =
      List.of(
          PUBLISHES,
          DELIVERIES,
          PUBLISH_FAILURES,
          RUN_EVENTS,
          PARTITION_LEADERS,
          TRANSACTIONS,
          BROKER_REQUESTS);

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
    List<Column> all = new ArrayList<>();
    all.add(new Column("run_id", Source.RUN_ID, 0));
    all.add(new Column("worker", Source.WORKER, 0));
    all.addAll(List.of(columns));
    this.columns = Column.typed(streamName, all);
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

  public List<RowLog> logs(Recorders recorders) {
    return logs.apply(recorders);
  }

  int timeColumn() {
    return timeColumn;
  }

  List<Column> columns() {
    return columns;
  }
}
