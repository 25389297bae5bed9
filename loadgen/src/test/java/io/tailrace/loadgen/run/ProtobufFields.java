// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The fields of a protobuf message: all it takes to find a block in an OTLP export request. */
final class ProtobufFields {
  private ProtobufFields() {}

  /** Every message or byte string found by following field numbers down from a message. */
  static List<ByteBuffer> at(ByteBuffer message, int... path) {
    List<ByteBuffer> found = List.of(message);
    for (int field : path) {
      List<ByteBuffer> next = new ArrayList<>();
      found.forEach(parent -> next.addAll(fields(parent, field)));
      found = next;
    }
    return found;
  }

  /** Value of a message's first varint field, whatever its number; 0 if it has none. */
  static long firstNumber(ByteBuffer message) {
    ByteBuffer in = message.duplicate();
    return in.hasRemaining() && (varint(in) & 7) == 0 ? varint(in) : 0;
  }

  private static List<ByteBuffer> fields(ByteBuffer message, int wanted) {
    ByteBuffer in = message.duplicate();
    List<ByteBuffer> fields = new ArrayList<>();
    while (in.hasRemaining()) {
      long tag = varint(in);
      switch ((int) (tag & 7)) {
        case 0 -> varint(in);
        case 1 -> in.position(in.position() + 8);
        case 2 -> {
          int length = (int) varint(in);
          if (tag >> 3 == wanted) {
            fields.add(in.slice(in.position(), length));
          }
          in.position(in.position() + length);
        }
        case 5 -> in.position(in.position() + 4);
        default -> throw new IllegalStateException("wire type of tag " + tag);
      }
    }
    return fields;
  }

  private static long varint(ByteBuffer in) {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte next = in.get();
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
  }
}
