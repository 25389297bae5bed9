// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * The one outcome of one message. Created on the pacing thread, so the client's callback thread
 * allocates nothing.
 *
 * <p>The client reports some failures by throwing from send(), some through the callback, and may
 * do both; the first report counts and the rest are ignored, so every message sent is acknowledged
 * or failed exactly once.
 */
final class PublishCallback implements Callback {
  private static final VarHandle REPORTED;

  static {
    try {
      REPORTED =
          MethodHandles.lookup().findVarHandle(PublishCallback.class, "reported", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final PublishOutcomes outcomes;
  private final long sequence;
  private final short tie;
  private final long intendedMicros;
  private final long publishDelayMicros;
  private final int payloadBytes;

  @SuppressWarnings("unused") // read and written through REPORTED
  private boolean reported;

  PublishCallback(
      PublishOutcomes outcomes,
      long sequence,
      int tie,
      long intendedMicros,
      long publishDelayMicros,
      int payloadBytes) {
    this.outcomes = outcomes;
    this.sequence = sequence;
    this.tie = (short) tie;
    this.intendedMicros = intendedMicros;
    this.publishDelayMicros = publishDelayMicros;
    this.payloadBytes = payloadBytes;
  }

  @Override
  public void onCompletion(RecordMetadata metadata, Exception exception) {
    if (exception != null) {
      failed(metadata == null ? RecordMetadata.UNKNOWN_PARTITION : metadata.partition(), exception);
    } else if (REPORTED.compareAndSet(this, false, true)) {
      outcomes.acked(
          metadata.partition(),
          metadata.offset(),
          intendedMicros,
          publishDelayMicros,
          payloadBytes);
    }
  }

  void thrown(Throwable cause) {
    failed(RecordMetadata.UNKNOWN_PARTITION, cause);
  }

  private void failed(int partition, Throwable cause) {
    if (REPORTED.compareAndSet(this, false, true)) {
      outcomes.failed(
          partition, sequence, tie, intendedMicros, publishDelayMicros, payloadBytes, cause);
    }
  }
}
