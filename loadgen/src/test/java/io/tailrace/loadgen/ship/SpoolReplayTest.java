// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import static io.tailrace.loadgen.ship.PipelineFixture.config;
import static io.tailrace.loadgen.ship.PipelineFixture.waitUntil;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.collector.FakeCollector.Reaction;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.spool.Spool;
import io.tailrace.loadgen.spool.SpoolException;
import io.tailrace.loadgen.spool.SpoolLimits;
import io.tailrace.loadgen.spool.WorkerId;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replays of spools that are temporarily unreadable, damaged or contain refused blocks. */
class SpoolReplayTest {
  private static final Duration MINUTES = Duration.ofMinutes(3);
  private static final long WINDOW = 1 << 20;
  private static final SpoolLimits SMALL_SEGMENTS = new SpoolLimits(1L << 40, 0, 1 << 18);

  @TempDir Path parent;

  private final Recorders recorders = new Recorders(1 << 28);
  private FakeCollector collector;
  private Path folder;

  @BeforeEach
  void open() throws IOException {
    collector = new FakeCollector();
    folder = parent.resolve("spool");
  }

  @AfterEach
  void close() {
    collector.close();
  }

  private EventPipeline start() throws SpoolException {
    return start(WINDOW);
  }

  private EventPipeline start(long window) throws SpoolException {
    Spool spool = Spool.create(folder, new WorkerId("run-1", 2), SMALL_SEGMENTS);
    return EventPipeline.start(
        config(collector.endpoint(), window),
        recorders,
        Duration.ofSeconds(30),
        new SpoolConfig(spool, List::of));
  }

  /** Records blocks of messages whose times hardly compress; returns how many rows. */
  private int record(int blocks) {
    var publishes = recorders.publishes(0, "t");
    int rows = 0;
    for (int i = 0; i < blocks; i++) {
      for (int n = 0; n < 30_000; n++, rows++) {
        publishes.acked(0, rows, SpoolingProgram.time(rows), 5, SpoolingProgram.time(rows), 100);
      }
      waitUntil("rows are encoded", () -> recorders.publishLogs().get(0).available() == 0);
    }
    return rows;
  }

  /** A run that ended while the collector was unavailable. */
  private int leaveBehind(int blocks) throws SpoolException {
    collector.reactWith(block -> Reaction.ANSWER_503);
    EventPipeline pipeline = start();
    int rows = record(blocks);
    assertThat(pipeline.finish(List.of(), Duration.ofSeconds(1)).spooled()).isEqualTo(rows);
    collector.reactWith(block -> Reaction.COMMIT);
    return rows;
  }

  private ReplayReport replay(Duration patience) throws Exception {
    PrintStream nowhere = new PrintStream(PrintStream.nullOutputStream());
    return Replay.run(folder, collector.endpoint(), patience, nowhere);
  }

  @Test
  void blocksThatTemporarilyCannotBeReadAreReadLater() throws Exception {
    collector.reactWith(block -> Reaction.ANSWER_503);
    // There is no memory for blocks, so only the block being sent is read.
    EventPipeline pipeline = start(1);
    int rows = record(6);
    waitUntil("all blocks are in the spool", () -> pipeline.outstanding() == rows);
    waitUntil("the first block is sent", () -> !collector.requests().isEmpty());
    Path away = Files.move(folder, parent.resolve("away"));
    collector.reactWith(block -> Reaction.COMMIT);
    waitUntil(
        "the first block is stored, and the next one cannot be read",
        () -> !collector.committed().isEmpty() && pipeline.heldBytes() == 0);
    assertThat(pipeline.unshipped()).isPositive();
    Files.move(away, folder);
    ShipReport report = pipeline.finish(List.of(), MINUTES);
    assertThat(report.streams().get("publishes").lost()).isEmpty();
    assertThat(collector.rowCount("publishes")).isEqualTo(rows);
  }

  @Test
  void aDamagedSegmentIsKept() throws Exception {
    int rows = leaveBehind(4);
    Path segment = folder.resolve("00000000.seg");
    byte[] bytes = Files.readAllBytes(segment);
    bytes[bytes.length / 2] ^= 1;
    Files.write(segment, bytes);

    ReplayReport report = replay(MINUTES);
    long damaged = report.lost().get("spool_damaged");
    assertThat(damaged).isPositive();
    assertThat(report.stored()).isEqualTo(rows - damaged);
    assertThat(report.remaining()).isZero();
    assertThat(report.allStored()).isFalse();
    assertThat(report.damage().folder()).contains(folder.resolve("damaged"));
    assertThat(folder.resolve("damaged").resolve("00000000.seg")).hasBinaryContent(bytes);
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).containsExactly(folder.resolve("damaged"));
    }
  }

  @Test
  void aSegmentDamagedWhileInUseIsKept() throws Exception {
    collector.reactWith(block -> Reaction.ANSWER_503);
    EventPipeline pipeline = start();
    int rows = record(6);
    waitUntil("all blocks are in the spool", () -> pipeline.outstanding() == rows);
    Path last;
    try (Stream<Path> files = Files.list(folder)) {
      last =
          files
              .filter(f -> f.toString().endsWith(".seg") && f.toFile().length() > 0)
              .max(Path::compareTo)
              .orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(last);
    bytes[bytes.length / 2] ^= 1;
    Files.write(last, bytes);
    collector.reactWith(block -> Reaction.COMMIT);
    ShipReport report = pipeline.finish(List.of(), MINUTES);
    assertThat(report.streams().get("publishes").lost()).containsOnlyKeys("spool_damaged");
    assertThat(folder.resolve("damaged").resolve(last.getFileName())).exists();
  }

  @Test
  void refusalsCountAsProgressAndAreOneLedgerRow() throws Exception {
    int rows = leaveBehind(6);
    collector.reactWith(b -> b.stream().equals("ledger") ? Reaction.COMMIT : Reaction.ANSWER_503);
    replay(Duration.ofSeconds(1));
    collector.reactWith(
        block -> {
          // Slower than the replay's patience would allow if refusals did not count as progress.
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(600));
          return block.stream().equals("publishes") ? Reaction.REFUSE_400 : Reaction.COMMIT;
        });
    ReplayReport report = replay(Duration.ofMillis(1500));
    assertThat(report.remaining()).isZero();
    assertThat(report.lost()).containsEntry("refused", (long) rows);
    assertThat(collector.rows("ledger"))
        .filteredOn(row -> row.get("reason").equals("refused"))
        .hasSize(1);
    assertThat(folder).doesNotExist();
  }

  @Test
  void anyLossMeansThatNotAllIsStored() {
    assertThat(report("killed", 49_564).allStored()).isFalse();
    assertThat(report("spool_full", 1).allStored()).isFalse();
    assertThat(report("killed", 0).allStored()).isTrue();
  }

  private static ReplayReport report(String reason, long rows) {
    ReplayReport.Damage none = new ReplayReport.Damage(0, Optional.empty());
    return new ReplayReport("run-1", 0, 0, Map.of(reason, rows), none, true);
  }
}
