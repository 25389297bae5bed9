// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import static io.tailrace.loadgen.ship.PipelineFixture.config;
import static io.tailrace.loadgen.ship.PipelineFixture.waitUntil;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.collector.FakeCollector.Reaction;
import io.tailrace.loadgen.record.BrokerRequestRecorder;
import io.tailrace.loadgen.record.Recorders;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A broker's counts are shipped while it records. */
class ProgressLedgerTest {
  private static final long START = 1_000_000_000_000L;
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final Recorders recorders = new Recorders(1 << 22);
  private final BrokerRequestRecorder recorder = recorders.requests(1);
  private long now = START;
  private FakeCollector collector;
  private EventPipeline pipeline;

  @BeforeEach
  void open() throws IOException {
    collector = new FakeCollector();
    pipeline = EventPipeline.startOfBroker(config(collector.endpoint(), 1 << 24), recorders, START);
  }

  @AfterEach
  void close() {
    collector.close();
  }

  private void record(int rows) {
    for (int i = 0; i < rows; i++) {
      recorder.answered(
          new long[] {i, -1, now},
          new int[BrokerRequestRecorder.INTS],
          new String[] {"produce", "c", "", "t", "at_once", ""});
    }
  }

  /** Time passes for the ledger faster than for the encoder, whose blocks are a second old. */
  private boolean ledgerAt(long events, String kind) {
    now += 100_000;
    pipeline.shipProgress(now);
    return sum(kind) == events;
  }

  private long sum(String kind) {
    return entries(kind).stream().mapToLong(row -> number(row, "events")).sum();
  }

  private List<Map<String, Object>> entries(String kind) {
    return collector.rows("ledger").stream().filter(row -> row.get("kind").equals(kind)).toList();
  }

  private static long number(Map<String, Object> row, String column) {
    return ((Number) row.get(column)).longValue();
  }

  /** The intervals follow each other from the start. */
  private long coveredUntil() {
    long until = START;
    for (Map<String, Object> row : entries("recorded")) {
      assertThat(number(row, "from_time")).isEqualTo(until);
      until = number(row, "to_time");
    }
    return until;
  }

  @Test
  void countsAreShippedWhileRowsAreRecorded() {
    record(10);
    waitUntil("ten rows are in the ledger", () -> ledgerAt(10, "recorded"));
    record(7);
    waitUntil("and seven more", () -> ledgerAt(17, "recorded"));
    long end = now + 1;
    pipeline.finishOfBroker(end, SECOND);
    assertThat(sum("recorded")).isEqualTo(17);
    assertThat(collector.rowCount("broker_requests")).isEqualTo(17);
    assertThat(coveredUntil()).isEqualTo(end);
  }

  @Test
  void rowsThatAreNotStoredAreCountedButNotCovered() {
    collector.reactWith(
        block -> block.stream().equals("ledger") ? Reaction.COMMIT : Reaction.ANSWER_503);
    now += 1;
    waitUntil("time passes without rows", () -> ledgerAt(0, "lost") && now > START + 500_000);
    long written = now;
    record(10);
    waitUntil("the rows are in the ledger", () -> ledgerAt(10, "recorded"));
    assertThat(coveredUntil()).isLessThanOrEqualTo(written);
    pipeline.finishOfBroker(now, SECOND);
    assertThat(sum("recorded")).isEqualTo(10);
    assertThat(sum("lost")).isEqualTo(10);
  }

  @Test
  void countsOfARefusedLedgerAreInTheNext() {
    collector.reactWith(
        block -> block.stream().equals("ledger") ? Reaction.REFUSE_400 : Reaction.COMMIT);
    record(10);
    waitUntil("a ledger is refused", () -> ledgerAt(0, "lost") && requested("ledger") > 0);
    collector.reactWith(block -> Reaction.COMMIT);
    recorder.missed(now);
    waitUntil("the next has its counts", () -> ledgerAt(1, "lost"));
    pipeline.finishOfBroker(now, SECOND);
    assertThat(sum("recorded")).isEqualTo(11);
    assertThat(coveredUntil()).isEqualTo(now);
  }

  @Test
  void aLedgerWithoutAnAnswerIsSentAgain() {
    AtomicInteger ledgers = new AtomicInteger();
    collector.reactWith(
        block ->
            block.stream().equals("ledger") && ledgers.getAndIncrement() == 0
                ? Reaction.HANG
                : Reaction.COMMIT);
    record(10);
    waitUntil("a ledger is sent", () -> ledgerAt(0, "lost") && requested("ledger") > 0);
    record(5);
    pipeline.finishOfBroker(now, Duration.ofSeconds(4));
    List<String> sent = collector.requests().stream().filter(r -> r.contains("/ledger/")).toList();
    assertThat(sent).hasSize(3);
    assertThat(sent.get(1)).isEqualTo(sent.get(0));
    assertThat(sum("recorded")).isEqualTo(15);
    assertThat(coveredUntil()).isEqualTo(now);
  }

  private long requested(String stream) {
    return collector.requests().stream().filter(each -> each.contains("/" + stream + "/")).count();
  }
}
