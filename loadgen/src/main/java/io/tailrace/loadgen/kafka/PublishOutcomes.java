// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.record.FailureRecorder;
import io.tailrace.loadgen.record.PublishRecorder;

/** Counts and records what became of the messages of one producer. */
final class PublishOutcomes {
  private final int producer;
  private final String topic;
  private final OpenTransaction transaction;
  private final NanoClock clock;
  private final PublishRecorder publishes;
  private final FailureRecorder failures;
  private final DeathListener deaths;
  private final EventCounter acked = new EventCounter();
  private final EventCounter failed = new EventCounter();
  private final OffsetMarks marks;
  private volatile String lastFailure = "";

  /**
   * @param transaction what the messages belong to, or null for nothing
   */
  PublishOutcomes(
      int producer,
      String topic,
      int partitions,
      OpenTransaction transaction,
      NanoClock clock,
      PublishRecorder publishes,
      FailureRecorder failures,
      DeathListener deaths) {
    this.producer = producer;
    this.topic = topic;
    this.transaction = transaction;
    this.clock = clock;
    this.publishes = publishes;
    this.failures = failures;
    this.deaths = deaths;
    this.marks = new OffsetMarks(partitions);
  }

  /**
   * One message is in the log or, where brokers answer nothing, handed to the socket. Only on the
   * client's callback thread.
   *
   * @param offset where it is in the log, −1 where nobody said
   */
  void acked(
      int partition, long offset, long intendedMicros, long publishDelayMicros, int payloadBytes) {
    long ackMicros = clock.epochMicros();
    acked.add(ackMicros);
    if (!lastFailure.isEmpty()) {
      lastFailure = "";
    }
    try {
      // Of an unknown offset as much is known: something was sent to the partition.
      marks.advance(partition, Math.max(0, offset));
      if (transaction != null) {
        transaction.acked(partition, offset);
      }
      publishes.acked(
          partition, offset, intendedMicros, publishDelayMicros, ackMicros, payloadBytes);
    } catch (RuntimeException | Error e) {
      // The client would log this and go on; a row that was never recorded must end the run.
      deaths.died("recorder of producer " + producer, e);
    }
  }

  /** One message was given up. On the callback thread or the pacing thread. */
  void failed(
      int partition,
      long intendedMicros,
      long publishDelayMicros,
      int payloadBytes,
      Throwable cause) {
    long failMicros = clock.epochMicros();
    lastFailure = cause.getClass().getSimpleName();
    synchronized (failed) {
      failed.add(failMicros);
    }
    try {
      failures.failed(
          producer,
          topic,
          partition,
          intendedMicros,
          publishDelayMicros,
          failMicros,
          payloadBytes,
          cause.getClass().getSimpleName());
    } catch (RuntimeException | Error e) {
      deaths.died("recorder of producer " + producer, e);
    }
  }

  /** Class of the error of the last message, or empty when the broker acknowledged it. */
  String lastFailure() {
    return lastFailure;
  }

  EventCounter acked() {
    return acked;
  }

  EventCounter failed() {
    return failed;
  }

  OffsetMarks marks() {
    return marks;
  }
}
