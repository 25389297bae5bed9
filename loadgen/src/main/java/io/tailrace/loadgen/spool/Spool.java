// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import io.tailrace.loadgen.block.EncodedBlock;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Keeps blocks on disk until they are stored; docs/contracts/spool.md is its format. Blocks survive
 * the death of the process; those of a durable spool survive that of the machine too, once {@link
 * #flush} has returned. Used by one process at a time, by any thread.
 */
public final class Spool implements AutoCloseable {
  private final Path folder;
  private final WorkerId id;
  private final SpoolLimits limits;
  private final SpoolLock lock;
  private final AckJournal acks;
  private final CheckpointFile checkpoints;
  private final boolean durable;
  private final UnflushedFiles unflushed;
  private final Map<Integer, Segment> segments = new TreeMap<>();
  private Segment current;
  private int nextSegment;
  private long bytes;
  private boolean used;
  private boolean flushing;
  private Checkpoint lastCheckpoint;
  private Checkpoint heldCheckpoint;

  private Spool(Path folder, WorkerId id, SpoolLimits limits, SpoolLock lock, boolean durable)
      throws IOException {
    this.folder = folder;
    this.id = id;
    this.limits = limits;
    this.lock = lock;
    this.durable = durable;
    this.unflushed = new UnflushedFiles(durable);
    this.acks = AckJournal.open(folder);
    this.checkpoints = CheckpointFile.open(folder);
    unflushed.addWithParents(folder);
  }

  /** A spool that nothing flushes. */
  public static Spool create(Path folder, WorkerId id, SpoolLimits limits) throws SpoolException {
    return create(folder, id, limits, false);
  }

  /** {@code durable}: its user flushes it. */
  public static Spool create(Path folder, WorkerId id, SpoolLimits limits, boolean durable)
      throws SpoolException {
    SpoolLock lock = null;
    try {
      Files.createDirectories(folder);
      lock = SpoolLock.take(folder);
      if (RecoveredSpool.exists(folder)) {
        throw new SpoolException(
            folder + ": holds the spool of an earlier run; ship it first, or give another folder");
      }
      return new Spool(folder, id, limits, lock, durable);
    } catch (IOException e) {
      closeQuietly(lock);
      throw new SpoolException(folder + ": cannot be used as a spool: " + e, e);
    } catch (SpoolException e) {
      closeQuietly(lock);
      throw e;
    }
  }

  /** Continues an earlier process's spool, durably. The caller holds the lock. */
  static Spool resume(Path folder, WorkerId id, SpoolLimits limits, SpoolLock lock)
      throws IOException {
    Spool spool = new Spool(folder, id, limits, lock, true);
    spool.used = true;
    return spool;
  }

  private static void closeQuietly(SpoolLock lock) {
    if (lock != null) {
      lock.close();
    }
  }

  /** Adds a segment of an earlier process and its unsettled blocks. */
  void add(int number, Path file, List<BlockRef> unsettled) {
    Segment segment = Segment.found(file, number);
    unsettled.forEach(ref -> segment.addUnsettled());
    segments.put(number, segment);
    bytes += segment.size();
    nextSegment = Math.max(nextSegment, number + 1);
  }

  WorkerId id() {
    return id;
  }

  public Path folder() {
    return folder;
  }

  /** Whether {@link #flush} has an effect. */
  public boolean durable() {
    return durable;
  }

  /** Returns once all that was written before is on the drive. Called by one thread. */
  public void flush() throws IOException {
    List<Path> changed = beginFlush();
    List<Path> left = changed;
    try {
      UnflushedFiles.flush(changed);
      left = List.of();
    } finally {
      endFlush(left);
    }
  }

  private synchronized List<Path> beginFlush() {
    flushing = true;
    return unflushed.take();
  }

  private synchronized void endFlush(List<Path> again) throws IOException {
    unflushed.addAll(again);
    flushing = false;
    if (again.isEmpty()) {
      checkpoints.flushed();
      acks.clearIfCovered(lastCheckpoint);
    }
    if (heldCheckpoint != null) {
      Checkpoint held = heldCheckpoint;
      heldCheckpoint = null;
      checkpoint(held);
    }
  }

  /** Appends a block; after a failed write no bytes of it remain. */
  public synchronized BlockRef append(EncodedBlock block) throws IOException {
    byte[] head = RecordHead.encode(block, id.tag());
    int size = head.length + block.bytes().length;
    checkRoom(size);
    if (current == null
        || !current.writable()
        || (!current.settled() && current.size() + size > limits.segmentBytes())) {
      begin();
    }
    long before = current.size();
    long at = current.append(head, block.bytes());
    bytes += current.size() - before;
    current.addUnsettled();
    unflushed.add(current.file());
    return new BlockRef(current.number(), at, block.head(), block.bytes().length);
  }

  private void checkRoom(int size) throws IOException {
    if (bytes + size > limits.maxBytes()) {
      throw new IOException("its limit of " + limits.maxBytes() + " bytes is reached");
    }
    if (new File(folder.toString()).getUsableSpace() < size + limits.minFreeBytes()) {
      throw new IOException("its drive must keep " + limits.minFreeBytes() + " bytes free");
    }
  }

  private void begin() throws IOException {
    Segment next = Segment.create(folder, nextSegment, id);
    nextSegment++;
    if (current != null) {
      current.close();
      deleteIfSettled(current);
    }
    unflushed.add(folder);
    segments.put(next.number(), next);
    bytes += next.size();
    current = next;
  }

  /** Reads a block back, if its bytes are those that were written. */
  public synchronized byte[] read(BlockRef ref) throws IOException {
    int headBytes = RecordHead.FIXED + ref.head().columns().getBytes(StandardCharsets.UTF_8).length;
    Segment segment = segments.get(ref.segment());
    return SegmentScan.body(segment.read(ref.offset(), headBytes + ref.bytes()), ref);
  }

  /**
   * Records up to which block a stream is settled and how many of its rows are committed, so that
   * no later process sends them again.
   */
  public synchronized void acked(String stream, long settledSeq, long storedRows)
      throws IOException {
    acks.append(stream, new SettledBlocks(settledSeq, storedRows));
    unflushed.add(folder.resolve(SpoolFormat.ACKS_FILE));
  }

  /** Deletes a block, which must have been recorded as settled before. */
  public synchronized void release(BlockRef ref) throws IOException {
    Segment segment = segments.get(ref.segment());
    segment.settleOne();
    if (segment == current && segment.settled() && segment.reusable()) {
      // Truncates before the kernel writes the pages back, so a healthy run costs no I/O.
      bytes -= segment.size();
      segment.clear();
      bytes += segment.size();
    } else {
      deleteIfSettled(segment);
    }
  }

  private void deleteIfSettled(Segment segment) throws IOException {
    if (segment.settled()) {
      segments.remove(segment.number());
      bytes -= segment.size();
      if (segment == current) {
        current = null;
      }
      segment.delete();
    }
  }

  public synchronized void keepDamaged(BlockRef ref) {
    keepDamaged(ref.segment());
  }

  /** Keeps a damaged segment: it is moved to a separate folder instead of being deleted. */
  synchronized void keepDamaged(int segment) {
    segments.get(segment).damaged();
  }

  /** Folder of damaged segments; empty if there are none. */
  public Optional<Path> damagedFolder() {
    Path damagedFolder = folder.resolve(SpoolFormat.DAMAGED_FOLDER);
    return Files.isDirectory(damagedFolder) ? Optional.of(damagedFolder) : Optional.empty();
  }

  /** Writes it at once, or of a durable spool after the flush that goes on just now. */
  public synchronized void checkpoint(Checkpoint checkpoint) throws IOException {
    used = true;
    if (flushing) {
      heldCheckpoint = checkpoint;
      return;
    }
    checkpoints.write(checkpoint, durable);
    unflushed.add(folder.resolve(SpoolFormat.CHECKPOINT_FILE));
    lastCheckpoint = checkpoint;
    if (!durable) {
      acks.clearIfCovered(lastCheckpoint);
    }
  }

  /** Size of all segments, bytes. */
  public synchronized long bytes() {
    return bytes;
  }

  /** Whether the spool contains anything that a later process might need. */
  public synchronized boolean used() {
    return used;
  }

  /** Deletes all its files except damaged segments, and the folder if it is empty then. */
  public synchronized void delete() throws IOException {
    for (Segment segment : List.copyOf(segments.values())) {
      segment.delete();
    }
    segments.clear();
    current = null;
    acks.close();
    checkpoints.close();
    // The checkpoint is deleted last: if the process dies here, it still states that no block is
    // missing.
    Files.deleteIfExists(folder.resolve(SpoolFormat.ACKS_FILE));
    Files.deleteIfExists(folder.resolve(SpoolFormat.CHECKPOINT_FILE));
    Files.deleteIfExists(folder.resolve(SpoolFormat.LOCK_FILE));
    lock.close();
    String[] left = folder.toFile().list();
    if (left != null && left.length == 0) {
      Files.deleteIfExists(folder);
    }
  }

  /** Closes the files and leaves them for a later process. */
  @Override
  public synchronized void close() {
    segments.values().forEach(Segment::close);
    try {
      acks.close();
      checkpoints.close();
    } catch (IOException e) {
      // Nothing is lost: no bytes are buffered in this process.
    }
    lock.close();
  }
}
