// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A growing little-endian buffer with the primitives of ClickHouse's Native format. The buffer is
 * direct, so the compressor reads it in place without delaying the garbage collector. For one
 * thread.
 */
final class NativeBuffer {
  private static final int START_BYTES = 1 << 20;

  private ByteBuffer buffer = allocate(START_BYTES);

  private static ByteBuffer allocate(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  void clear() {
    buffer.clear();
  }

  /** The bytes written since {@link #clear}, ready to read. Valid until the next write. */
  ByteBuffer written() {
    return buffer.duplicate().flip();
  }

  private void ensure(long bytes) {
    if (buffer.remaining() < bytes) {
      long needed = buffer.position() + bytes;
      ByteBuffer larger =
          allocate(Math.toIntExact(Math.max(needed, Math.min(2L * buffer.capacity(), 1 << 30))));
      larger.put(buffer.flip());
      buffer = larger;
    }
  }

  void varUint(long value) {
    ensure(10);
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      buffer.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    buffer.put((byte) rest);
  }

  void string(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    varUint(utf8.length);
    ensure(utf8.length);
    buffer.put(utf8);
  }

  void uint64(long value) {
    ensure(Long.BYTES);
    buffer.putLong(value);
  }

  void longs(long[] values, int from, int count) {
    int bytes = count * Long.BYTES;
    ensure(bytes);
    buffer.asLongBuffer().put(values, from, count);
    buffer.position(buffer.position() + bytes);
  }

  void ints(int[] values, int from, int count) {
    int bytes = count * Integer.BYTES;
    ensure(bytes);
    buffer.asIntBuffer().put(values, from, count);
    buffer.position(buffer.position() + bytes);
  }

  /** The lowest 1, 2 or 4 bytes of each value. */
  void narrowed(int[] values, int count, int width) {
    ensure((long) count * width);
    for (int i = 0; i < count; i++) {
      narrow(values[i], width);
    }
  }

  /** The lowest 1, 2 or 4 bytes of one value, {@code count} times. */
  void repeated(int value, int count, int width) {
    ensure((long) count * width);
    for (int i = 0; i < count; i++) {
      narrow(value, width);
    }
  }

  private void narrow(int value, int width) {
    switch (width) {
      case Byte.BYTES -> buffer.put((byte) value);
      case Short.BYTES -> buffer.putShort((short) value);
      default -> buffer.putInt(value);
    }
  }
}
