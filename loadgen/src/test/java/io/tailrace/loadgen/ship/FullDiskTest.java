// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import static io.tailrace.loadgen.ship.PipelineFixture.assertExact;
import static io.tailrace.loadgen.ship.PipelineFixture.config;
import static io.tailrace.loadgen.ship.PipelineFixture.waitUntil;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.collector.FakeCollector.Reaction;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.spool.Spool;
import io.tailrace.loadgen.spool.SpoolLimits;
import io.tailrace.loadgen.spool.WorkerId;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests with a file system that is really full. Needs root to mount a small one. */
class FullDiskTest {
  private static final Duration MINUTES = Duration.ofMinutes(3);

  /** Only the drive limits the spool. */
  private static final SpoolLimits UNLIMITED = new SpoolLimits(1L << 40, Long.MIN_VALUE, 1 << 20);

  @TempDir Path parent;

  private Path small;
  private boolean mounted;

  @BeforeEach
  void mount() throws Exception {
    small = Files.createDirectory(parent.resolve("small"));
    mounted = run("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", small.toString());
    assumeTrue(mounted, "needs the right to mount a tmpfs of 8 MiB; run as root");
  }

  @AfterEach
  void unmount() throws Exception {
    if (mounted) {
      assertThat(run("umount", "-l", small.toString())).isTrue();
    }
  }

  private static boolean run(String... command) throws Exception {
    return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
  }

  @Test
  void theRunContinuesAndRowsThatFitNeitherDiskNorMemoryAreCounted() throws Exception {
    Path folder = small.resolve("spool");
    Recorders recorders = new Recorders(1 << 28);
    try (FakeCollector collector = new FakeCollector()) {
      collector.reactWith(block -> Reaction.ANSWER_503);
      Spool spool = Spool.create(folder, new WorkerId("run-1", 2), UNLIMITED);
      EventPipeline pipeline =
          EventPipeline.start(
              config(collector.endpoint(), 4 << 20),
              recorders,
              Duration.ofSeconds(30),
              new SpoolConfig(spool, List::of));
      int rows = fill(recorders, () -> true);
      // No block is answered yet, and the process may die: the blocks on disk can be read.
      collector.reactWith(
          b ->
              b.stream().equals("publishes") && b.seq() < 3
                  ? Reaction.COMMIT
                  : Reaction.ANSWER_503);
      waitUntil("three blocks are stored", () -> collector.committed().size() == 3);
      ShipReport report = pipeline.finish(List.of(), Duration.ofSeconds(2));

      StreamReport publishes = report.streams().get("publishes");
      assertThat(publishes.recorded()).isEqualTo(rows);
      assertThat(publishes.lost().get("spool_full")).isPositive();
      assertThat(report.spooled()).isPositive();

      collector.reactWith(block -> Reaction.COMMIT);
      ReplayReport replayed =
          Replay.run(
              folder,
              collector.endpoint(),
              MINUTES,
              new PrintStream(PrintStream.nullOutputStream()));
      assertThat(replayed.remaining()).isZero();
      assertThat(replayed.allStored()).as("with %s", replayed.lost()).isFalse();
      assertThat(replayed.stored()).isEqualTo(report.spooled());
      long lost = publishes.lost().values().stream().mapToLong(Long::longValue).sum();
      assertThat(collector.rowCount("publishes")).isEqualTo(rows - lost);
      assertThat(PipelineFixture.ledger(collector))
          .contains(
              "publishes recorded = " + rows,
              "publishes lost spool_full = " + publishes.lost().get("spool_full"));
      assertThat(collector.complaints()).isEmpty();
    }
  }

  @Test
  void aFullDiskLosesNothingWhileTheCollectorAnswers() throws Exception {
    Path folder = small.resolve("spool");
    Recorders recorders = new Recorders(1 << 28);
    try (FakeCollector collector = new FakeCollector()) {
      Spool spool = Spool.create(folder, new WorkerId("run-1", 2), UNLIMITED);
      Files.write(small.resolve("ballast"), new byte[8_000_000]);
      EventPipeline pipeline =
          EventPipeline.start(
              config(collector.endpoint(), 16 << 20),
              recorders,
              Duration.ofSeconds(30),
              new SpoolConfig(spool, List::of));
      int rows = fill(recorders, () -> pipeline.unshipped() == 0);
      ShipReport report = pipeline.finish(List.of(), MINUTES);
      assertThat(report.streams().get("publishes").stored()).isEqualTo(rows);
      assertExact(collector, report);
      assertThat(folder).doesNotExist();
    }
  }

  /** Records 25 blocks one by one. */
  private static int fill(Recorders recorders, BooleanSupplier goOn) {
    var publishes = recorders.publishes(0, "t");
    int rows = 0;
    for (int i = 0; i < 25; i++) {
      for (int n = 0; n < 70_000; n++, rows++) {
        long scrambled = SpoolingProgram.time(rows);
        publishes.acked(0, rows, scrambled, 5, scrambled + 7, 100);
      }
      waitUntil("rows are encoded", () -> recorders.publishLogs().get(0).available() == 0);
      waitUntil("the next block may come", goOn);
    }
    return rows;
  }
}
