// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/** The first bytes of a segment: magic, version, worker, segment number, run id, CRC32C. */
record SegmentHeader(WorkerId id, int number, int bytes) {
  private static final byte[] MAGIC = "TRSPOOL\n".getBytes(StandardCharsets.US_ASCII);
  private static final int FIXED = 18;

  /** Longest possible header, bytes. */
  static final int MAX_BYTES = FIXED + 128 + Integer.BYTES;

  static byte[] encode(WorkerId id, int number) {
    byte[] runId = id.runId().getBytes(StandardCharsets.US_ASCII);
    ByteBuffer out = SpoolFormat.allocate(FIXED + runId.length + Integer.BYTES);
    out.put(MAGIC).putShort((short) SpoolFormat.VERSION).putShort((short) id.worker());
    out.putInt(number).putShort((short) runId.length).put(runId);
    out.putInt(SpoolFormat.crc(out.array(), 0, out.position()));
    return out.array();
  }

  /** Decodes the header; empty if it is damaged or of another version. */
  static Optional<SegmentHeader> decode(byte[] start) {
    if (start.length < FIXED || !Arrays.equals(start, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
      return Optional.empty();
    }
    ByteBuffer in = SpoolFormat.wrap(start).position(MAGIC.length);
    int version = in.getShort();
    int worker = Short.toUnsignedInt(in.getShort());
    int number = in.getInt();
    int length = in.getShort();
    if (version != SpoolFormat.VERSION || length < 0 || in.remaining() < length + Integer.BYTES) {
      return Optional.empty();
    }
    WorkerId id = new WorkerId(new String(start, FIXED, length, StandardCharsets.US_ASCII), worker);
    int crc = in.getInt(FIXED + length);
    if (crc != SpoolFormat.crc(start, 0, FIXED + length) || !id.valid()) {
      return Optional.empty();
    }
    return Optional.of(new SegmentHeader(id, number, FIXED + length + Integer.BYTES));
  }
}
