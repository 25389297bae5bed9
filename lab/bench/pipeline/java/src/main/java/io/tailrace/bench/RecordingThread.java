// SPDX-License-Identifier: Apache-2.0
package io.tailrace.bench;

import io.tailrace.loadgen.record.PublishRecorder;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.locks.LockSupport;

/**
 * Records at a constant rate, a burst each millisecond, and times every call with the one clock
 * read that production makes too. Without a recorder it does all but the recording: what it sees
 * then is what the machine does to any thread.
 */
final class RecordingThread extends Thread {
  private static final long SLOT_NANOS = 1_000_000;

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final SyntheticAcks acks;
  private final PublishRecorder recorder;
  private final long begin;
  private final long events;
  private final double perNano;
  private final Stall stall = new Stall();

  /**
   * @param recorder where to record, or null for the control
   * @param begin {@link System#nanoTime} of the first slot
   */
  RecordingThread(
      String name,
      SyntheticAcks acks,
      PublishRecorder recorder,
      long begin,
      long events,
      double eventsPerSecond) {
    super(name);
    this.acks = acks;
    this.recorder = recorder;
    this.begin = begin;
    this.events = events;
    this.perNano = eventsPerSecond / 1e9;
  }

  /** What was seen. Once the thread has ended. */
  Stall stall() {
    return stall;
  }

  @Override
  public void run() {
    long sent = 0;
    for (long slot = 1; sent < events; slot++) {
      long wait = begin + slot * SLOT_NANOS - System.nanoTime();
      while (wait > 0) {
        LockSupport.parkNanos(wait);
        wait = begin + slot * SLOT_NANOS - System.nanoTime();
      }
      stall.late(-wait);
      long due = Math.min(events, (long) (slot * SLOT_NANOS * perNano));
      long cpu = threads.getCurrentThreadCpuTime();
      long first = System.nanoTime();
      long before = first;
      for (; sent < due; sent++) {
        record();
        long now = System.nanoTime();
        stall.call(now - before);
        before = now;
      }
      stall.burst(before - first, threads.getCurrentThreadCpuTime() - cpu);
    }
  }

  private void record() {
    acks.next();
    if (recorder != null) {
      recorder.acked(
          acks.partition(),
          acks.offset(),
          acks.intendedMicros(),
          acks.publishDelayMicros(),
          acks.ackMicros(),
          Acks.PAYLOAD_BYTES);
    }
  }
}
