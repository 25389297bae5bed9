// SPDX-License-Identifier: Apache-2.0
package io.tailrace.chaos;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32;

/**
 * One journal per recorder and kind of row. A row's hash is {@code h = intHash64(h xor value)} over
 * its values in order, from 0; texts count by their CRC-32. ClickHouse has both functions.
 */
public final class RowJournals {
  private static final Object[] NONE = {};

  /** Which argument is the time that the ledger's ranges speak of. */
  private static final Map<String, Integer> TIME =
      Map.of("acked", 4, "received", 4, "failed", 5, "event", 0, "leader", 0);

  private static final Map<Object, Object[]> IDS = new ConcurrentHashMap<>();
  private static final Map<String, Map<Object, RowJournal>> JOURNALS = new ConcurrentHashMap<>();
  private static final AtomicInteger FILES = new AtomicInteger();
  private static volatile Path folder;

  private RowJournals() {}

  static void into(Path newFolder) {
    folder = newFolder;
  }

  /** A recorder was made; its numbers and topic come first in each of its rows. */
  public static void made(Object recorder, Object[] ids) {
    IDS.put(recorder, ids.clone());
  }

  /** A row is about to be recorded. */
  public static void row(Object recorder, String method, Object[] values) {
    long hash = 0;
    for (Object id : IDS.getOrDefault(recorder, NONE)) {
      hash = intHash64(hash ^ number(id));
    }
    for (Object value : values) {
      hash = intHash64(hash ^ number(value));
    }
    JOURNALS
        .computeIfAbsent(method, name -> new ConcurrentHashMap<>())
        .computeIfAbsent(recorder, r -> open(method))
        .append(hash, (Long) values[TIME.get(method)]);
  }

  private static RowJournal open(String method) {
    return new RowJournal(folder.resolve(method + "-" + FILES.getAndIncrement() + ".rows"));
  }

  private static long number(Object value) {
    if (value instanceof Number number) {
      return number.longValue();
    }
    CRC32 crc = new CRC32();
    crc.update(((String) value).getBytes(StandardCharsets.UTF_8));
    return crc.getValue();
  }

  private static long intHash64(long value) {
    long x = value ^ 0x4CF2D2BAAE6DA887L;
    x ^= x >>> 33;
    x *= 0xff51afd7ed558ccdL;
    x ^= x >>> 33;
    x *= 0xc4ceb9fe1a85ec53L;
    return x ^ (x >>> 33);
  }
}
