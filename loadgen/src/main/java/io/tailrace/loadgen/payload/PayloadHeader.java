// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.payload;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The first 24 bytes of every message value, little-endian:
 *
 * <pre>
 *  0  u32  magic, the characters TRC1
 *  4  u32  producer
 *  8  u64  sequence of the message within its producer, from 0
 * 16  u64  intended send time, µs since 1970 UTC
 * </pre>
 *
 * <p>All methods work in place: nothing is allocated or copied, and a buffer's position and byte
 * order do not change.
 */
public final class PayloadHeader {
  /** Size of the header, so the smallest message value. */
  public static final int BYTES = 24;

  private static final int MAGIC = 'T' | 'R' << 8 | 'C' << 16 | '1' << 24;
  private static final int PRODUCER = 4;
  private static final int SEQUENCE = 8;
  private static final int INTENDED = 16;

  private static final VarHandle INT_ARRAY =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG_ARRAY =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT_BUFFER =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG_BUFFER =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private PayloadHeader() {}

  /**
   * Writes the header over the start of a value.
   *
   * @param value at least {@link #BYTES} long
   * @param producer producer number, taken as unsigned
   * @param sequence sequence within the producer, taken as unsigned
   * @param intendedMicros µs since 1970 UTC
   */
  public static void write(byte[] value, int producer, long sequence, long intendedMicros) {
    INT_ARRAY.set(value, 0, MAGIC);
    INT_ARRAY.set(value, PRODUCER, producer);
    LONG_ARRAY.set(value, SEQUENCE, sequence);
    LONG_ARRAY.set(value, INTENDED, intendedMicros);
  }

  /**
   * Whether a received value, null included, starts with this header; if not, another program wrote
   * it.
   */
  public static boolean isPresent(ByteBuffer value) {
    return value != null
        && value.remaining() >= BYTES
        && (int) INT_BUFFER.get(value, value.position()) == MAGIC;
  }

  /** Producer that wrote a value in which the header is present. */
  public static int producer(ByteBuffer value) {
    return (int) INT_BUFFER.get(value, value.position() + PRODUCER);
  }

  /** Sequence, within its producer, of a value in which the header is present. */
  public static long sequence(ByteBuffer value) {
    return (long) LONG_BUFFER.get(value, value.position() + SEQUENCE);
  }

  /** Intended send time, µs since 1970 UTC, of a value in which the header is present. */
  public static long intendedMicros(ByteBuffer value) {
    return (long) LONG_BUFFER.get(value, value.position() + INTENDED);
  }
}
