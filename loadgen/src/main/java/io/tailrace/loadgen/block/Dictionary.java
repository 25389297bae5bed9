// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Builds a {@code LowCardinality(String)} column: keys in order of appearance, the empty string
 * first, and one index per row. Reused from block to block. For one thread.
 */
final class Dictionary {
  private static final long VERSION = 1;

  /** Flags: the block contains its own keys. */
  private static final long OWN_KEYS = 0x600;

  private final Map<String, Integer> indexes = new HashMap<>();
  private String[] keys = new String[16];
  private int[] rows = new int[1024];
  private int rowCount;

  /** Starts a column of at most {@code maxRows} rows. */
  void start(int maxRows) {
    indexes.clear();
    rowCount = 0;
    if (rows.length < maxRows) {
      rows = new int[maxRows];
    }
    indexOf("");
  }

  /** Adds the same value for {@code count} rows; null counts as the empty string. */
  void add(String value, int count) {
    int index = indexOf(value == null ? "" : value);
    for (int end = rowCount + count; rowCount < end; rowCount++) {
      rows[rowCount] = index;
    }
  }

  private int indexOf(String key) {
    Integer known = indexes.get(key);
    if (known != null) {
      return known;
    }
    int index = indexes.size();
    if (index == keys.length) {
      keys = Arrays.copyOf(keys, 2 * index);
    }
    keys[index] = key;
    indexes.put(key, index);
    return index;
  }

  void writeTo(NativeBuffer out) {
    int keyCount = indexes.size();
    int widthCode = keyCount <= 1 << 8 ? 0 : keyCount <= 1 << 16 ? 1 : 2;
    out.uint64(VERSION);
    out.uint64(OWN_KEYS + widthCode);
    out.uint64(keyCount);
    for (int i = 0; i < keyCount; i++) {
      out.string(keys[i]);
    }
    out.uint64(rowCount);
    out.narrowed(rows, rowCount, 1 << widthCode);
  }
}
