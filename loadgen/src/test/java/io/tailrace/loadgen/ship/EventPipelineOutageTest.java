// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import static io.tailrace.loadgen.ship.PipelineFixture.ack;
import static io.tailrace.loadgen.ship.PipelineFixture.assertExact;
import static io.tailrace.loadgen.ship.PipelineFixture.config;
import static io.tailrace.loadgen.ship.PipelineFixture.ledger;
import static io.tailrace.loadgen.ship.PipelineFixture.waitUntil;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.collector.FakeCollector.Reaction;
import io.tailrace.loadgen.collector.ReceivedBlock;
import io.tailrace.loadgen.record.PublishRecorder;
import io.tailrace.loadgen.record.Recorders;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Collectors that do not answer, and deadlines. */
class EventPipelineOutageTest {
  private static final Duration MINUTES = Duration.ofMinutes(3);

  private final Recorders recorders = new Recorders(1 << 28);
  private FakeCollector collector;

  @BeforeEach
  void open() throws IOException {
    collector = new FakeCollector();
  }

  @AfterEach
  void close() {
    collector.close();
  }

  private EventPipeline start(long maxUnshippedBytes, Duration exportTimeout) {
    return EventPipeline.start(
        config(collector.endpoint(), maxUnshippedBytes), recorders, exportTimeout, null);
  }

  @Test
  void aRequestThatHangsIsSentAgain() {
    collector.reactWith(
        block -> collector.requests().size() == 1 ? Reaction.HANG : Reaction.COMMIT);
    EventPipeline pipeline = start(1 << 28, Duration.ofMillis(300));
    ack(recorders.publishes(0, "t"), 0, 100);
    ShipReport report = pipeline.finish(List.of(), MINUTES);
    assertThat(collector.requests()).startsWith("run-1/2/publishes/0", "run-1/2/publishes/0");
    assertThat(report.streams().get("publishes")).isEqualTo(new StreamReport(100, 100, Map.of()));
    assertExact(collector, report);
  }

  @Test
  void unansweredRowsAreCountedAsLostAtTheDeadline() {
    collector.reactWith(block -> Reaction.ANSWER_503);
    EventPipeline pipeline = start(1 << 28, Duration.ofSeconds(30));
    ack(recorders.publishes(0, "t"), 0, 100);
    ShipReport report =
        assertTimeoutPreemptively(
            Duration.ofSeconds(60), () -> pipeline.finish(List.of(), Duration.ofSeconds(1)));
    assertThat(report.unshipped()).isEqualTo(100);
    assertThat(report.ledgerCommitted()).isFalse();
    assertThat(report.streams().get("publishes"))
        .isEqualTo(new StreamReport(100, 0, Map.of("unshipped_at_deadline", 100L)));
    assertThat(pipeline.unshipped()).isZero();
  }

  @Test
  void theLedgerIsStillShippedWhenTheDataHangs() {
    collector.reactWith(block -> block.stream().equals("ledger") ? Reaction.COMMIT : Reaction.HANG);
    EventPipeline pipeline = start(1 << 28, Duration.ofMinutes(10));
    PublishRecorder recorder = recorders.publishes(0, "t");
    for (int i = 0; i < 6; i++) {
      ack(recorder, i, 70_000);
      waitUntil("rows are encoded", () -> recorders.publishLogs().get(0).available() == 0);
    }
    ShipReport report =
        assertTimeoutPreemptively(
            Duration.ofMinutes(2), () -> pipeline.finish(List.of(), Duration.ofSeconds(8)));
    assertThat(report.ledgerCommitted()).isTrue();
    assertThat(report.unshipped()).isEqualTo(420_000);
    assertThat(ledger(collector))
        .contains("publishes recorded = 420000", "publishes lost unshipped_at_deadline = 420000");
  }

  @Test
  void fullMemoryLosesTheNewestBlocksButNoEvents() {
    collector.reactWith(block -> Reaction.ANSWER_503);
    EventPipeline pipeline = start(1 << 22, Duration.ofSeconds(30));
    PublishRecorder recorder = recorders.publishes(0, "t");
    int rows = 0;
    // Times that hardly compress: a few of these blocks fill the 4 MiB.
    for (int i = 0; i < 20; i++) {
      for (int n = 0; n < 70_000; n++, rows++) {
        long scrambled = rows * 0x9E37_79B9_7F4A_7C15L >>> 20;
        recorder.acked(0, rows, scrambled, 5, scrambled + 7, 100);
      }
      waitUntil("rows are encoded", () -> recorders.publishLogs().get(0).available() == 0);
    }
    recorders.events().event(1, "phase", "end", "");
    waitUntil("the event is encoded", () -> recorders.eventLogs().get(0).available() == 0);
    collector.reactWith(block -> Reaction.COMMIT);
    ShipReport report = pipeline.finish(List.of(), MINUTES);

    StreamReport publishes = report.streams().get("publishes");
    assertThat(publishes.recorded()).isEqualTo(rows);
    assertThat(publishes.lost()).containsOnlyKeys("memory_full");
    assertThat(publishes.stored()).isPositive();
    assertThat(report.streams().get("run_events").stored()).isEqualTo(1);
    assertThat(ledger(collector))
        .contains("publishes lost memory_full = " + publishes.lost().get("memory_full"));
    assertExact(collector, report);
    List<Long> numbers =
        collector.committed().stream()
            .filter(b -> b.stream().equals("publishes"))
            .map(ReceivedBlock::seq)
            .sorted()
            .toList();
    assertThat(numbers.get(numbers.size() - 1)).isEqualTo(numbers.size() - 1L);
  }

  @Test
  void anInterruptedFinishEndsAtOnceWithACompleteLedger() {
    collector.reactWith(block -> Reaction.HANG);
    EventPipeline pipeline = start(1 << 28, Duration.ofMinutes(10));
    ack(recorders.publishes(0, "t"), 0, 100);
    Thread.currentThread().interrupt();
    ShipReport report = pipeline.finish(List.of(), MINUTES);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(report.streams().get("publishes").lost())
        .containsEntry("unshipped_at_deadline", 100L);
    assertThat(report.ledgerCommitted()).isFalse();
  }
}
