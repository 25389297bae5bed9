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
 * Reads segments record by record. Bytes that are not an intact record of the expected worker are
 * counted and skipped up to the next record.
 */
final class SegmentScan {
  private static final String SKIPPED = "its blocks are counted as damaged";

  private final WorkerId id;
  private final List<BlockRef> blocks = new ArrayList<>();
  private final List<BlockRef> damaged = new ArrayList<>();
  private final Set<Integer> unreadable = new HashSet<>();
  private long unreadableBytes;

  SegmentScan(WorkerId id) {
    this.id = id;
  }

  /** Header of a segment; empty if it is damaged. */
  static Optional<SegmentHeader> header(Path file) {
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      byte[] start = new byte[(int) Math.min(in.length(), SegmentHeader.MAX_BYTES)];
      in.readFully(start);
      return SegmentHeader.decode(start);
    } catch (IOException e) {
      UnreadableFile.log(file, e, SKIPPED);
      return Optional.empty();
    }
  }

  /** Intact blocks, in the order in which they were written. */
  List<BlockRef> blocks() {
    return blocks;
  }

  /** Blocks whose head is intact and whose bytes are damaged. */
  List<BlockRef> damaged() {
    return damaged;
  }

  /** Numbers of the segments with more unreadable bytes than one torn head. */
  Set<Integer> unreadable() {
    return unreadable;
  }

  /** Bytes that belong to no readable record. */
  long unreadableBytes() {
    return unreadableBytes;
  }

  /** Reads a segment. Never fails: bytes that the drive cannot read are counted as unreadable. */
  void read(Path file, int number) {
    long before = unreadableBytes;
    scan(file, number);
    // A process that dies while writing leaves less than one head.
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
        UnreadableFile.log(file, e, SKIPPED);
        unreadableBytes += in.size() - at;
      }
    } catch (IOException e) {
      UnreadableFile.log(file, e, SKIPPED);
      unreadableBytes += file.toFile().length() - at;
    }
  }

  /** Takes the record at an offset or skips to the next one; returns the next offset. */
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

  /** Extracts the bytes of a block from its record, if they are those that were written. */
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
