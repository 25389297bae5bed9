// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

/**
 * One span of a sampled message.
 *
 * @param publish whether the message was sent here; else it was received
 * @param traceId 32 hexadecimal digits
 * @param spanId 16 hexadecimal digits
 * @param parentSpanId 16 hexadecimal digits, empty for none
 * @param clientId Kafka client
 * @param group consumer group, empty when it was sent
 * @param partition partition, -1 when not known
 * @param offset offset, -1 when not known
 * @param bytes size of the value
 * @param intendedMicros when the schedule wanted it sent, µs since 1970
 * @param startMicros send() was called, or poll() returned it; µs since 1970
 * @param endMicros acknowledged or failed, or dealt with; µs since 1970
 * @param error class of what went wrong, empty for nothing
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
