// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

/**
 * One span of a sampled message.
 *
 * @param publish whether this is the publish of the message; otherwise it is a delivery
 * @param error class of the error, empty without an error
 */
public record SpanRow(
    boolean publish, Ids ids, Client client, Message message, Times times, String error) {
  /**
   * Trace Context ids.
   *
   * @param traceId 32 hexadecimal digits
   * @param spanId 16 hexadecimal digits
   * @param parentSpanId 16 hexadecimal digits, empty for none
   */
  public record Ids(String traceId, String spanId, String parentSpanId) {}

  /**
   * The Kafka client.
   *
   * @param id client id
   * @param group consumer group, empty for a publish
   */
  public record Client(String id, String group) {}

  /**
   * The message.
   *
   * @param partition partition, -1 if unknown
   * @param offset offset, -1 if unknown
   * @param bytes size of the value
   */
  public record Message(String topic, int partition, long offset, int bytes) {}

  /**
   * Times of the span, µs since 1970.
   *
   * @param intendedMicros intended send
   * @param startMicros call of {@code send()} or return of {@code poll()}
   * @param endMicros acknowledgement, failure or end of processing
   */
  public record Times(long intendedMicros, long startMicros, long endMicros) {}
}
