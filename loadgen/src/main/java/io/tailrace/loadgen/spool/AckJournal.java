// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The journal of stored blocks: one entry of {@link #ENTRY_BYTES} per acknowledgement. Entries are
 * cumulative, so only the last one of a stream matters.
 */
final class AckJournal implements AutoCloseable {
  static final int ENTRY_BYTES = 48;

  private static final byte[] MAGIC = {'T', 'R', 'A', 'K'};
  private static final int STREAM_AT = 24;

  private static final long CLEARED_FROM = 1 << 20;

  private final RandomAccessFile file;
  private final Map<String, SettledBlocks> appended = new HashMap<>();

  private AckJournal(RandomAccessFile file) {
    this.file = file;
  }

  static AckJournal open(Path folder) throws IOException {
    RandomAccessFile file =
        new RandomAccessFile(folder.resolve(SpoolFormat.ACKS_FILE).toFile(), "rw");
    // Cuts off a torn last entry, which would shift all later ones.
    file.setLength(file.length() / ENTRY_BYTES * ENTRY_BYTES);
    file.seek(file.length());
    return new AckJournal(file);
  }

  void append(String stream, SettledBlocks settled) throws IOException {
    ByteBuffer out = SpoolFormat.allocate(ENTRY_BYTES);
    out.put(MAGIC).putInt(0).putLong(settled.settledSeq()).putLong(settled.storedRows());
    out.put(SpoolFormat.streamBytes(stream));
    out.putInt(4, SpoolFormat.crc(out.array(), 8, ENTRY_BYTES - 8));
    long at = file.getFilePointer();
    try {
      file.write(out.array());
      appended.put(stream, settled);
    } catch (IOException e) {
      file.setLength(at);
      file.seek(at);
      throw e;
    }
  }

  /**
   * Clears a long journal that the checkpoint replaces, which must be as safe as the journal is.
   */
  void clearIfCovered(Checkpoint checkpoint) throws IOException {
    if (file.getFilePointer() > CLEARED_FROM && checkpoint != null && covered(checkpoint)) {
      file.setLength(0);
      file.seek(0);
      appended.clear();
    }
  }

  private boolean covered(Checkpoint checkpoint) {
    return appended.entrySet().stream()
        .allMatch(
            e ->
                checkpoint.streams().getOrDefault(e.getKey(), StreamProgress.NONE).settledSeq()
                    >= e.getValue().settledSeq());
  }

  /** The last intact entry of every stream. */
  static Map<String, SettledBlocks> read(Path folder) {
    Map<String, SettledBlocks> settled = new HashMap<>();
    byte[] entry = new byte[ENTRY_BYTES];
    Path file = folder.resolve(SpoolFormat.ACKS_FILE);
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      byte[] all = new byte[(int) Math.min(in.length(), 1 << 28)];
      in.readFully(all);
      for (int at = 0; at + ENTRY_BYTES <= all.length; at += ENTRY_BYTES) {
        System.arraycopy(all, at, entry, 0, ENTRY_BYTES);
        ByteBuffer e = SpoolFormat.wrap(entry);
        if (e.getInt(4) == SpoolFormat.crc(entry, 8, ENTRY_BYTES - 8)) {
          String stream = SpoolFormat.streamName(Arrays.copyOfRange(entry, STREAM_AT, ENTRY_BYTES));
          SettledBlocks found = new SettledBlocks(e.getLong(8), e.getLong(16));
          settled.merge(stream, found, (a, b) -> a.settledSeq() > b.settledSeq() ? a : b);
        }
      }
    } catch (IOException e) {
      // ClickHouse deduplicates the blocks that were stored before.
      UnreadableFile.log(file, e, "every block in the spool is sent again");
    }
    return settled;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
