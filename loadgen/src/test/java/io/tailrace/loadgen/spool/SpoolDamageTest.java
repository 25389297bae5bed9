// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import static io.tailrace.loadgen.spool.SpoolFixture.ID;
import static io.tailrace.loadgen.spool.SpoolFixture.ROOMY;
import static io.tailrace.loadgen.spool.SpoolFixture.block;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.block.BlockHead;
import io.tailrace.loadgen.block.EncodedBlock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damages segments at random, with a seed: intact blocks are read, damaged ones never are, and no
 * exception is thrown. {@code -Dtailrace.fuzz.seconds=N} runs longer.
 */
class SpoolDamageTest {
  private static final int CASES = 400;
  private static final long FUZZ_NANOS = Long.getLong("tailrace.fuzz.seconds", 3) * 1_000_000_000L;

  @TempDir Path parent;

  /** A spool of several segments, its blocks and their positions. */
  private record Written(Path folder, Map<String, EncodedBlock> blocks, List<BlockRef> refs) {
    static Written of(Path folder, SplittableRandom random) throws Exception {
      Map<String, EncodedBlock> blocks = new HashMap<>();
      List<BlockRef> refs = new ArrayList<>();
      try (Spool spool =
          Spool.create(folder, ID, new SpoolLimits(1L << 40, 0, 2_000 + random.nextInt(8_000)))) {
        int count = 1 + random.nextInt(30);
        for (int i = 0; i < count; i++) {
          String stream = random.nextBoolean() ? "publishes" : "deliveries";
          EncodedBlock block = block(stream, i, random.nextInt(2_000), random);
          refs.add(spool.append(block));
          blocks.put(key(block.head()), block);
        }
      }
      // The worker must be read from a segment.
      Files.delete(folder.resolve("checkpoint"));
      return new Written(folder, blocks, refs);
    }

    Path file(int segment) {
      return folder.resolve(SpoolFormat.segmentFile(segment));
    }
  }

  private static String key(BlockHead head) {
    return head.stream() + "/" + head.seq();
  }

  /** Reads the spool back and checks that every block of it is one that was written. */
  private static Set<String> readBack(Written written) throws Exception {
    RecoveredSpool stored = RecoveredSpool.open(written.folder(), ROOMY);
    Set<String> found = new HashSet<>();
    for (BlockRef ref : stored.blocks()) {
      EncodedBlock block = written.blocks().get(key(ref.head()));
      assertThat(block).as("a block that was never written: %s", ref).isNotNull();
      assertThat(ref.head()).isEqualTo(block.head());
      assertThat(stored.spool().read(ref)).isEqualTo(block.bytes());
      assertThat(found.add(key(ref.head()))).as("twice: %s", ref).isTrue();
    }
    for (BlockHead head : stored.damaged()) {
      assertThat(written.blocks().get(key(head)).head()).isEqualTo(head);
      assertThat(found).doesNotContain(key(head));
    }
    if (found.size() < written.blocks().size()) {
      assertThat(stored.damaged().size() + stored.unreadableBytes()).isPositive();
    }
    stored.spool().delete();
    return found;
  }

  @Test
  void flippedBytesCostOnlyTheBlocksTheyAreIn() throws Exception {
    for (int seed = 0; seed < CASES; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Written written = Written.of(parent.resolve("flip-" + seed), random);
      Set<String> hit = new HashSet<>();
      int flips = 1 + random.nextInt(5);
      for (int i = 0; i < flips; i++) {
        BlockRef ref = written.refs().get(random.nextInt(written.refs().size()));
        byte[] bytes = Files.readAllBytes(written.file(ref.segment()));
        int length = RecordHead.FIXED + ref.head().columns().length() + ref.bytes();
        bytes[(int) ref.offset() + random.nextInt(length)] ^= (byte) (1 + random.nextInt(255));
        Files.write(written.file(ref.segment()), bytes);
        hit.add(key(ref.head()));
      }
      Set<String> expected = new HashSet<>(written.blocks().keySet());
      expected.removeAll(hit);
      assertThat(readBack(written)).as("seed %d", seed).containsAll(expected);
    }
  }

  @Test
  void aTornTailCostsOnlyWhatIsCutOff() throws Exception {
    for (int seed = 0; seed < CASES; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Written written = Written.of(parent.resolve("torn-" + seed), random);
      BlockRef last = written.refs().get(written.refs().size() - 1);
      byte[] bytes = Files.readAllBytes(written.file(last.segment()));
      int keep = (int) last.offset() + random.nextInt(bytes.length - (int) last.offset());
      Files.write(written.file(last.segment()), Arrays.copyOf(bytes, keep));
      boolean nothingLeft = keep == last.offset();
      Set<String> expected = new HashSet<>(written.blocks().keySet());
      expected.remove(key(last.head()));
      if (nothingLeft) {
        written.blocks().remove(key(last.head()));
      }
      assertThat(readBack(written)).as("seed %d", seed).isEqualTo(expected);
    }
  }

  @Test
  void foreignBytesBetweenRecordsCostNothing() throws Exception {
    for (int seed = 0; seed < CASES; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Written written = Written.of(parent.resolve("strange-" + seed), random);
      BlockRef ref = written.refs().get(random.nextInt(written.refs().size()));
      byte[] bytes = Files.readAllBytes(written.file(ref.segment()));
      byte[] strange = new byte[1 + random.nextInt(3_000)];
      random.nextBytes(strange);
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      out.write(bytes, 0, (int) ref.offset());
      out.writeBytes(strange);
      out.write(bytes, (int) ref.offset(), bytes.length - (int) ref.offset());
      Files.write(written.file(ref.segment()), out.toByteArray());
      assertThat(readBack(written)).as("seed %d", seed).isEqualTo(written.blocks().keySet());
    }
  }

  @Test
  void aSegmentOfAnotherRunIsIgnored() throws Exception {
    SplittableRandom random = new SplittableRandom(3);
    Written written = Written.of(parent.resolve("mine"), random);
    Path foreign = parent.resolve("foreign");
    try (Spool spool = Spool.create(foreign, new WorkerId("run-2", 7), ROOMY)) {
      spool.append(block("publishes", 1_000, 500, random));
    }
    Files.copy(foreign.resolve("00000000.seg"), written.folder().resolve("00000999.seg"));
    Files.writeString(written.folder().resolve("notes.txt"), "not a segment");
    assertThat(readBack(written)).isEqualTo(written.blocks().keySet());
    assertThat(written.folder().resolve("notes.txt")).exists();
  }

  @Test
  void anyDamageAnywhereIsSurvived() throws Exception {
    long end = System.nanoTime() + FUZZ_NANOS;
    int rounds = 0;
    for (int seed = 10_000; System.nanoTime() < end; seed++, rounds++) {
      SplittableRandom random = new SplittableRandom(seed);
      Written written = Written.of(parent.resolve("fuzz-" + seed), random);
      try {
        damage(written.folder(), random);
        readBack(written);
      } catch (SpoolException e) {
        assertThat(e).as("seed %d", seed).hasMessageMatching(".*(names the run|was empty).*");
      }
    }
    assertThat(rounds).isPositive();
  }

  private static void damage(Path folder, SplittableRandom random) throws IOException {
    List<Path> files;
    try (Stream<Path> entries = Files.list(folder)) {
      files = entries.sorted().toList();
    }
    for (Path file : files) {
      byte[] bytes = Files.readAllBytes(file);
      switch (random.nextInt(5)) {
        case 0 -> Files.write(file, Arrays.copyOf(bytes, random.nextInt(20_000)));
        case 1 -> {
          random.nextBytes(bytes);
          Files.write(file, bytes);
        }
        case 2 -> {
          for (int i = 0; i < 20 && bytes.length > 0; i++) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
          }
          Files.write(file, bytes);
        }
        case 3 -> {
          if (bytes.length > 0) {
            Files.write(
                file, Arrays.copyOfRange(bytes, random.nextInt(bytes.length), bytes.length));
          }
        }
        default -> {}
      }
    }
  }
}
