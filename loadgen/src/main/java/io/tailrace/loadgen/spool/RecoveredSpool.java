// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import io.tailrace.loadgen.block.BlockHead;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The spool of an earlier process, read back.
 *
 * @param blocks intact unsettled blocks, in order per stream
 * @param damaged blocks of which only the head can be read
 * @param unreadableBytes bytes of segments that belong to no readable record
 */
public record RecoveredSpool(
    Spool spool,
    Optional<Checkpoint> checkpoint,
    Map<String, SettledBlocks> settled,
    List<BlockRef> blocks,
    List<BlockHead> damaged,
    long unreadableBytes) {
  public WorkerId id() {
    return spool.id();
  }

  public SettledBlocks settled(String stream) {
    return settled.getOrDefault(stream, SettledBlocks.NONE);
  }

  public static RecoveredSpool open(Path folder, SpoolLimits limits) throws SpoolException {
    if (!exists(folder)) {
      throw new SpoolException(folder + ": no spool there; give the folder of its .seg files");
    }
    SpoolLock lock = SpoolLock.take(folder);
    try {
      return read(folder, limits, lock);
    } catch (IOException e) {
      lock.close();
      throw new SpoolException(folder + ": cannot be read: " + e, e);
    } catch (SpoolException e) {
      lock.close();
      throw e;
    }
  }

  /** Whether a folder holds a spool, in use or not. */
  public static boolean exists(Path folder) {
    return Files.exists(folder.resolve(SpoolFormat.CHECKPOINT_FILE))
        || !segmentFiles(folder).isEmpty();
  }

  private static Map<Integer, Path> segmentFiles(Path folder) {
    Map<Integer, Path> files = new TreeMap<>();
    try (Stream<Path> entries = Files.list(folder)) {
      entries.forEach(
          file -> {
            int number = SpoolFormat.segmentNumber(file.getFileName().toString());
            if (number >= 0) {
              files.put(number, file);
            }
          });
    } catch (IOException e) {
      return Map.of();
    }
    return files;
  }

  private static RecoveredSpool read(Path folder, SpoolLimits limits, SpoolLock lock)
      throws SpoolException, IOException {
    Map<Integer, Path> files = segmentFiles(folder);
    Optional<Checkpoint> checkpoint = CheckpointFile.read(folder);
    WorkerId id = checkpoint.map(Checkpoint::id).or(() -> firstHeader(files)).orElse(null);
    if (id == null && files.isEmpty()) {
      // The process died before it wrote a checkpoint or a block.
      Spool.resume(folder, new WorkerId("", 0), limits, lock).delete();
      throw new SpoolException(folder + ": the spool was empty and is deleted");
    }
    if (id == null) {
      throw new SpoolException(
          folder + ": neither the checkpoint nor a segment's header names the run");
    }
    SegmentScan scan = new SegmentScan(id);
    files.forEach((number, file) -> scan.read(file, number));

    Map<String, SettledBlocks> settled = AckJournal.read(folder);
    checkpoint.ifPresent(
        c ->
            c.streams()
                .forEach(
                    (stream, progress) ->
                        settled.merge(
                            stream,
                            new SettledBlocks(progress.settledSeq(), progress.stored()),
                            SettledBlocks::max)));

    Set<String> seen = new HashSet<>();
    List<BlockRef> blocks = new ArrayList<>();
    for (BlockRef ref : scan.blocks()) {
      if (open(ref.head(), settled) && seen.add(key(ref.head()))) {
        blocks.add(ref);
      }
    }
    List<BlockHead> damaged = new ArrayList<>();
    Set<Integer> damagedSegments = new HashSet<>(scan.unreadable());
    for (BlockRef ref : scan.damaged()) {
      BlockHead head = ref.head();
      if (open(head, settled) && seen.add(key(head))) {
        damaged.add(head);
        if (!torn(ref, files.get(ref.segment()))) {
          damagedSegments.add(ref.segment());
        }
      }
    }
    Spool spool = Spool.resume(folder, id, limits, lock);
    files.forEach(
        (number, file) ->
            spool.add(number, file, blocks.stream().filter(b -> b.segment() == number).toList()));
    damagedSegments.forEach(spool::keepDamaged);
    return new RecoveredSpool(spool, checkpoint, settled, blocks, damaged, scan.unreadableBytes());
  }

  private static boolean open(BlockHead head, Map<String, SettledBlocks> settled) {
    return head.seq() >= settled.getOrDefault(head.stream(), SettledBlocks.NONE).settledSeq();
  }

  /** Whether a record is cut off by the end of the file: the process died while writing it. */
  private static boolean torn(BlockRef ref, Path file) {
    int columns = ref.head().columns().getBytes(StandardCharsets.UTF_8).length;
    return ref.offset() + RecordHead.FIXED + columns + ref.bytes() > file.toFile().length();
  }

  private static String key(BlockHead head) {
    return head.stream() + "/" + head.seq();
  }

  private static Optional<WorkerId> firstHeader(Map<Integer, Path> files) {
    return files.values().stream()
        .flatMap(file -> SegmentScan.header(file).stream())
        .map(SegmentHeader::id)
        .findFirst();
  }
}
