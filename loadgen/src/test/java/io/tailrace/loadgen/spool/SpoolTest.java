// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import static io.tailrace.loadgen.spool.SpoolFixture.ID;
import static io.tailrace.loadgen.spool.SpoolFixture.ROOMY;
import static io.tailrace.loadgen.spool.SpoolFixture.block;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.loadgen.block.EncodedBlock;
import io.tailrace.loadgen.record.LedgerEntry;
import io.tailrace.loadgen.record.Loss;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpoolTest {
  @TempDir Path parent;

  private final SplittableRandom random = new SplittableRandom(11);

  private Path folder() {
    return parent.resolve("runs/run-1/spool");
  }

  private long segments() throws IOException {
    try (Stream<Path> files = Files.list(folder())) {
      return files.filter(f -> f.toString().endsWith(".seg")).count();
    }
  }

  private static Checkpoint checkpoint(long settledSeq) {
    StreamProgress progress =
        new StreamProgress(
            100, 60, 30, Map.of("refused", new Loss(10, 5, 6)), 9, settledSeq, 77, 44);
    return new Checkpoint(
        ID.runId(),
        ID.worker(),
        1_234,
        false,
        Map.of("publishes", progress),
        List.of(new LedgerEntry("publishes", "sent", "", 101, 1, 2)),
        List.of());
  }

  @Test
  void blocksComeBackAsTheyWereWritten() throws Exception {
    List<EncodedBlock> written = new ArrayList<>();
    try (Spool spool = Spool.create(folder(), ID, new SpoolLimits(1L << 40, 0, 5_000))) {
      for (int i = 0; i < 50; i++) {
        EncodedBlock block = block(i % 3 == 0 ? "deliveries" : "publishes", i, 900, random);
        BlockRef ref = spool.append(block);
        written.add(block);
        assertThat(spool.read(ref)).isEqualTo(block.bytes());
      }
      assertThat(segments()).isGreaterThan(9);
    }
    RecoveredSpool stored = RecoveredSpool.open(folder(), ROOMY);
    assertThat(stored.id()).isEqualTo(ID);
    assertThat(stored.blocks())
        .extracting(BlockRef::head)
        .containsExactlyElementsOf(written.stream().map(EncodedBlock::head).toList());
    for (int i = 0; i < written.size(); i++) {
      assertThat(stored.spool().read(stored.blocks().get(i))).isEqualTo(written.get(i).bytes());
    }
    assertThat(stored.damaged()).isEmpty();
    assertThat(stored.unreadableBytes()).isZero();
    stored.spool().delete();
    assertThat(folder()).doesNotExist();
  }

  @Test
  void settledBlocksTakeNoSpaceAndAreNotReadAgain() throws Exception {
    Spool spool = Spool.create(folder(), ID, new SpoolLimits(1L << 40, 0, 3_100));
    List<BlockRef> refs = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      refs.add(spool.append(block("publishes", i, 900, random)));
    }
    assertThat(segments()).isEqualTo(3);
    for (int i = 0; i < 7; i++) {
      spool.acked("publishes", i + 1, 10L * i);
      spool.release(refs.get(i));
    }
    assertThat(segments()).isEqualTo(1);
    spool.close();
    RecoveredSpool stored = RecoveredSpool.open(folder(), ROOMY);
    assertThat(stored.blocks()).extracting(b -> b.head().seq()).containsExactly(7L, 8L);
    assertThat(stored.settled("publishes").settledSeq()).isEqualTo(7);
    assertThat(stored.settled("publishes").storedRows()).isEqualTo(60);
    stored.spool().close();
  }

  @Test
  void aHealthyRunLeavesOneSmallSegment() throws Exception {
    try (Spool spool = Spool.create(folder(), ID, ROOMY)) {
      for (int i = 0; i < 200; i++) {
        BlockRef ref = spool.append(block("publishes", i, 100_000, random));
        spool.acked("publishes", i + 1, i);
        spool.release(ref);
        assertThat(spool.bytes()).isLessThan(200);
      }
      assertThat(segments()).isEqualTo(1);
    }
  }

  @Test
  void theNewestReadableCheckpointCounts() throws Exception {
    try (Spool spool = Spool.create(folder(), ID, ROOMY)) {
      spool.append(block("publishes", 3, 900, random));
      spool.checkpoint(checkpoint(3));
      spool.checkpoint(checkpoint(4));
    }
    try (RandomAccessFile file = checkpointFile()) {
      assertThat(read()).contains(checkpoint(4));
      // The second checkpoint is in the first slot.
      file.seek(100);
      file.write(0);
      assertThat(read()).contains(checkpoint(3));
      file.seek(CheckpointFile.SLOT_BYTES + 100);
      file.write(0);
      assertThat(read()).isEmpty();
    }
  }

  @Test
  void unreportedLossesAreReadUnderTheirOldNameToo() throws Exception {
    Checkpoint plain = checkpoint(3);
    Checkpoint written =
        new Checkpoint(
            plain.runId(),
            plain.worker(),
            plain.timeMicros(),
            plain.closed(),
            plain.streams(),
            plain.counted(),
            List.of(new LedgerEntry("publishes", "lost", "refused", 7, 1, 2)));
    try (Spool spool = Spool.create(folder(), ID, ROOMY)) {
      spool.append(block("publishes", 3, 500, random));
      spool.checkpoint(written);
    }
    try (RandomAccessFile file = checkpointFile()) {
      assertThat(read()).contains(written);
      assertThat(renameKey(file, "unreported", "untold")).isTrue();
      assertThat(read()).contains(written);
    }
  }

  /** Renames a key of the first checkpoint. Returns whether it was there. */
  private static boolean renameKey(RandomAccessFile file, String from, String to)
      throws IOException {
    byte[] slot = new byte[CheckpointFile.SLOT_BYTES];
    file.seek(CheckpointFile.SLOT_BYTES); // the first checkpoint is in the second slot
    file.readFully(slot);
    int length = SpoolFormat.wrap(slot).getInt(12);
    String json = new String(slot, 24, length, StandardCharsets.UTF_8);
    byte[] renamed =
        json.replace('"' + from + '"', '"' + to + '"').getBytes(StandardCharsets.UTF_8);
    ByteBuffer out = SpoolFormat.wrap(slot).putInt(12, renamed.length);
    System.arraycopy(renamed, 0, slot, 24, renamed.length);
    out.putInt(8, SpoolFormat.crc(slot, 12, 12 + renamed.length));
    file.seek(CheckpointFile.SLOT_BYTES);
    file.write(slot);
    return renamed.length != length;
  }

  private RandomAccessFile checkpointFile() throws IOException {
    return new RandomAccessFile(folder().resolve("checkpoint").toFile(), "rw");
  }

  private Optional<Checkpoint> read() throws SpoolException {
    RecoveredSpool stored = RecoveredSpool.open(folder(), ROOMY);
    stored.spool().close();
    return stored.checkpoint();
  }

  @Test
  void aLongJournalIsReplacedByTheCheckpointThatCoversIt() throws Exception {
    try (Spool spool = Spool.create(folder(), ID, ROOMY)) {
      for (int i = 1; i <= 30_000; i++) {
        spool.acked("publishes", i, i);
      }
      Path journal = folder().resolve("acks");
      spool.checkpoint(checkpoint(29_999));
      assertThat(journal).isNotEmptyFile();
      spool.checkpoint(checkpoint(30_000));
      assertThat(journal).isEmptyFile();
    }
  }

  @Test
  void aFullSpoolAcceptsNoBlockUntilThereIsSpaceAgain() throws Exception {
    try (Spool spool = Spool.create(folder(), ID, new SpoolLimits(10_000, 0, 4_000))) {
      List<BlockRef> refs = new ArrayList<>();
      for (int i = 0; i < 9; i++) {
        refs.add(spool.append(block("publishes", i, 900, random)));
      }
      assertThatThrownBy(() -> spool.append(block("publishes", 9, 900, random)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("10000 bytes");
      for (BlockRef ref : refs) {
        spool.release(ref);
      }
      spool.append(block("publishes", 9, 900, random));
    }
  }

  @Test
  void theDriveKeepsItsMinimumOfFreeSpace() throws Exception {
    try (Spool spool = Spool.create(folder(), ID, new SpoolLimits(1L << 40, 1L << 60, 4_000))) {
      assertThatThrownBy(() -> spool.append(block("publishes", 0, 900, random)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("free");
    }
  }

  @Test
  void onlyOneProcessAtATimeUsesASpool() throws Exception {
    Spool spool = Spool.create(folder(), ID, ROOMY);
    spool.append(block("publishes", 0, 900, random));
    assertThatThrownBy(() -> RecoveredSpool.open(folder(), ROOMY))
        .isInstanceOf(SpoolException.class)
        .hasMessageContaining("in use");
    spool.close();
    assertThatThrownBy(() -> Spool.create(folder(), ID, ROOMY))
        .isInstanceOf(SpoolException.class)
        .hasMessageContaining("earlier run");
    RecoveredSpool.open(folder(), ROOMY).spool().close();
  }

  @Test
  void aFolderWithoutASpoolIsReported() throws Exception {
    assertThatThrownBy(() -> RecoveredSpool.open(parent, ROOMY))
        .isInstanceOf(SpoolException.class)
        .hasMessageContaining("no spool there");
    Spool.create(folder(), ID, ROOMY).close();
    assertThatThrownBy(() -> RecoveredSpool.open(folder(), ROOMY))
        .hasMessageContaining("was empty");
    assertThat(folder()).doesNotExist();
    Path file = Files.createFile(parent.resolve("file"));
    assertThatThrownBy(() -> Spool.create(file, ID, ROOMY))
        .isInstanceOf(SpoolException.class)
        .hasMessageContaining("cannot be used");
  }

  @Test
  void anInterruptedThreadCanUseASpool() throws Exception {
    Thread.currentThread().interrupt();
    try (Spool spool = Spool.create(folder(), ID, ROOMY)) {
      EncodedBlock block = block("publishes", 0, 900, random);
      BlockRef ref = spool.append(block);
      spool.checkpoint(checkpoint(0));
      assertThat(spool.read(ref)).isEqualTo(block.bytes());
      spool.acked("publishes", 1, 5);
      spool.release(ref);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }
}
