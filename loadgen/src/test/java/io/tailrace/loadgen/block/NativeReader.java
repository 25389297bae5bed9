// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import com.github.luben.zstd.Zstd;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Decodes a block; implemented from the contract alone. Values are Long or String. */
public final class NativeReader {
  private final ByteBuffer in;

  private NativeReader(byte[] plain) {
    in = ByteBuffer.wrap(plain).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** The bytes under the compression; fails if the frame does not contain its size. */
  public static byte[] decompress(byte[] block) {
    long size = Zstd.getFrameContentSize(block);
    if (size < 0) {
      throw new IllegalArgumentException("no content size in the zstd frame");
    }
    return Zstd.decompress(block, Math.toIntExact(size));
  }

  /** All rows of a compressed block, values by column name. */
  public static List<Map<String, Object>> rows(byte[] block) {
    return new NativeReader(decompress(block)).read();
  }

  /** Number of rows of a compressed block according to its head. */
  public static int rowCount(byte[] block) {
    NativeReader reader = new NativeReader(decompress(block));
    reader.varUint();
    return (int) reader.varUint();
  }

  /**
   * The values of one column of a compressed block: for large blocks, which would need too many
   * maps.
   */
  public static List<Object> column(byte[] block, String column) {
    NativeReader reader = new NativeReader(decompress(block));
    long columns = reader.varUint();
    int rowCount = (int) reader.varUint();
    for (long c = 0; c < columns; c++) {
      String name = reader.string();
      List<Object> values = reader.column(reader.string(), rowCount);
      if (name.equals(column)) {
        return values;
      }
    }
    throw new IllegalArgumentException("no column " + column);
  }

  /** Columns of a compressed block in order, {@code name Type, name Type, …}. */
  public static String columnsText(byte[] block) {
    NativeReader reader = new NativeReader(decompress(block));
    int columns = (int) reader.varUint();
    int rowCount = (int) reader.varUint();
    List<String> texts = new ArrayList<>();
    for (int c = 0; c < columns; c++) {
      String name = reader.string();
      String type = reader.string();
      texts.add(name + " " + type);
      reader.column(type, rowCount);
    }
    return String.join(", ", texts);
  }

  private List<Map<String, Object>> read() {
    int columns = (int) varUint();
    int rowCount = (int) varUint();
    List<Map<String, Object>> rows = new ArrayList<>();
    for (int i = 0; i < rowCount; i++) {
      rows.add(new LinkedHashMap<>());
    }
    for (int c = 0; c < columns; c++) {
      String name = string();
      String type = string();
      List<Object> values = column(type, rowCount);
      for (int i = 0; i < rowCount; i++) {
        rows.get(i).put(name, values.get(i));
      }
    }
    if (in.hasRemaining()) {
      throw new IllegalArgumentException(in.remaining() + " bytes after the last column");
    }
    return rows;
  }

  private List<Object> column(String type, int rowCount) {
    if (type.equals("LowCardinality(String)")) {
      return lowCardinality();
    }
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < rowCount; i++) {
      values.add(
          switch (type) {
            case "UInt16" -> (long) Short.toUnsignedInt(in.getShort());
            case "UInt32" -> Integer.toUnsignedLong(in.getInt());
            case "Int32" -> (long) in.getInt();
            case "UInt64", "Int64", "DateTime64(6, 'UTC')" -> in.getLong();
            case "String" -> string();
            default -> throw new IllegalArgumentException("type " + type);
          });
    }
    return values;
  }

  private List<Object> lowCardinality() {
    long version = in.getLong();
    long flags = in.getLong();
    if (version != 1 || flags < 0x600 || flags > 0x602) {
      throw new IllegalArgumentException("version " + version + ", flags " + flags);
    }
    List<String> keys = new ArrayList<>();
    long keyCount = in.getLong();
    for (long i = 0; i < keyCount; i++) {
      keys.add(string());
    }
    List<Object> values = new ArrayList<>();
    long rowCount = in.getLong();
    for (long i = 0; i < rowCount; i++) {
      int index =
          switch ((int) (flags & 0xff)) {
            case 0 -> Byte.toUnsignedInt(in.get());
            case 1 -> Short.toUnsignedInt(in.getShort());
            default -> in.getInt();
          };
      values.add(keys.get(index));
    }
    return values;
  }

  private long varUint() {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte b = in.get();
      value |= (long) (b & 0x7f) << shift;
      if (b >= 0) {
        return value;
      }
    }
  }

  private String string() {
    byte[] utf8 = new byte[(int) varUint()];
    in.get(utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }
}
