// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.payload.PayloadHeader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * What a re-read found at some consecutive offsets of a partition. Ranges end at multiples of
 * {@link #OFFSETS}, so that the audit can compare each with the stored rows of the same offsets.
 */
public final class LogRange {
  public static final long OFFSETS = 4096;

  private final int run;
  private final String topic;
  private final int partition;
  private final long first;
  private final long end;
  private final long last;
  private final List<String> gaps = new ArrayList<>();
  private final List<Long> corrupt = new ArrayList<>();
  private long next;
  private long read;
  private long foreign;
  private long hash;

  LogRange(int run, String topic, int partition, long first, long last) {
    this.run = run;
    this.topic = topic;
    this.partition = partition;
    this.first = first;
    this.last = last;
    this.end = Math.min(last, (first / OFFSETS + 1) * OFFSETS);
    this.next = first;
  }

  /** This range or, when the offset is behind it, the one that holds the offset. */
  LogRange upTo(long offset, Consumer<LogRange> found) {
    LogRange range = this;
    while (range.first < range.last && offset >= range.end) {
      range.skipTo(range.end);
      found.accept(range);
      range = new LogRange(run, topic, partition, range.end, last);
    }
    return range;
  }

  void take(ConsumerRecord<ByteBuffer, ByteBuffer> record) {
    skipTo(record.offset());
    next = record.offset() + 1;
    ByteBuffer value = record.value();
    if (!PayloadHeader.isOf(run, value)) {
      foreign++;
      return;
    }
    if (!PayloadHeader.isIntact(value)) {
      corrupt.add(record.offset());
    }
    read++;
    hash +=
        hash(record.offset(), PayloadHeader.producer(value), PayloadHeader.intendedMicros(value));
  }

  private void skipTo(long offset) {
    if (offset > next) {
      gaps.add("[%d,%d]".formatted(next, offset - 1));
      next = offset;
    }
  }

  /** The audit's query computes the same number from a row; a range has the sum. */
  public static long hash(long offset, long producer, long intendedMicros) {
    long mixed =
        offset * 0x9e3779b97f4a7c15L
            + producer * 0xbf58476d1ce4e5b9L
            + intendedMicros * 0x94d049bb133111ebL;
    mixed = (mixed ^ mixed >>> 32) * 0xd6e8feb86659fd93L;
    return mixed ^ mixed >>> 32;
  }

  /** Messages of the run that it holds. */
  public long read() {
    return read;
  }

  /** Messages that differ from what was sent by at least one byte. */
  public long corrupt() {
    return corrupt.size();
  }

  /** As in {@code run_events}. */
  public String json() {
    return "{\"topic\":\"%s\",\"partition\":%d,\"first\":%d,\"end\":%d,\"read\":%d,\"foreign\":%d,"
            .formatted(topic, partition, first, end, read, foreign)
        + "\"hash\":\"%s\",\"gaps\":[%s],\"corrupt\":[%s]}"
            .formatted(
                Long.toUnsignedString(hash),
                String.join(",", gaps),
                corrupt.stream().map(String::valueOf).collect(Collectors.joining(",")));
  }
}
