// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.FailureRecorder;
import io.tailrace.loadgen.record.PublishRecorder;

/** Counts and records the outcome of every message of one producer. */
final class PublishOutcomes {
  private final int producer;
  private final String topic;
  private final OpenTransaction transaction;
  private final NanoClock clock;
  private final PublishRecorder publishes;
  private final FailureRecorder failures;
  private final FailureListener listener;
  private final EventCounter acked = new EventCounter();
  private final EventCounter failed = new EventCounter();
  private final HighestOffsets ackedOffsets;
  private volatile String lastFailure = "";

  PublishOutcomes(
      Plan.ProducerPlan self, int partitions, OpenTransaction transaction, ClientContext context) {
    this.producer = self.producer();
    this.topic = self.topic();
    this.transaction = transaction;
    this.clock = context.clock();
    this.publishes = context.recorders().publishes(producer, topic);
    this.failures = context.recorders().failures();
    this.listener = context.failures();
    this.ackedOffsets = new HighestOffsets(partitions);
  }

  /**
   * One message is in the log or, where brokers answer nothing, handed to the socket. Only on the
   * client's callback thread.
   *
   * @param offset its offset, −1 where the broker sent none
   */
  void acked(
      int partition, long offset, long intendedMicros, long publishDelayMicros, int payloadBytes) {
    long ackMicros = clock.epochMicros();
    acked.add(ackMicros);
    if (!lastFailure.isEmpty()) {
      lastFailure = "";
    }
    try {
      // An unknown offset still shows that something was sent to the partition.
      ackedOffsets.advance(partition, Math.max(0, offset));
      if (transaction != null) {
        transaction.acked(partition, offset);
      }
      publishes.acked(
          partition, offset, intendedMicros, publishDelayMicros, ackMicros, payloadBytes);
    } catch (RuntimeException | Error e) {
      // The client would log this and go on, but a row that was not recorded must end the run.
      listener.failed("recorder of producer " + producer, e);
    }
  }

  /** One message was given up. On the callback thread or the pacing thread. */
  void failed(
      int partition,
      long sequence,
      int tie,
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
          cause.getClass().getSimpleName(),
          sequence,
          tie);
    } catch (RuntimeException | Error e) {
      listener.failed("recorder of producer " + producer, e);
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

  HighestOffsets ackedOffsets() {
    return ackedOffsets;
  }
}
