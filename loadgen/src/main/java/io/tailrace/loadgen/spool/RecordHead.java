// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import io.tailrace.loadgen.block.BlockHead;
import io.tailrace.loadgen.block.EncodedBlock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * The head of one record in a segment; the block's bytes follow it. The head has its own checksum,
 * so a block whose bytes are damaged can still be counted.
 *
 * @param tag identifies the worker
 * @param headBytes length of the head including its columns text
 * @param recordCrc CRC32C of the head from {@link #CHECKED} on, and of the block
 */
record RecordHead(BlockHead head, int tag, int headBytes, int bodyBytes, int recordCrc) {
  /** First bytes of every record; a scan finds the next record after damage by them. */
  static final byte[] MAGIC = {(byte) 0xf5, 'T', 'R', 'B', 'L', 'K', '\r', '\n'};

  /** Bytes of the head before the columns text. */
  static final int FIXED = 80;

  /** Offset of the checksummed part of the head. */
  static final int CHECKED = 16;

  private static final int MAX_COLUMNS_BYTES = 1 << 16;
  private static final int MAX_BODY_BYTES = 1 << 28;
  private static final int MAX_ROWS = 262_144;

  static byte[] encode(EncodedBlock block, int tag) {
    byte[] columns = block.head().columns().getBytes(StandardCharsets.UTF_8);
    ByteBuffer out = SpoolFormat.allocate(FIXED + columns.length);
    out.put(MAGIC).putInt(0).putInt(0);
    out.putInt(columns.length).putInt(block.bytes().length).putInt(block.rows()).putInt(tag);
    out.putLong(block.seq()).putLong(block.fromMicros()).putLong(block.toMicros());
    out.put(SpoolFormat.streamBytes(block.stream())).put(columns);
    byte[] head = out.array();
    CRC32C crc = new CRC32C();
    crc.update(head, CHECKED, head.length - CHECKED);
    out.putInt(8, (int) crc.getValue());
    crc.update(block.bytes());
    out.putInt(12, (int) crc.getValue());
    return head;
  }

  /** Length of the columns text according to the fixed part; -1 if that is impossible. */
  static int columnsBytes(byte[] buffer, int at) {
    int length = SpoolFormat.wrap(buffer).getInt(at + 16);
    return length < 0 || length > MAX_COLUMNS_BYTES ? -1 : length;
  }

  /** Decodes the head at a position of a buffer that holds it whole; null if it is not intact. */
  static RecordHead decode(byte[] buffer, int at, int columnsBytes) {
    ByteBuffer in = SpoolFormat.wrap(buffer).position(at + 8);
    int headCrc = in.getInt();
    int headBytes = FIXED + columnsBytes;
    if (headCrc != SpoolFormat.crc(buffer, at + CHECKED, headBytes - CHECKED)) {
      return null;
    }
    int recordCrc = in.getInt();
    in.getInt();
    int bodyBytes = in.getInt();
    int rows = in.getInt();
    int tag = in.getInt();
    long seq = in.getLong();
    long from = in.getLong();
    long to = in.getLong();
    byte[] stream = new byte[SpoolFormat.STREAM_BYTES];
    in.get(stream);
    if (bodyBytes < 0 || bodyBytes > MAX_BODY_BYTES || rows < 1 || rows > MAX_ROWS || seq < 0) {
      return null;
    }
    String columns = new String(buffer, at + FIXED, columnsBytes, StandardCharsets.UTF_8);
    BlockHead head = new BlockHead(SpoolFormat.streamName(stream), seq, rows, from, to, columns);
    return new RecordHead(head, tag, headBytes, bodyBytes, recordCrc);
  }

  int bytes() {
    return headBytes + bodyBytes;
  }

  /** Whether the record at a position of a buffer is intact. */
  boolean intact(byte[] buffer, int at) {
    return recordCrc == SpoolFormat.crc(buffer, at + CHECKED, bytes() - CHECKED);
  }
}
