// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import static io.tailrace.loadgen.ship.PipelineFixture.assertExact;
import static io.tailrace.loadgen.ship.PipelineFixture.config;
import static io.tailrace.loadgen.ship.PipelineFixture.ledger;
import static io.tailrace.loadgen.ship.PipelineFixture.waitUntil;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.collector.FakeCollector.Reaction;
import io.tailrace.loadgen.collector.ReceivedBlock;
import io.tailrace.loadgen.record.LedgerEntry;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.spool.Spool;
import io.tailrace.loadgen.spool.SpoolException;
import io.tailrace.loadgen.spool.SpoolLimits;
import io.tailrace.loadgen.spool.WorkerId;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pipeline with a spool, and replays of the blocks that it leaves. */
class SpoolPipelineTest {
  private static final Duration MINUTES = Duration.ofMinutes(3);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final long WINDOW = 4 << 20;

  @TempDir Path parent;

  private final Recorders recorders = new Recorders(1 << 28);
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private FakeCollector collector;
  private Path folder;
  private Spool spool;

  @BeforeEach
  void open() throws IOException {
    collector = new FakeCollector();
    folder = parent.resolve("spool");
  }

  @AfterEach
  void close() {
    collector.close();
  }

  private EventPipeline start(long spoolBytes) throws SpoolException {
    SpoolLimits limits = new SpoolLimits(spoolBytes, 0, 2 << 20);
    spool = Spool.create(folder, new WorkerId("run-1", 2), limits);
    return EventPipeline.start(
        config(collector.endpoint(), WINDOW),
        recorders,
        Duration.ofSeconds(30),
        new SpoolConfig(spool, SpoolPipelineTest::counted));
  }

  private static List<LedgerEntry> counted() {
    return List.of(new LedgerEntry("publishes", "acked", "", 5, 1, 2));
  }

  /** Records messages whose times hardly compress, block by block; returns how many. */
  private int record(int blocks) {
    var publishes = recorders.publishes(0, "t");
    var deliveries = recorders.deliveries(0, 0, "t");
    int rows = 0;
    for (int i = 0; i < blocks; i++) {
      for (int n = 0; n < 70_000; n++, rows++) {
        long scrambled = rows * 0x9E37_79B9_7F4A_7C15L >>> 20;
        publishes.acked(0, rows, scrambled, 5, scrambled + 7, 100);
        deliveries.received(0, 0, rows, scrambled, scrambled + 9, 100, rows, 0);
      }
      waitUntil(
          "rows are encoded",
          () ->
              recorders.publishLogs().get(0).available() == 0
                  && recorders.deliveryLogs().get(0).available() == 0);
    }
    return rows;
  }

  private void assertInOrder(String stream) {
    List<Long> numbers =
        collector.committed().stream()
            .filter(b -> b.stream().equals(stream))
            .map(ReceivedBlock::seq)
            .toList();
    assertThat(numbers)
        .isNotEmpty()
        .isEqualTo(LongStream.range(0, numbers.size()).boxed().toList());
  }

  private ReplayReport replay(Duration patience) throws Exception {
    PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
    return Replay.run(folder, collector.endpoint(), patience, out);
  }

  @Test
  void anOutageLongerThanMemoryLosesNothingAndKeepsTheOrder() throws Exception {
    collector.reactWith(block -> Reaction.ANSWER_503);
    EventPipeline pipeline = start(1L << 40);
    int rows = record(20);
    assertThat(pipeline.unshipped()).isEqualTo(2L * rows);
    assertThat(pipeline.heldBytes()).isPositive().isLessThan(WINDOW);
    collector.reactWith(block -> Reaction.COMMIT);
    ShipReport report = pipeline.finish(counted(), MINUTES);
    assertThat(report.streams().get("publishes")).isEqualTo(new StreamReport(rows, rows, Map.of()));
    assertThat(report.streams().get("deliveries"))
        .isEqualTo(new StreamReport(rows, rows, Map.of()));
    assertExact(collector, report);
    assertThat(collector.column("publishes", "offset"))
        .isEqualTo(LongStream.range(0, rows).boxed().toList());
    assertInOrder("publishes");
    assertInOrder("deliveries");
    assertThat(folder).doesNotExist();
  }

  @Test
  void theSpoolStaysTinyWhileTheCollectorAnswers() throws Exception {
    EventPipeline pipeline = start(1L << 40);
    int rows = 0;
    for (int i = 0; i < 4; i++) {
      rows += record(1);
      waitUntil("all is stored", () -> pipeline.unshipped() == 0);
      waitUntil("what is stored is forgotten", () -> spool.bytes() < 100);
    }
    ShipReport report = pipeline.finish(counted(), MINUTES);
    assertThat(report.streams().get("deliveries").stored()).isEqualTo(rows);
    assertThat(folder).doesNotExist();
  }

  @Test
  void blocksLeftAtTheDeadlineAreReplayedWithTheirLedger() throws Exception {
    collector.reactWith(
        b ->
            b.stream().equals("publishes") && b.seq() < 2
                ? Reaction.COMMIT
                : Reaction.COMMIT_THEN_503);
    EventPipeline pipeline = start(1L << 40);
    int rows = record(5);
    ShipReport report = pipeline.finish(counted(), SECOND);
    assertThat(report.ledgerCommitted()).isFalse();
    assertThat(report.spooled()).isEqualTo(report.unshipped()).isPositive();
    assertThat(report.streams().get("publishes").lost()).isEmpty();

    ReplayReport gaveUp = replay(SECOND);
    assertThat(gaveUp.allStored()).isFalse();
    assertThat(gaveUp.remaining()).isEqualTo(report.spooled());
    assertThat(printed.toString(StandardCharsets.UTF_8)).contains("run-1: 0 rows stored, ");

    collector.reactWith(block -> Reaction.COMMIT);
    ReplayReport replayed = replay(MINUTES);
    assertThat(replayed.allStored()).isTrue();
    assertThat(replayed.stored()).isEqualTo(report.spooled());
    assertThat(folder).doesNotExist();
    assertThat(collector.complaints()).isEmpty();
    assertThat(collector.rowCount("publishes")).isEqualTo(rows);
    assertThat(collector.rowCount("deliveries")).isEqualTo(rows);
    assertInOrder("publishes");
    assertInOrder("deliveries");
    assertThat(ledger(collector))
        .contains("publishes recorded = " + rows, "publishes acked = 5")
        .noneMatch(entry -> entry.contains("lost"));
  }

  @Test
  void aBlockRefusedInTheReplayIsReportedByAFurtherLedger() throws Exception {
    collector.reactWith(b -> b.stream().equals("ledger") ? Reaction.COMMIT : Reaction.ANSWER_503);
    EventPipeline pipeline = start(1L << 40);
    int rows = record(3);
    ShipReport report = pipeline.finish(counted(), Duration.ofSeconds(2));
    assertThat(report.ledgerCommitted()).isTrue();
    assertThat(report.spooled()).isEqualTo(2L * rows);

    collector.reactWith(
        b ->
            b.stream().equals("deliveries") && b.seq() == 1
                ? Reaction.REFUSE_400
                : Reaction.COMMIT);
    ReplayReport replayed = replay(MINUTES);
    assertThat(replayed.allStored()).isFalse();
    assertThat(replayed.remaining()).isZero();
    long refused = replayed.lost().get("refused");
    assertThat(refused).isPositive();
    assertThat(collector.rowCount("deliveries")).isEqualTo(rows - refused);
    assertThat(ledger(collector))
        .contains("deliveries recorded = " + rows, "deliveries lost refused = " + refused);
    assertThat(folder).doesNotExist();
  }

  @Test
  void aFullSpoolIsACountedLossAndTheRunContinues() throws Exception {
    collector.reactWith(block -> Reaction.ANSWER_503);
    EventPipeline pipeline = start(3 << 20);
    int rows = record(20);
    recorders.events().event(1, "phase", "end", "");
    waitUntil("the event is encoded", () -> recorders.eventLogs().get(0).available() == 0);
    assertThat(pipeline.heldBytes()).isLessThanOrEqualTo(WINDOW + (1 << 16));
    long lostSoFar = pipeline.lost();
    collector.reactWith(block -> Reaction.COMMIT);
    ShipReport report = pipeline.finish(counted(), MINUTES);
    StreamReport publishes = report.streams().get("publishes");
    assertThat(publishes.lost()).containsOnlyKeys("spool_full");
    assertThat(lostSoFar)
        .isEqualTo(
            report.streams().values().stream()
                .flatMap(stream -> stream.lost().values().stream())
                .mapToLong(Long::longValue)
                .sum());
    assertThat(publishes.recorded()).isEqualTo(rows);
    assertThat(report.streams().get("run_events").lost()).isEmpty();
    assertExact(collector, report);
    assertInOrder("publishes");
    assertThat(ledger(collector))
        .contains("publishes lost spool_full = " + publishes.lost().get("spool_full"));
    assertThat(collector.rows("ledger").stream().filter(r -> r.get("reason").equals("spool_full")))
        .allMatch(r -> (long) r.get("from_time") > 0 && (long) r.get("to_time") > 0);
    assertThat(folder).doesNotExist();
  }
}
