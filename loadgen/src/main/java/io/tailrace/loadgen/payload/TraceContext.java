// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.payload;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Trace and span id of a sampled message, in the form of W3C Trace Context ({@code traceparent},
 * version 00, sampled). The ids, none of them 0, are computed from run, producer and sequence
 * number, so the trace of a message can be found from its row.
 */
public record TraceContext(long traceHigh, long traceLow, long span) {
  public static final String HEADER = "traceparent";
  private static final int LENGTH = 55;

  public static TraceContext of(String runId, int producer, long sequence) {
    long run = 0xcbf29ce484222325L;
    for (byte each : runId.getBytes(StandardCharsets.UTF_8)) {
      run = (run ^ each) * 0x100000001b3L;
    }
    long message = spread(spread(run + producer) + sequence);
    return new TraceContext(run, notZero(message), notZero(spread(message)));
  }

  /** Another span of the same trace; {@code number} distinguishes several. */
  public TraceContext child(long number) {
    return new TraceContext(traceHigh, traceLow, notZero(spread(span + number)));
  }

  // The last step of SplitMix64: neighbouring numbers give unrelated results.
  private static long spread(long value) {
    return MessageRandom.mix(value + MessageRandom.GOLDEN);
  }

  private static long notZero(long id) {
    return id == 0 ? 1 : id;
  }

  public String traceId() {
    return "%016x%016x".formatted(traceHigh, traceLow);
  }

  public String spanId() {
    return "%016x".formatted(span);
  }

  public byte[] header() {
    return ("00-" + traceId() + "-" + spanId() + "-01").getBytes(StandardCharsets.US_ASCII);
  }

  /** Reads a record header's value; empty when it is not a sampled version 00 context. */
  public static Optional<TraceContext> parse(byte[] header) {
    String text = new String(header, StandardCharsets.US_ASCII);
    if (text.length() != LENGTH || !text.matches("00-[0-9a-f]{32}-[0-9a-f]{16}-01")) {
      return Optional.empty();
    }
    return Optional.of(
        new TraceContext(
            Long.parseUnsignedLong(text.substring(3, 19), 16),
            Long.parseUnsignedLong(text.substring(19, 35), 16),
            Long.parseUnsignedLong(text.substring(36, 52), 16)));
  }
}
