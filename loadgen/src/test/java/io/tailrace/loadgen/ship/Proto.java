// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A protobuf message read without its schema: enough to look into OTLP requests. */
final class Proto {
  private final Map<Integer, List<Object>> fields = new HashMap<>();

  Proto(byte[] message) {
    ByteBuffer in = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
    while (in.hasRemaining()) {
      long tag = varint(in);
      Object value =
          switch ((int) tag & 7) {
            case 0 -> varint(in);
            case 1 -> in.getLong();
            case 2 -> {
              byte[] bytes = new byte[(int) varint(in)];
              in.get(bytes);
              yield bytes;
            }
            case 5 -> (long) in.getInt();
            default -> throw new IllegalArgumentException("wire type of tag " + tag);
          };
      fields.computeIfAbsent((int) tag >>> 3, field -> new ArrayList<>()).add(value);
    }
  }

  private static long varint(ByteBuffer in) {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte b = in.get();
      value |= (long) (b & 0x7f) << shift;
      if (b >= 0) {
        return value;
      }
    }
  }

  boolean has(int field) {
    return fields.containsKey(field);
  }

  /** All messages of a repeated field. */
  List<Proto> all(int field) {
    return fields.getOrDefault(field, List.of()).stream().map(v -> new Proto((byte[]) v)).toList();
  }

  /** The one message of a field. */
  Proto one(int field) {
    return new Proto(bytes(field));
  }

  byte[] bytes(int field) {
    return (byte[]) single(field);
  }

  String text(int field) {
    return new String(bytes(field), StandardCharsets.UTF_8);
  }

  long number(int field) {
    return (long) single(field);
  }

  private Object single(int field) {
    List<Object> values = fields.getOrDefault(field, List.of());
    if (values.size() != 1) {
      throw new IllegalArgumentException(values.size() + " values in field " + field);
    }
    return values.get(0);
  }

  /** OTLP attributes in a repeated field: strings and integers by key. */
  Map<String, Object> attributes(int field) {
    Map<String, Object> attributes = new HashMap<>();
    for (Proto pair : all(field)) {
      Proto value = pair.one(2);
      attributes.put(pair.text(1), value.has(1) ? value.text(1) : (Object) value.number(3));
    }
    return attributes;
  }
}
