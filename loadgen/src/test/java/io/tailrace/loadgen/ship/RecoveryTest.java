// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.block.BlockHead;
import io.tailrace.loadgen.block.BlockStream;
import io.tailrace.loadgen.record.LedgerEntry;
import io.tailrace.loadgen.record.Loss;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.spool.Checkpoint;
import io.tailrace.loadgen.spool.RecoveredSpool;
import io.tailrace.loadgen.spool.Spool;
import io.tailrace.loadgen.spool.SpoolLimits;
import io.tailrace.loadgen.spool.StreamProgress;
import io.tailrace.loadgen.spool.WorkerId;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The recovered counts of a killed worker and their times. */
class RecoveryTest {
  private static final WorkerId ID = new WorkerId("run-1", 0);
  private static final SpoolLimits LIMITS = new SpoolLimits(1L << 40, 0, 1 << 20);

  @TempDir Path folder;

  private final RowCounts counts = new RowCounts(new Recorders(1 << 20), 0);

  private Loss killed(StreamProgress publishes) throws Exception {
    try (Spool spool = Spool.create(folder, ID, LIMITS)) {
      Map<String, StreamProgress> streams = Map.of("publishes", publishes);
      spool.checkpoint(new Checkpoint("run-1", 0, 9_000, false, streams, List.of(), List.of()));
    }
    RecoveredSpool stored = RecoveredSpool.open(folder, LIMITS);
    try {
      return Recovery.of(stored).streams().get("publishes").lost().get("killed");
    } finally {
      stored.spool().close();
    }
  }

  private static BlockHead block(long seq, long fromMicros) {
    return new BlockHead("publishes", seq, 10, fromMicros, fromMicros + 900, "a UInt8");
  }

  @Test
  void rowsInNoBlockAreLaterThanTheLastRowOfABlock() throws Exception {
    assertThat(killed(new StreamProgress(105, 100, 0, Map.of(), 3, 3, 7_000, 0)))
        .isEqualTo(new Loss(5, 7_000, 9_000));
  }

  @Test
  void aKilledRunIsReportedEvenWithoutMissingRows() throws Exception {
    assertThat(killed(new StreamProgress(100, 100, 0, Map.of(), 3, 3, 7_000, 0)))
        .isEqualTo(new Loss(0, 7_000, 9_000));
  }

  @Test
  void aLossOfBlocksInMemoryBeginsWithTheirEarliestRow() throws Exception {
    counts.accepted(block(0, 1_000));
    counts.accepted(block(1, 3_000));
    counts.accepted(block(2, 2_500));
    counts.stored(block(0, 1_000));
    StreamProgress now = counts.progress(BlockStream.PUBLISHES);
    assertThat(now.openMicros()).isEqualTo(2_500);
    assertThat(killed(now)).isEqualTo(new Loss(20, 2_500, 9_000));
  }

  @Test
  void lossesOfManyBlocksAreOneEntryAndFitTheCheckpoint() throws Exception {
    try (Spool spool = Spool.create(folder, ID, LIMITS)) {
      ShippingState state = new ShippingState(counts, ID, spool, List::of);
      state.ledgerMade();
      IntStream.range(0, 1_000).forEach(n -> state.reportLater(block(n, 1_000 + n), "refused"));
      assertThat(state.unreported())
          .containsExactly(
              new LedgerEntry("publishes", "lost", "refused", 10_000, 1_000, 1_000 + 999 + 900));
      assertThat(state.checkpoint()).isTrue();
    }
  }
}
