// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import static io.tailrace.loadgen.spool.SpoolFixture.ID;
import static io.tailrace.loadgen.spool.SpoolFixture.ROOMY;
import static io.tailrace.loadgen.spool.SpoolFixture.block;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A spool that is flushed; lab/powercut cuts the power of a real one. */
class DurableSpoolTest {
  private final SplittableRandom random = new SplittableRandom(7);

  @TempDir Path folder;

  private static Checkpoint at(long micros) {
    return new Checkpoint(ID.runId(), ID.worker(), micros, false, Map.of(), List.of(), List.of());
  }

  private long newest() {
    return CheckpointFile.read(folder).map(Checkpoint::timeMicros).orElse(0L);
  }

  /** What is not flushed may be on the drive in part: here all of one slot is lost. */
  private void lose(int slot) throws Exception {
    try (RandomAccessFile file =
        new RandomAccessFile(folder.resolve(SpoolFormat.CHECKPOINT_FILE).toFile(), "rw")) {
      file.seek((long) slot * CheckpointFile.SLOT_BYTES);
      file.write(new byte[100]);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aFlushedCheckpointOutlivesAllLaterOnesThatAreNotFlushed(int later) throws Exception {
    try (Spool spool = Spool.create(folder, ID, ROOMY, true)) {
      spool.checkpoint(at(1));
      spool.flush();
      spool.checkpoint(at(2));
      spool.flush();
      for (int n = 0; n < later; n++) {
        spool.checkpoint(at(3 + n));
      }
      assertThat(newest()).isEqualTo(2 + later);
      lose(1);
      long left = newest();
      assertThat(left).isEqualTo(2);
    }
  }

  @Test
  void theFlushedSlotIsFoundAgain() throws Exception {
    try (Spool spool = Spool.create(folder, ID, ROOMY, true)) {
      spool.checkpoint(at(1));
      spool.checkpoint(at(2));
      spool.flush();
    }
    // Generation 2 is in slot 1, where a spool that is not flushed has generation 1 or 3.
    try (Spool spool = RecoveredSpool.open(folder, ROOMY).spool()) {
      spool.checkpoint(at(3));
      lose(0);
      assertThat(newest()).isEqualTo(2);
    }
  }

  @Test
  void blocksAndDeletedSegmentsAreFlushed() throws Exception {
    try (Spool spool = Spool.create(folder, ID, new SpoolLimits(1L << 40, 0, 5_000), true)) {
      BlockRef first = spool.append(block("publishes", 0, 4_000, random));
      spool.append(block("publishes", 1, 4_000, random));
      spool.acked("publishes", 1, 10);
      spool.release(first);
      spool.flush();
      spool.flush();
    }
    try (Spool spool = RecoveredSpool.open(folder, ROOMY).spool()) {
      assertThat(spool.durable()).isTrue();
    }
  }
}
