// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import static io.tailrace.loadgen.ship.PipelineFixture.assertExact;
import static io.tailrace.loadgen.ship.PipelineFixture.config;
import static io.tailrace.loadgen.ship.PipelineFixture.waitUntil;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.collector.FakeCollector.Reaction;
import io.tailrace.loadgen.collector.ReceivedBlock;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.spool.Spool;
import io.tailrace.loadgen.spool.SpoolLimits;
import io.tailrace.loadgen.spool.WorkerId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pipeline with a spool that is flushed: the same blocks in the same order. */
class DurablePipelineTest {
  private static final Duration MINUTES = Duration.ofMinutes(3);
  private static final SpoolLimits SMALL_SEGMENTS = new SpoolLimits(1L << 40, 0, 2 << 20);

  @TempDir Path parent;

  @Test
  void anOutageLosesNothingAndKeepsTheOrder() throws Exception {
    Path folder = parent.resolve("spool");
    Recorders recorders = new Recorders(1 << 28);
    try (FakeCollector collector = new FakeCollector()) {
      collector.reactWith(block -> Reaction.ANSWER_503);
      Spool spool = Spool.create(folder, new WorkerId("run-1", 2), SMALL_SEGMENTS, true);
      EventPipeline pipeline =
          EventPipeline.start(
              config(collector.endpoint(), 4 << 20), recorders, new SpoolConfig(spool, List::of));
      int rows = record(recorders, 6);
      assertThat(pipeline.heldBytes()).isLessThan(4 << 20);
      collector.reactWith(block -> Reaction.COMMIT);
      ShipReport report = pipeline.finish(List.of(), MINUTES);
      assertThat(report.streams().get("publishes").stored()).isEqualTo(rows);
      assertExact(collector, report);
      List<Long> numbers =
          collector.committed().stream()
              .filter(b -> b.stream().equals("publishes"))
              .map(ReceivedBlock::seq)
              .toList();
      assertThat(numbers).hasSize(6).isSorted();
      assertThat(folder).doesNotExist();
    }
  }

  /** Blocks of 70,000 rows whose times hardly compress. */
  private static int record(Recorders recorders, int blocks) {
    var publishes = recorders.publishes(0, "t");
    int rows = 0;
    for (int i = 0; i < blocks; i++) {
      for (int n = 0; n < 70_000; n++, rows++) {
        long scrambled = rows * 0x9E37_79B9_7F4A_7C15L >>> 20;
        publishes.acked(0, rows, scrambled, 5, scrambled + 7, 100);
      }
      waitUntil("encoded", () -> recorders.publishLogs().get(0).available() == 0);
    }
    return rows;
  }

  /** A task that waits for a flush runs after those before it, also when no flush succeeds. */
  @Test
  void tasksRunInTheirOrderAndNoneIsForgotten() throws Exception {
    Spool spool = Spool.create(parent.resolve("s"), new WorkerId("run-1", 2), SMALL_SEGMENTS, true);
    SpoolFlusher flusher = new SpoolFlusher(spool);
    List<Integer> ran = Collections.synchronizedList(new ArrayList<>());
    List<Integer> expected = new ArrayList<>();
    for (int n = 0; n < 1_000; n++) {
      int number = n;
      expected.add(number);
      if (n % 3 == 0) {
        flusher.withNextFlush(() -> ran.add(number));
      } else {
        flusher.whenFlushed(() -> ran.add(number));
      }
    }
    flusher.settle(MINUTES);
    flusher.close();
    spool.close();
    assertThat(ran).isEqualTo(expected);
  }

  @Test
  void settleWaitsForATaskThatRuns() throws Exception {
    Spool spool = Spool.create(parent.resolve("s"), new WorkerId("run-1", 2), SMALL_SEGMENTS, true);
    SpoolFlusher flusher = new SpoolFlusher(spool);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    flusher.whenFlushed(
        () -> {
          begun.countDown();
          Uninterrupted.await(release::await);
        });
    begun.await();
    Thread settling = new Thread(() -> flusher.settle(MINUTES));
    settling.start();
    settling.join(200);
    assertThat(settling.isAlive()).isTrue();
    release.countDown();
    settling.join(MINUTES.toMillis());
    assertThat(settling.isAlive()).isFalse();
    flusher.close();
    spool.close();
  }
}
