// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import io.tailrace.loadgen.record.DeliveryRecorder;
import io.tailrace.loadgen.record.LedgerEntry;
import io.tailrace.loadgen.record.PublishRecorder;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.record.TransactionOutcome;
import io.tailrace.loadgen.record.TransactionSpan;
import io.tailrace.loadgen.record.TransactionSpan.Times;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The rows of testdata/blocks, recorded through the recorders and kept as plain maps for
 * comparison.
 */
final class GoldenRows {
  static final String RUN_ID = "golden-run_1.0";
  static final int WORKER = 65_535;

  /** 2026-11-20 12:00:00 UTC. */
  private static final long T0 = 1_795_176_000_000_000L;

  final Recorders recorders = new Recorders(1 << 28);
  final Map<BlockStream, List<Map<String, Object>>> rows = new EnumMap<>(BlockStream.class);

  GoldenRows() {
    publishes();
    deliveries();
    failures();
    events();
    leaders();
    transactions();
    rows.put(BlockStream.BROKER_REQUESTS, GoldenRequests.record(recorders, T0));
    ledger();
  }

  /** Adds a row: run and worker first, then the given names and values. */
  private void row(BlockStream stream, Object... namesAndValues) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("run_id", RUN_ID);
    row.put("worker", WORKER);
    for (int i = 0; i < namesAndValues.length; i += 2) {
      row.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    rows.computeIfAbsent(stream, s -> new ArrayList<>()).add(row);
  }

  /**
   * Three producers, two topics; one early send, one acknowledgement before the intended send,
   * offsets beyond 32 and 53 bits.
   */
  private void publishes() {
    long[] firstOffsets = {0, 5_000_000_000L, 9_007_199_254_740_993L};
    String[] topics = {"orders", "orders", "payments-éü"};
    for (int producer = 0; producer < 3; producer++) {
      PublishRecorder recorder = recorders.publishes(producer, topics[producer]);
      for (int i = 0; i < 12; i++) {
        int partition = i % 4;
        long offset = firstOffsets[producer] + i;
        long intended = T0 + 250_000L * i;
        long delay = i == 5 ? -37 : 3L * i;
        long ack = i == 7 ? intended - 1_500 : intended + 2_000 + 1_000L * producer;
        int bytes = i == 11 ? 0 : 1024;
        recorder.acked(partition, offset, intended, delay, ack, bytes);
        row(
            BlockStream.PUBLISHES,
            "producer",
            producer,
            "topic",
            topics[producer],
            "partition",
            partition,
            "offset",
            offset,
            "intended_time",
            intended,
            "publish_delay_us",
            delay,
            "ack_time",
            ack,
            "payload_bytes",
            bytes);
      }
    }
  }

  /**
   * Two subscriptions of one topic, one of another; one delivery before its send, as happens when
   * clocks differ.
   */
  private void deliveries() {
    Object[][] consumers = {{0, 0, "orders"}, {1, 1, "orders"}, {0, 70_000, "payments-éü"}};
    for (Object[] c : consumers) {
      var recorder = recorders.deliveries((int) c[0], (int) c[1], (String) c[2]);
      for (int i = 0; i < 8; i++) {
        long intended = T0 + 250_000L * i;
        long receive = i == 3 ? intended - 40 : intended + 5_000;
        long sequence = i == 6 ? DeliveryRecorder.NO_SEQUENCE : i == 7 ? (1L << 40) - 1 : i / 3;
        recorder.received(i % 3, i % 4, i, intended, receive, 1024, sequence, i % 5);
        row(
            BlockStream.DELIVERIES,
            "subscription",
            c[0],
            "consumer",
            c[1],
            "producer",
            i % 3,
            "topic",
            c[2],
            "partition",
            i % 4,
            "offset",
            (long) i,
            "intended_time",
            intended,
            "receive_time",
            receive,
            "payload_bytes",
            1024,
            "sequence",
            sequence,
            "tie",
            i % 5);
      }
    }
  }

  private void failures() {
    for (int i = 0; i < 6; i++) {
      String topic = i == 5 ? "" : "orders";
      String error = i % 2 == 0 ? "TimeoutException" : "NotLeaderOrFollowerException";
      long fail = T0 + 30_000_000L + i;
      recorders.failures().failed(i, topic, i - 1, T0 + i, -i, fail, 100 * i, error, i * 7L, 0);
      row(
          BlockStream.PUBLISH_FAILURES,
          "producer",
          i,
          "topic",
          topic,
          "partition",
          i - 1,
          "intended_time",
          T0 + i,
          "publish_delay_us",
          (long) -i,
          "fail_time",
          fail,
          "payload_bytes",
          100 * i,
          "error_class",
          error,
          "sequence",
          i * 7L,
          "tie",
          0);
    }
  }

  private void events() {
    String longText = "x".repeat(300);
    List<String> details =
        Arrays.asList(
            "", "{\"rate\": 20000}", "naïve – 日本語 – 🚰\ttab \"quoted\"\nline", longText, "0");
    List<String> names = List.of("warmup", "measure", "drain", "end", "");
    for (int i = 0; i < names.size(); i++) {
      String kind = i < 4 ? "phase" : "error";
      recorders.events().event(T0 - 1 + i, kind, names.get(i), details.get(i));
      row(
          BlockStream.RUN_EVENTS,
          "time",
          T0 - 1 + i,
          "kind",
          kind,
          "name",
          names.get(i),
          "detail",
          details.get(i));
    }
  }

  /** More topics than one byte can number. */
  private void leaders() {
    for (int i = 0; i < 300; i++) {
      String host = i % 3 == 0 ? "" : "broker-" + i % 3 + ".example";
      int leader = i % 3 == 0 ? -1 : i % 3;
      recorders.events().leader(T0 + i, "topic-" + i, i % 16, leader, host);
      row(
          BlockStream.PARTITION_LEADERS,
          "time",
          T0 + i,
          "topic",
          "topic-" + i,
          "partition",
          i % 16,
          "leader",
          leader,
          "leader_host",
          host);
    }
  }

  /** One of each outcome; a sequence number beyond 32 bits, an end that was never asked for. */
  private void transactions() {
    TransactionOutcome[] outcomes = TransactionOutcome.values();
    String[] errors = {"", "KafkaException", "TimeoutException"};
    for (int i = 0; i < outcomes.length; i++) {
      long first = i == 2 ? 1_099_511_627_000L : 100L * i;
      long end = T0 + 9_000L * (i + 1);
      long requested = i == 2 ? end : end - 2_500;
      Times times = new Times(T0 + i, T0 + i + 3, requested, end);
      TransactionSpan span = new TransactionSpan(i, first, 100, times);
      recorders.transactions().ended(i, "orders", span, 100 - i, outcomes[i], errors[i]);
      row(
          BlockStream.TRANSACTIONS,
          "producer",
          i,
          "topic",
          "orders",
          "number",
          (long) i,
          "first_sequence",
          first,
          "messages",
          100,
          "acked",
          100 - i,
          "begin_time",
          T0 + i,
          "begun_time",
          T0 + i + 3,
          "end_request_time",
          requested,
          "end_time",
          end,
          "outcome",
          outcomes[i].text(),
          "error_class",
          errors[i]);
    }
  }

  private void ledger() {
    ledgerRow("publishes", "sent", "", 36, T0, T0 + 3_000_000);
    ledgerRow("publishes", "acked", "", 9_007_199_254_740_993L, T0, T0 + 3_000_000);
    ledgerRow("publishes", "recorded", "", 36, 0, 0);
    ledgerRow("deliveries", "lost", "recorder_full", 7, T0 - 5, T0 + 5);
    ledgerRow("deliveries", "received", "", 0, 0, 0);
  }

  private void ledgerRow(
      String stream, String kind, String reason, long events, long from, long to) {
    recorders.ledger().add(new LedgerEntry(stream, kind, reason, events, from, to));
    row(
        BlockStream.LEDGER,
        "stream",
        stream,
        "kind",
        kind,
        "reason",
        reason,
        "events",
        events,
        "from_time",
        from,
        "to_time",
        to);
  }
}
