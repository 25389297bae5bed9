// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent.shipping;

import io.tailrace.brokeragent.RequestRow;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.record.BrokerRequestRecorder;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes the rows of one run from one network thread. Without a lock: the thread states that it
 * writes before it looks whether the run was closed, and who closes it waits until it has written.
 */
final class RunWriter {
  private static final long MICRO = 1_000;
  private static final long MAX_UNSIGNED = 0xffff_ffffL;
  private static final VarHandle WRITING;

  static {
    try {
      WRITING = MethodHandles.lookup().findVarHandle(RunWriter.class, "writing", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final BrokerRequestRecorder recorder;
  private final NanoClock clock;
  private final long[] longs = new long[BrokerRequestRecorder.LONGS];
  private final int[] ints = new int[BrokerRequestRecorder.INTS];
  private final String[] texts = new String[BrokerRequestRecorder.TEXTS];
  private volatile boolean writing;
  private volatile boolean closed;

  /** When the last row was written, a reading of {@link System#nanoTime}. */
  private volatile long lastNanos = System.nanoTime();

  RunWriter(BrokerRequestRecorder recorder, NanoClock clock) {
    this.recorder = recorder;
    this.clock = clock;
  }

  long lastNanos() {
    return lastNanos;
  }

  /** Writes a row; false if the run was closed before. Its thread only. */
  boolean write(RequestRow row) {
    writing = true;
    try {
      if (closed) {
        return false;
      }
      numbers(row);
      texts[BrokerRequestRecorder.TEXT_API] = row.api;
      texts[BrokerRequestRecorder.TEXT_CLIENT_ID] = row.clientId;
      texts[BrokerRequestRecorder.TEXT_CONNECTION] = row.connection;
      texts[BrokerRequestRecorder.TEXT_TOPIC] = row.topic;
      texts[BrokerRequestRecorder.TEXT_ANSWERED] = row.atOnce ? "at_once" : "delayed";
      texts[BrokerRequestRecorder.TEXT_ERROR] = row.error;
      recorder.answered(longs, ints, texts);
      lastNanos = row.sent;
      return true;
    } finally {
      WRITING.setRelease(this, false);
    }
  }

  /** Returns when no row is being written, and none will be. */
  void close() {
    closed = true;
    while (writing) {
      LockSupport.parkNanos(MICRO);
    }
  }

  private void numbers(RequestRow row) {
    longs[BrokerRequestRecorder.LONG_OFFSET] = row.offset;
    longs[BrokerRequestRecorder.LONG_HIGH_WATERMARK] = row.highWatermark;
    longs[BrokerRequestRecorder.LONG_READ] = clock.epochMicros(row.read);
    ints[BrokerRequestRecorder.INT_REPLICA] = row.replica;
    ints[BrokerRequestRecorder.INT_CORRELATION_ID] = row.correlationId;
    ints[BrokerRequestRecorder.INT_PARTITION] = row.partition;
    ints[BrokerRequestRecorder.INT_RECORDS] = row.records;
    ints[BrokerRequestRecorder.INT_BYTES] = row.bytes;
    ints[BrokerRequestRecorder.INT_QUEUE] = stage(row, row.read, row.dequeued);
    ints[BrokerRequestRecorder.INT_LOCAL] = stage(row, row.dequeued, row.localDone);
    ints[BrokerRequestRecorder.INT_REMOTE] = stage(row, row.localDone, row.responseReady);
    ints[BrokerRequestRecorder.INT_RESPONSE_QUEUE] =
        stage(row, row.responseReady, row.responseDequeued);
    ints[BrokerRequestRecorder.INT_SEND] = stage(row, row.responseDequeued, row.sent);
    ints[BrokerRequestRecorder.INT_THROTTLE] = unsigned(row.throttleMillis);
    ints[BrokerRequestRecorder.INT_LOG] = unsigned(row.log / MICRO);
    ints[BrokerRequestRecorder.INT_LOCK] = unsigned(row.lock / MICRO);
    ints[BrokerRequestRecorder.INT_ROLL] = unsigned(row.roll / MICRO);
    ints[BrokerRequestRecorder.INT_FLUSH] = unsigned(row.flush / MICRO);
  }

  /** Both ends are rounded, not their difference, so that the stages add up to the whole. */
  private static int stage(RequestRow row, long from, long to) {
    return unsigned((to - row.read) / MICRO - (from - row.read) / MICRO);
  }

  private static int unsigned(long value) {
    return (int) Math.max(0, Math.min(value, MAX_UNSIGNED));
  }
}
