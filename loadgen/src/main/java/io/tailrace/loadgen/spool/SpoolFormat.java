// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/** Names and encodings that docs/contracts/spool.md defines for all files of a spool. */
final class SpoolFormat {
  static final int VERSION = 1;
  static final String LOCK_FILE = "lock";
  static final String ACKS_FILE = "acks";
  static final String CHECKPOINT_FILE = "checkpoint";
  static final String DAMAGED_FOLDER = "damaged";

  /** Bytes of a stream's name, padded with zeros. */
  static final int STREAM_BYTES = 24;

  private static final Pattern SEGMENT_FILE = Pattern.compile("(\\d{8})\\.seg");

  private SpoolFormat() {}

  static String segmentFile(int number) {
    return String.format("%08d.seg", number);
  }

  /** Number of a segment by its file name; -1 if the file is not a segment. */
  static int segmentNumber(String fileName) {
    Matcher matcher = SEGMENT_FILE.matcher(fileName);
    return matcher.matches() ? Integer.parseInt(matcher.group(1)) : -1;
  }

  static ByteBuffer allocate(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  static ByteBuffer wrap(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  static int crc(byte[] bytes) {
    return crc(bytes, 0, bytes.length);
  }

  static int crc(byte[] bytes, int from, int count) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, count);
    return (int) crc.getValue();
  }

  static byte[] streamBytes(String stream) {
    byte[] name = stream.getBytes(StandardCharsets.US_ASCII);
    if (name.length > STREAM_BYTES) {
      throw new IllegalArgumentException("stream name too long: " + stream);
    }
    return Arrays.copyOf(name, STREAM_BYTES);
  }

  static String streamName(byte[] field) {
    int length = 0;
    while (length < field.length && field[length] != 0) {
      length++;
    }
    return new String(field, 0, length, StandardCharsets.US_ASCII);
  }
}
