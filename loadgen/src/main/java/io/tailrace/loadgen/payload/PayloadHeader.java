// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.payload;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * The first 28 bytes of every message value, little-endian:
 *
 * <pre>
 *  0  u32  magic, the characters TRC3
 *  4  u32  checksum over everything after it
 *  8  u64  producer in the upper 24 bits; sequence of the message within its producer, from 0, in
 *          the lower 40
 * 16  u64  tie in the upper 12 bits: how many messages of the producer just before it have the
 *          same intended send; intended send time in the lower 52, µs since 1970 UTC
 * 24  u32  the run: CRC-32C of its id in UTF-8, 1 where that is 0
 * </pre>
 *
 * <p>The checksum is the CRC-32C of the bytes after the header, xor a hash of the header's words
 * after the checksum, so a producer computes the CRC only once for all messages with the same
 * bytes.
 *
 * <p>Headers of older versions, TRC2 and before, state no run: no run of this version wrote them.
 *
 * <p>All methods work in place: only {@link #bodyChecksum} and {@link #isIntact} allocate memory,
 * no bytes are copied, and a buffer's position and byte order do not change.
 */
public final class PayloadHeader {
  /** Size of the header, and so of the smallest message value. */
  public static final int BYTES = 28;

  /** What a producer writes into the header of each of its messages. */
  public record Origin(int run, int producer) {
    public static Origin of(String runId, int producer) {
      return new Origin(runOf(runId), producer);
    }
  }

  private static final int FAMILY = 'T' | 'R' << 8 | 'C' << 16;
  private static final int FAMILY_MASK = 0xffffff;
  private static final int MAGIC = FAMILY | '3' << 24;
  private static final int OLDEST_BYTES = 24;
  private static final int CHECKSUM = 4;
  private static final int IDENTITY = 8;
  private static final int WHEN = 16;
  private static final int RUN = 24;

  /** Producer, intended send and tie identify a message; a producer cannot send so many in 1 µs. */
  public static final int MOST_TIE = (1 << 12) - 1;

  private static final int SEQUENCE_BITS = 40;
  private static final int TIME_BITS = 52;
  private static final long TIME_MASK = (1L << TIME_BITS) - 1;
  private static final long SEQUENCE_MASK = (1L << SEQUENCE_BITS) - 1;

  private static final VarHandle INT_ARRAY =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG_ARRAY =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT_BUFFER =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG_BUFFER =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private PayloadHeader() {}

  /** The part of the checksum that depends only on the bytes after the header. */
  public static int bodyChecksum(byte[] value) {
    CRC32C crc = new CRC32C();
    crc.update(value, BYTES, value.length - BYTES);
    return (int) crc.getValue();
  }

  /** The number by which a header names a run; never 0. */
  public static int runOf(String runId) {
    CRC32C crc = new CRC32C();
    crc.update(runId.getBytes(StandardCharsets.UTF_8));
    return crc.getValue() == 0 ? 1 : (int) crc.getValue();
  }

  /**
   * Writes the header over the start of a value with this {@link #bodyChecksum}. The producer is
   * below 2^24, its sequence below 2^40, the intended send in µs since 1970 UTC, below 2^52.
   */
  public static void write(
      byte[] value, int bodyChecksum, Origin origin, long sequence, long intendedMicros, int tie) {
    long when = (long) tie << TIME_BITS | intendedMicros & TIME_MASK;
    long identity = (long) origin.producer << SEQUENCE_BITS | sequence & SEQUENCE_MASK;
    INT_ARRAY.set(value, 0, MAGIC);
    INT_ARRAY.set(value, CHECKSUM, bodyChecksum ^ hash(identity, when, origin.run));
    LONG_ARRAY.set(value, IDENTITY, identity);
    LONG_ARRAY.set(value, WHEN, when);
    INT_ARRAY.set(value, RUN, origin.run);
  }

  /** Whether a received value, perhaps null, has this header of this run. */
  public static boolean isOf(int run, ByteBuffer value) {
    return value != null
        && value.remaining() >= BYTES
        && (int) INT_BUFFER.get(value, value.position()) == MAGIC
        && (int) INT_BUFFER.get(value, value.position() + RUN) == run;
  }

  /**
   * Whether a received value, perhaps null, has a header of any run and any version. Without one,
   * another program wrote it.
   */
  public static boolean isPresent(ByteBuffer value) {
    return value != null
        && value.remaining() >= OLDEST_BYTES
        && ((int) INT_BUFFER.get(value, value.position()) & FAMILY_MASK) == FAMILY;
  }

  /** Whether a value of a known run equals, byte for byte, the value that was sent. */
  public static boolean isIntact(ByteBuffer value) {
    int start = value.position();
    long identity = (long) LONG_BUFFER.get(value, start + IDENTITY);
    long when = (long) LONG_BUFFER.get(value, start + WHEN);
    int run = (int) INT_BUFFER.get(value, start + RUN);
    int expected = (int) INT_BUFFER.get(value, start + CHECKSUM) ^ hash(identity, when, run);
    CRC32C crc = new CRC32C();
    value.position(start + BYTES);
    crc.update(value);
    value.position(start);
    return (int) crc.getValue() == expected;
  }

  // Multiplications by odd constants spread every bit over the whole word.
  private static int hash(long identity, long when, int run) {
    long mixed = (identity + run * 0xd6e8feb86659fd93L) * 0x9e3779b97f4a7c15L;
    mixed ^= Long.rotateLeft(when, 32);
    mixed = (mixed ^ mixed >>> 29) * 0xbf58476d1ce4e5b9L;
    return (int) (mixed ^ mixed >>> 32);
  }

  public static int producer(ByteBuffer value) {
    return (int) ((long) LONG_BUFFER.get(value, value.position() + IDENTITY) >>> SEQUENCE_BITS);
  }

  /** Sequence number, within its producer, of a value with a header. */
  public static long sequence(ByteBuffer value) {
    return (long) LONG_BUFFER.get(value, value.position() + IDENTITY) & SEQUENCE_MASK;
  }

  /** Intended send, µs since 1970 UTC, of a value with a header. */
  public static long intendedMicros(ByteBuffer value) {
    return (long) LONG_BUFFER.get(value, value.position() + WHEN) & TIME_MASK;
  }

  /** How many messages of the producer just before it have the same intended send. */
  public static int tie(ByteBuffer value) {
    return (int) ((long) LONG_BUFFER.get(value, value.position() + WHEN) >>> TIME_BITS);
  }
}
