// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.spool.Spool;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flushes a spool to its drive on a separate thread, one flush at a time, and then runs the tasks
 * that waited for it, in their order. All tasks that arrive during a flush share the next one.
 */
final class SpoolFlusher {
  private static final Logger LOG = LoggerFactory.getLogger(SpoolFlusher.class);
  private static final long WARN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long LAZY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Spool spool;
  private final Thread thread = new Thread(this::run, "tailrace-flusher");
  private List<Runnable> waiting = new ArrayList<>();
  private List<Runnable> flushing = new ArrayList<>();
  private boolean running;
  private boolean urgent;
  private boolean closed;
  private long warnedNanos = System.nanoTime() - WARN_EVERY_NANOS;

  SpoolFlusher(Spool spool) {
    this.spool = spool;
    thread.setDaemon(true);
    thread.start();
  }

  /** Runs the task when all that is in the spool now is on the drive. Any thread. */
  synchronized void whenFlushed(Runnable task) {
    waiting.add(task);
    urgent = true;
    notifyAll();
  }

  /** The same, but it waits up to a second for a flush that is necessary anyway. Any thread. */
  synchronized void withNextFlush(Runnable task) {
    waiting.add(task);
    notifyAll();
  }

  private void run() {
    try {
      while (begin()) {
        try {
          spool.flush();
        } catch (IOException e) {
          // The blocks are shipped all the same: the warehouse may be the better place for them.
          warn(e);
        }
        runAll(takeFlushed());
      }
    } catch (InterruptedException e) {
      // No thread interrupts this one.
    }
  }

  private synchronized boolean begin() throws InterruptedException {
    while (!closed && waiting.isEmpty()) {
      wait();
    }
    long until = System.nanoTime() + LAZY_NANOS;
    while (!closed && !urgent && System.nanoTime() < until) {
      wait(TimeUnit.NANOSECONDS.toMillis(LAZY_NANOS) / 10);
    }
    if (closed) {
      return false;
    }
    flushing = waiting;
    waiting = new ArrayList<>();
    urgent = false;
    return true;
  }

  private synchronized List<Runnable> takeFlushed() {
    List<Runnable> tasks = flushing;
    flushing = new ArrayList<>();
    running = true;
    return tasks;
  }

  private void runAll(List<Runnable> tasks) {
    try {
      tasks.forEach(Runnable::run);
    } finally {
      synchronized (this) {
        running = false;
        notifyAll();
      }
    }
  }

  private void warn(IOException cause) {
    long now = System.nanoTime();
    if (now - warnedNanos >= WARN_EVERY_NANOS) {
      warnedNanos = now;
      LOG.warn(
          "the spool in {} cannot be flushed, its blocks may not survive a power loss: {}",
          spool.folder(),
          cause.toString());
    }
  }

  /**
   * Returns when every task has run. Tasks that still wait after {@code patience}, because the
   * drive hangs, run without their flush.
   */
  void settle(Duration patience) {
    long end = System.nanoTime() + patience.toNanos();
    List<Runnable> left = new ArrayList<>();
    synchronized (this) {
      urgent = true;
      notifyAll();
      Uninterrupted.await(
          () -> {
            while (hasTasks() && System.nanoTime() < end) {
              wait(10);
            }
          });
      left.addAll(flushing);
      left.addAll(waiting);
      flushing = new ArrayList<>();
      waiting = new ArrayList<>();
    }
    left.forEach(Runnable::run);
  }

  private boolean hasTasks() {
    return running || !waiting.isEmpty() || !flushing.isEmpty();
  }

  /** Ends the thread; tasks must have been settled before. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }
}
