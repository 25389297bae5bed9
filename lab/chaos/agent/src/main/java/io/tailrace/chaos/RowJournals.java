// SPDX-License-Identifier: Apache-2.0
package io.tailrace.chaos;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32;

/**
 * One file per recorder and kind of row. A row's hash is {@code h = intHash64(h xor value)} over
 * its values in order, from 0; texts count by their CRC-32. ClickHouse has both functions.
 *
 * <p>A second file has which message it was, for rows of acknowledged and received messages:
 * partition and producer in one word, offset, intended send, time.
 */
public final class RowJournals {
  private static final Object[] NONE = {};

  /** Which argument is the time that the ledger's ranges speak of. */
  private static final Map<String, Integer> TIME =
      Map.of("acked", 4, "received", 4, "failed", 5, "event", 0, "leader", 0);

  private static final Map<Object, Object[]> IDS = new ConcurrentHashMap<>();
  private static final Map<String, Map<Object, Files>> JOURNALS = new ConcurrentHashMap<>();
  private static final AtomicInteger OPENED = new AtomicInteger();
  private static volatile Path folder;

  private RowJournals() {}

  private record Files(JournalFile rows, JournalFile messages) {}

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
    Object[] ids = IDS.getOrDefault(recorder, NONE);
    for (Object id : ids) {
      hash = intHash64(hash ^ number(id));
    }
    for (Object value : values) {
      hash = intHash64(hash ^ number(value));
    }
    long micros = (Long) values[TIME.get(method)];
    Files files =
        JOURNALS
            .computeIfAbsent(method, name -> new ConcurrentHashMap<>())
            .computeIfAbsent(recorder, r -> open(method));
    files.rows().append(hash, micros);
    if (method.equals("acked")) {
      message(files, ids[0], values[0], values[1], values[2], micros);
    } else if (method.equals("received")) {
      message(files, values[0], values[1], values[2], values[3], micros);
    }
  }

  private static void message(
      Files files, Object producer, Object partition, Object offset, Object intended, long micros) {
    long source = number(producer) << 32 | number(partition) & 0xffff_ffffL;
    files.messages().append(source, number(offset), number(intended), micros);
  }

  private static Files open(String method) {
    String name = method + "-" + OPENED.getAndIncrement();
    boolean messages = method.equals("acked") || method.equals("received");
    return new Files(
        new JournalFile(folder.resolve(name + ".rows")),
        messages ? new JournalFile(folder.resolve(name + ".messages")) : null);
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
