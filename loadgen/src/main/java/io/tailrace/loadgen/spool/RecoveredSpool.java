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
 * What an earlier process left behind, read back.
 *
 * @param spool the spool, taken up: its lock is held
 * @param id whose it is
 * @param checkpoint the last one; empty where none can be read
 * @param settled by stream, number of the first block not known to be settled
 * @param storedRows by stream, rows known to be committed
 * @param blocks good blocks still to be stored, in order per stream
 * @param damaged blocks still to be stored whose head is all that can be read
 * @param unreadableBytes bytes of segments that belong to no record that could be read
 */
public record RecoveredSpool(
    Spool spool,
    WorkerId id,
    Optional<Checkpoint> checkpoint,
    Map<String, Long> settled,
    Map<String, Long> storedRows,
    List<BlockRef> blocks,
    List<BlockHead> damaged,
    long unreadableBytes) {

  /**
   * Reads a spool and takes it up.
   *
   * @throws SpoolException when there is none, when it is in use, or nothing in it can be read
   */
  public static RecoveredSpool open(Path folder, SpoolLimits limits) throws SpoolException {
    if (!exists(folder)) {
      throw new SpoolException(
          folder + ": no spool there; give the folder that holds its .seg files");
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
      // Its process died before it had anything to keep.
      Spool.resume(folder, new WorkerId("", 0), limits, lock).delete();
      throw new SpoolException(folder + ": the spool was empty; it is deleted");
    }
    if (id == null) {
      throw new SpoolException(
          folder + ": neither the checkpoint nor a segment's header says which run this is");
    }
    SegmentScan scan = new SegmentScan(id);
    files.forEach((number, file) -> scan.read(file, number));

    Map<String, Long> settled = new TreeMap<>();
    Map<String, Long> stored = new TreeMap<>();
    checkpoint.ifPresent(
        c ->
            c.streams()
                .forEach(
                    (stream, progress) -> {
                      settled.put(stream, progress.settledSeq());
                      stored.put(stream, progress.stored());
                    }));
    AckJournal.read(folder)
        .forEach(
            (stream, entry) -> {
              settled.merge(stream, entry.settledSeq(), Math::max);
              stored.merge(stream, entry.storedRows(), Math::max);
            });

    Set<String> seen = new HashSet<>();
    List<BlockRef> blocks = new ArrayList<>();
    for (BlockRef ref : scan.blocks()) {
      if (open(ref.head(), settled) && seen.add(key(ref.head()))) {
        blocks.add(ref);
      }
    }
    List<BlockHead> damaged = new ArrayList<>();
    Set<Integer> aside = new HashSet<>(scan.unreadable());
    for (BlockRef ref : scan.damaged()) {
      BlockHead head = ref.head();
      if (open(head, settled) && seen.add(key(head))) {
        damaged.add(head);
        if (!torn(ref, files.get(ref.segment()))) {
          aside.add(ref.segment());
        }
      }
    }
    Spool spool = Spool.resume(folder, id, limits, lock);
    files.forEach(
        (number, file) ->
            spool.add(number, file, blocks.stream().filter(b -> b.segment() == number).toList()));
    aside.forEach(spool::keepDamaged);
    return new RecoveredSpool(
        spool, id, checkpoint, settled, stored, blocks, damaged, scan.unreadableBytes());
  }

  private static boolean open(BlockHead head, Map<String, Long> settled) {
    return head.seq() >= settled.getOrDefault(head.stream(), 0L);
  }

  /** Whether it ends before its end: the process died in the middle of writing it. */
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
