// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.block.BlockHead;
import io.tailrace.loadgen.block.EncodedBlock;
import io.tailrace.loadgen.contract.LossReasons;
import io.tailrace.loadgen.record.LedgerEntry;
import io.tailrace.loadgen.spool.BlockRef;
import io.tailrace.loadgen.spool.Checkpoint;
import io.tailrace.loadgen.spool.RecoveredSpool;
import io.tailrace.loadgen.spool.Spool;
import io.tailrace.loadgen.spool.SpoolLimits;
import io.tailrace.loadgen.spool.StreamProgress;
import io.tailrace.loadgen.spool.WorkerId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damages segments at random, with a seed: the recovered counts are exact, because the checkpoint
 * has the totals. {@code -Dtailrace.fuzz.seconds=N} runs longer.
 */
class RecoveryDamageTest {
  private static final WorkerId ID = new WorkerId("run-1", 0);
  private static final List<String> STREAMS = List.of("publishes", "deliveries");
  private static final long FUZZ_NANOS = Long.getLong("tailrace.fuzz.seconds", 2) * 1_000_000_000L;

  @TempDir Path parent;

  /** Rows by stream: all of them, and those known to be committed. */
  private record Books(Map<String, Long> recorded, Map<String, Long> stored) {}

  private static Books write(Path folder, SplittableRandom random) throws Exception {
    Books books = new Books(new HashMap<>(), new HashMap<>());
    SpoolLimits limits = new SpoolLimits(1L << 40, 0, 1_000 + random.nextInt(8_000));
    Map<String, StreamProgress> progress = new HashMap<>();
    boolean closed = random.nextBoolean();
    try (Spool spool = Spool.create(folder, ID, limits)) {
      for (int i = random.nextInt(20); i >= 0; i--) {
        String stream = STREAMS.get(random.nextInt(2));
        StreamProgress p = progress.getOrDefault(stream, StreamProgress.NONE);
        byte[] body = new byte[random.nextInt(1_500)];
        random.nextBytes(body);
        int rows = 1 + random.nextInt(500);
        BlockHead head = new BlockHead(stream, p.nextSeq(), rows, 1_000, 2_000, "a UInt8");
        BlockRef ref = spool.append(new EncodedBlock(head, body));
        books.recorded.merge(stream, (long) rows, Long::sum);
        boolean stored = p.settledSeq() == p.nextSeq() && random.nextInt(3) == 0;
        if (stored) {
          books.stored.merge(stream, (long) rows, Long::sum);
          spool.acked(stream, p.nextSeq() + 1, books.stored.get(stream));
          spool.release(ref);
        }
        progress.put(
            stream,
            new StreamProgress(
                p.recorded() + rows,
                p.stored() + (stored ? rows : 0),
                p.outstanding() + (stored ? 0 : rows),
                Map.of(),
                p.nextSeq() + 1,
                p.settledSeq() + (stored ? 1 : 0),
                2_000,
                stored ? 0 : 1_000));
        spool.checkpoint(
            new Checkpoint("run-1", 0, 3_000, closed, Map.copyOf(progress), List.of(), List.of()));
      }
    }
    return books;
  }

  private static void damage(Path folder, SplittableRandom random) throws IOException {
    List<Path> segments;
    try (Stream<Path> files = Files.list(folder)) {
      segments = files.filter(file -> file.toString().endsWith(".seg")).sorted().toList();
    }
    for (Path segment : segments) {
      byte[] bytes = Files.readAllBytes(segment);
      switch (random.nextInt(5)) {
        case 0 -> bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
        case 1 -> {
          for (int i = random.nextInt(4); i >= 0; i--) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
          }
        }
        case 2 -> Arrays.fill(bytes, random.nextInt(bytes.length), bytes.length, (byte) 0);
        case 3 -> random.nextBytes(bytes);
        default -> {}
      }
      Files.write(segment, bytes);
    }
  }

  @Test
  void unreadableRowsAreCountedExactly() throws Exception {
    long end = System.nanoTime() + FUZZ_NANOS;
    int withLoss = 0;
    for (int seed = 0; System.nanoTime() < end; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Path folder = parent.resolve("spool-" + seed);
      Books books = write(folder, random);
      damage(folder, random);
      RecoveredSpool stored = RecoveredSpool.open(folder, new SpoolLimits(1L << 40, 0, 1 << 20));
      Recovery recovery = Recovery.of(stored);
      for (String stream : STREAMS) {
        long readable =
            stored.blocks().stream()
                .map(BlockRef::head)
                .filter(head -> head.stream().equals(stream))
                .mapToLong(BlockHead::rows)
                .sum();
        StreamProgress now = recovery.streams().get(stream);
        long recorded = books.recorded.getOrDefault(stream, 0L);
        long committed = books.stored.getOrDefault(stream, 0L);
        assertThat(now.recorded()).as("seed %d, %s", seed, stream).isEqualTo(recorded);
        assertThat(now.stored()).as("seed %d, %s", seed, stream).isEqualTo(committed);
        assertThat(now.outstanding()).as("seed %d, %s", seed, stream).isEqualTo(readable);
        assertThat(now.lostRows())
            .as("seed %d, %s", seed, stream)
            .isEqualTo(recorded - committed - readable);
        withLoss += now.lostRows() > 0 ? 1 : 0;
      }
      stored.spool().delete();
    }
    assertThat(withLoss).isPositive();
  }

  @Test
  void countersMissingFromTheCheckpointAreUnknown() throws Exception {
    Path folder = parent.resolve("spool");
    try (Spool spool = Spool.create(folder, ID, new SpoolLimits(1L << 40, 0, 1 << 20))) {
      BlockHead head = new BlockHead("deliveries", 0, 70, 1_000, 2_000, "a UInt8");
      spool.append(new EncodedBlock(head, new byte[100]));
    }
    Recovery recovery =
        Recovery.of(RecoveredSpool.open(folder, new SpoolLimits(1L << 40, 0, 1 << 20)));
    assertThat(recovery.counted())
        .filteredOn(entry -> entry.reason().equals(LossReasons.UNKNOWN))
        .extracting(LedgerEntry::kind)
        .containsExactly(
            "redelivered",
            "foreign",
            "other_run",
            "corrupt",
            "aborted",
            "in_doubt",
            "unsent",
            "begun");
    assertThat(recovery.counted())
        .contains(new LedgerEntry("deliveries", "received", "", 70, 0, 2_000));
  }
}
