// SPDX-License-Identifier: Apache-2.0
package io.tailrace.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file of entries of 2 or 4 words each, little-endian, of which the last is a time in µs since
 * 1970 and so never 0. It is memory-mapped, so it holds all entries of a process that was killed
 * (SIGKILL). Behind the last entry it is full of zeros.
 */
final class JournalFile {
  private static final int WINDOW_BYTES = 4 << 20;

  private final FileChannel file;
  private long windows;
  private MappedByteBuffer window;

  JournalFile(Path path) {
    try {
      file =
          FileChannel.open(
              path,
              StandardOpenOption.CREATE_NEW,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE);
      next();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void next() throws IOException {
    window = file.map(FileChannel.MapMode.READ_WRITE, windows * WINDOW_BYTES, WINDOW_BYTES);
    window.order(ByteOrder.LITTLE_ENDIAN);
    windows++;
  }

  synchronized void append(long... entry) {
    if (!window.hasRemaining()) {
      try {
        next();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    for (long word : entry) {
      window.putLong(word);
    }
  }
}
