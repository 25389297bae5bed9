// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;

/** The lock of the process that uses a spool. The kernel releases it when the process dies. */
final class SpoolLock implements AutoCloseable {
  private final RandomAccessFile file;

  private SpoolLock(RandomAccessFile file) {
    this.file = file;
  }

  static SpoolLock take(Path folder) throws SpoolException {
    try {
      RandomAccessFile file =
          new RandomAccessFile(folder.resolve(SpoolFormat.LOCK_FILE).toFile(), "rw");
      try {
        if (file.getChannel().tryLock() != null) {
          return new SpoolLock(file);
        }
      } catch (OverlappingFileLockException e) {
        // This process holds the lock already: treated like a lock of another process.
      } catch (IOException e) {
        file.close();
        throw e;
      }
      file.close();
    } catch (IOException e) {
      throw new SpoolException(folder + ": cannot be used as a spool: " + e.getMessage(), e);
    }
    throw new SpoolException(
        folder + ": this spool is in use by a running process; wait until it has ended");
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      // The kernel releases the lock when the process ends.
    }
  }
}
