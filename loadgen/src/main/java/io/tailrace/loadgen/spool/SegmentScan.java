// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads segments record by record. Whatever is not a good record of the expected worker is skipped
 * up to the next one that is, and counted.
 */
final class SegmentScan {
  private final WorkerId id;
  private final List<BlockRef> blocks = new ArrayList<>();
  private final List<BlockRef> damaged = new ArrayList<>();
  private final Set<Integer> unreadable = new HashSet<>();
  private long unreadableBytes;

  SegmentScan(WorkerId id) {
    this.id = id;
  }

  /** Whose blocks a segment holds; empty where its header is damaged. */
  static Optional<SegmentHeader> header(Path file) {
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      byte[] start = new byte[(int) Math.min(in.length(), SegmentHeader.MAX_BYTES)];
      in.readFully(start);
      return SegmentHeader.decode(start);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Good blocks, in the order in which they were written. */
  List<BlockRef> blocks() {
    return blocks;
  }

  /** Blocks whose head is good and whose bytes are not. */
  List<BlockRef> damaged() {
    return damaged;
  }

  /** Numbers of the segments in which more than a torn head belongs to no record. */
  Set<Integer> unreadable() {
    return unreadable;
  }

  /** Bytes that belong to no record that could be read. */
  long unreadableBytes() {
    return unreadableBytes;
  }

  /** Reads a segment. Never fails: what the drive does not give is counted as unreadable. */
  void read(Path file, int number) {
    long before = unreadableBytes;
    scan(file, number);
    // Less than a head is what a process leaves that dies while it writes.
    if (unreadableBytes - before >= RecordHead.FIXED) {
      unreadable.add(number);
    }
  }

  private void scan(Path file, int number) {
    long at = header(file).map(SegmentHeader::bytes).orElse(0);
    try (RandomAccessFile raw = new RandomAccessFile(file.toFile(), "r")) {
      ScanInput in = new ScanInput(raw);
      try {
        while (at < in.size()) {
          at = next(in, at, number);
        }
      } catch (IOException e) {
        unreadableBytes += in.size() - at;
      }
    } catch (IOException e) {
      unreadableBytes += file.toFile().length() - at;
    }
  }

  /** Takes the record at a place, or skips to where one may begin. Returns where to go on. */
  private long next(ScanInput in, long at, int number) throws IOException {
    RecordHead record = head(in, at);
    if (record == null || record.tag() != id.tag()) {
      long resume = in.find(RecordHead.MAGIC, at + 1);
      unreadableBytes += resume - at;
      return resume;
    }
    if (in.load(at, record.bytes()) && record.intact(in.window(), in.index(at))) {
      blocks.add(new BlockRef(number, at, record.head(), record.bodyBytes()));
      return at + record.bytes();
    }
    damaged.add(new BlockRef(number, at, record.head(), record.bodyBytes()));
    return in.find(RecordHead.MAGIC, at + 1);
  }

  private static RecordHead head(ScanInput in, long at) throws IOException {
    if (!in.load(at, RecordHead.FIXED)) {
      return null;
    }
    int columns = RecordHead.columnsBytes(in.window(), in.index(at));
    if (columns < 0 || !in.load(at, RecordHead.FIXED + columns)) {
      return null;
    }
    return RecordHead.decode(in.window(), in.index(at), columns);
  }

  /**
   * The bytes of a block out of its record.
   *
   * @throws DamagedBlockException when they are not those that were written
   */
  static byte[] body(byte[] record, BlockRef ref) throws DamagedBlockException {
    int headBytes = record.length - ref.bytes();
    RecordHead found = RecordHead.decode(record, 0, headBytes - RecordHead.FIXED);
    if (found == null || !found.head().equals(ref.head()) || !found.intact(record, 0)) {
      throw new DamagedBlockException(
          "block " + ref.head().seq() + " of " + ref.head().stream() + " is damaged on disk");
    }
    return Arrays.copyOfRange(record, headBytes, record.length);
  }
}
