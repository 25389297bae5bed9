// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

/**
 * One span of a sampled message.
 *
 * @param publish whether this is the publish of the message; otherwise it is a delivery
 * @param traceId 32 hexadecimal digits
 * @param spanId 16 hexadecimal digits
 * @param parentSpanId 16 hexadecimal digits, empty for none
 * @param clientId Kafka client
 * @param group consumer group, empty for a publish
 * @param partition partition, -1 if unknown
 * @param offset offset, -1 if unknown
 * @param bytes size of the value
 * @param intendedMicros intended send, µs since 1970
 * @param startMicros call of {@code send()} or return of {@code poll()}, µs since 1970
 * @param endMicros acknowledgement, failure or end of processing, µs since 1970
 * @param error class of the error, empty without an error
 */
public record SpanRow(
    boolean publish,
    String traceId,
    String spanId,
    String parentSpanId,
    String clientId,
    String group,
    String topic,
    int partition,
    long offset,
    int bytes,
    long intendedMicros,
    long startMicros,
    long endMicros,
    String error) {}
