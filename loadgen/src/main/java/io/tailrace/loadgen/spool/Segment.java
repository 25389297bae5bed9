// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * One file of blocks, being written or already full. Not thread-safe. It uses {@link
 * RandomAccessFile} because an interrupted thread closes every channel that it uses.
 */
final class Segment {
  private final Path file;
  private final int number;
  private final int headerBytes;
  private RandomAccessFile out;
  private long size;
  private int unsettled;
  private boolean damaged;

  private Segment(Path file, int number, int headerBytes, RandomAccessFile out, long size) {
    this.file = file;
    this.number = number;
    this.headerBytes = headerBytes;
    this.out = out;
    this.size = size;
  }

  static Segment create(Path folder, int number, WorkerId id) throws IOException {
    Path file = folder.resolve(SpoolFormat.segmentFile(number));
    byte[] header = SegmentHeader.encode(id, number);
    RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw");
    try {
      out.setLength(0);
      out.write(header);
    } catch (IOException e) {
      out.close();
      Files.deleteIfExists(file);
      throw e;
    }
    return new Segment(file, number, header.length, out, header.length);
  }

  /** A segment of an earlier process, which is read and deleted but never written. */
  static Segment found(Path file, int number) {
    return new Segment(file, number, 0, null, new File(file.toString()).length());
  }

  Path file() {
    return file;
  }

  int number() {
    return number;
  }

  long size() {
    return size;
  }

  boolean writable() {
    return out != null;
  }

  boolean settled() {
    return unsettled == 0;
  }

  /** Marks it as damaged: {@link #delete} then moves it to the folder of damaged segments. */
  void damaged() {
    damaged = true;
  }

  /** Whether it may be truncated and written again. */
  boolean reusable() {
    return writable() && !damaged;
  }

  void addUnsettled() {
    unsettled++;
  }

  void settleOne() {
    unsettled--;
  }

  /**
   * Appends a record. The bytes of a failed attempt are cut off; if that fails too, the segment is
   * closed for writing.
   *
   * @return offset of the record
   */
  long append(byte[] head, byte[] body) throws IOException {
    long at = size;
    try {
      out.write(head);
      out.write(body);
    } catch (IOException e) {
      try {
        out.setLength(at);
        out.seek(at);
      } catch (IOException again) {
        e.addSuppressed(again);
        close();
      }
      throw e;
    }
    size = at + head.length + body.length;
    return at;
  }

  void clear() throws IOException {
    out.setLength(headerBytes);
    out.seek(headerBytes);
    size = headerBytes;
  }

  byte[] read(long offset, int bytes) throws IOException {
    byte[] record = new byte[bytes];
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      in.seek(offset);
      in.readFully(record);
    }
    return record;
  }

  void close() {
    if (out != null) {
      try {
        out.close();
      } catch (IOException e) {
        // Nothing is lost: no bytes are buffered in this process.
      }
      out = null;
    }
  }

  /** Deletes the file, or moves it to the folder {@code damaged} if it is marked as damaged. */
  void delete() throws IOException {
    close();
    if (damaged && Files.exists(file)) {
      Path damagedFolder = Files.createDirectories(file.resolveSibling(SpoolFormat.DAMAGED_FOLDER));
      Path to = damagedFolder.resolve(file.getFileName());
      for (int n = 2; Files.exists(to); n++) {
        to = damagedFolder.resolve(file.getFileName() + "~" + n);
      }
      Files.move(file, to);
    } else {
      Files.deleteIfExists(file);
    }
  }
}
