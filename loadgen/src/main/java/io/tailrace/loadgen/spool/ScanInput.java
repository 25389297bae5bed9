// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.Arrays;

/** A file that is read from front to back through a window, which grows as required. */
final class ScanInput {
  private static final int WINDOW = 1 << 20;

  private final RandomAccessFile file;
  private final long size;
  private byte[] window = new byte[WINDOW];
  private long start;
  private int filled;

  ScanInput(RandomAccessFile file) throws IOException {
    this.file = file;
    this.size = file.length();
  }

  long size() {
    return size;
  }

  /** Makes bytes {@code at … at + count - 1} readable; false if the file ends before. */
  boolean load(long at, int count) throws IOException {
    if (at + count > size) {
      return false;
    }
    if (at >= start && at + count <= start + filled) {
      return true;
    }
    if (window.length < count) {
      window = new byte[Math.max(count, 2 * window.length)];
    }
    start = at;
    filled = 0;
    int toRead = (int) Math.min(window.length, size - at);
    file.seek(at);
    file.readFully(window, 0, toRead);
    filled = toRead;
    return true;
  }

  /** The loaded bytes; {@link #index} converts file offsets. Valid until the next load. */
  byte[] window() {
    return window;
  }

  int index(long at) {
    return (int) (at - start);
  }

  /** Offset of the next occurrence of the pattern; the file's size if there is none. */
  long find(byte[] pattern, long from) throws IOException {
    long at = from;
    while (at + pattern.length <= size) {
      int span = (int) Math.min(WINDOW, size - at);
      load(at, span);
      int end = index(at) + span - pattern.length;
      for (int i = index(at); i <= end; i++) {
        if (window[i] == pattern[0]
            && Arrays.equals(window, i, i + pattern.length, pattern, 0, pattern.length)) {
          return start + i;
        }
      }
      at += span - pattern.length + 1;
    }
    return size;
  }
}
