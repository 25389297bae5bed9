// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.block.EncodedBlock;
import io.tailrace.loadgen.ship.OtlpBlockExporter.Outcome;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps blocks until each has got its answer. Up to {@code maxInFlight} of them are open, oldest
 * first: one that got no clear answer stays open and is sent again, the same bytes under the same
 * number, after 100 ms, 200 ms … 2 s, for ever. All state belongs to one thread; {@link #offer} and
 * the answers only leave tasks for it, so nobody waits.
 */
final class Shipper {
  static final String LOST_REFUSED = "refused";
  static final String LOST_MEMORY_FULL = "memory_full";
  static final String LOST_UNSHIPPED = "unshipped_at_deadline";

  private static final Logger LOG = LoggerFactory.getLogger(Shipper.class);
  private static final long FIRST_DELAY_MILLIS = 100;
  private static final long LAST_DELAY_MILLIS = 2_000;
  private static final long WARN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final OtlpBlockExporter exporter;
  private final int maxInFlight;
  private final Accounts accounts;
  private final ScheduledThreadPoolExecutor owner;
  private final AtomicLong heldBytes = new AtomicLong();

  // Only on the owner thread.
  private final Deque<Parcel> waiting = new ArrayDeque<>();
  private final Set<Parcel> open = new HashSet<>();
  private CountDownLatch empty;
  private boolean away;
  private long warnedNanos = System.nanoTime() - WARN_EVERY_NANOS;

  /** A block on its way. */
  private static final class Parcel {
    final EncodedBlock block;
    long delayMillis = FIRST_DELAY_MILLIS;

    Parcel(EncodedBlock block) {
      this.block = block;
    }
  }

  Shipper(OtlpBlockExporter exporter, int maxInFlight, Accounts accounts) {
    this.exporter = exporter;
    this.maxInFlight = maxInFlight;
    this.accounts = accounts;
    this.owner =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "tailrace-shipper");
              thread.setDaemon(true);
              return thread;
            },
            // An answer that comes after the end has nobody to take it.
            new ThreadPoolExecutor.DiscardPolicy());
    owner.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** Bytes of all blocks without an answer yet. Any thread. */
  long heldBytes() {
    return heldBytes.get();
  }

  /** Takes a block to ship. Any thread. */
  void offer(EncodedBlock block) {
    heldBytes.addAndGet(block.bytes().length);
    owner.execute(
        () -> {
          waiting.add(new Parcel(block));
          pump();
        });
  }

  private void pump() {
    while (open.size() < maxInFlight && !waiting.isEmpty()) {
      Parcel parcel = waiting.poll();
      open.add(parcel);
      send(parcel);
    }
    if (empty != null && open.isEmpty()) {
      empty.countDown();
    }
  }

  private void send(Parcel parcel) {
    try {
      exporter.send(parcel.block, outcome -> owner.execute(() -> settle(parcel, outcome)));
    } catch (RuntimeException e) {
      settle(parcel, new Outcome(OtlpBlockExporter.Answer.UNKNOWN, e.toString()));
    }
  }

  private void settle(Parcel parcel, Outcome outcome) {
    switch (outcome.answer()) {
      case COMMITTED -> {
        accounts.stored(parcel.block);
        if (away) {
          away = false;
          LOG.info("the collector takes blocks again");
        }
        close(parcel);
      }
      case REFUSED -> {
        accounts.lost(parcel.block, LOST_REFUSED);
        LOG.warn(
            "the collector refused block {} of {}, {} rows are lost: {}",
            parcel.block.seq(),
            parcel.block.stream(),
            parcel.block.rows(),
            outcome.reason());
        close(parcel);
      }
      case UNKNOWN -> {
        warnAway(outcome.reason());
        owner.schedule(() -> send(parcel), parcel.delayMillis, TimeUnit.MILLISECONDS);
        parcel.delayMillis = Math.min(2 * parcel.delayMillis, LAST_DELAY_MILLIS);
      }
    }
  }

  /** Says it once per outage, and not at every turn of a collector that takes every other block. */
  private void warnAway(String reason) {
    long now = System.nanoTime();
    if (!away && now - warnedNanos >= WARN_EVERY_NANOS) {
      away = true;
      warnedNanos = now;
      LOG.warn("the collector takes no blocks, sending again until it does: {}", reason);
    }
  }

  private void close(Parcel parcel) {
    open.remove(parcel);
    heldBytes.addAndGet(-parcel.block.bytes().length);
    pump();
  }

  /**
   * Waits until every block has its answer, or until the deadline.
   *
   * @param deadlineNanos on the clock of {@link System#nanoTime}
   * @return whether every block has its answer
   */
  boolean awaitEmpty(long deadlineNanos) throws InterruptedException {
    CountDownLatch latch = new CountDownLatch(1);
    owner.execute(
        () -> {
          empty = latch;
          pump();
        });
    return latch.await(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
  }

  /**
   * Ends shipping. Blocks still without an answer are counted as lost, reason {@code
   * unshipped_at_deadline}; the collector may have stored some of them nevertheless.
   *
   * @return rows of those blocks
   */
  long stop() {
    AtomicLong rows = new AtomicLong();
    CountDownLatch stopped = new CountDownLatch(1);
    owner.execute(
        () -> {
          waiting.addAll(open);
          for (Parcel parcel : waiting) {
            accounts.lost(parcel.block, LOST_UNSHIPPED);
            rows.addAndGet(parcel.block.rows());
          }
          waiting.clear();
          open.clear();
          owner.shutdownNow();
          stopped.countDown();
        });
    boolean interrupted = false;
    while (true) {
      try {
        stopped.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    exporter.close();
    return rows.get();
  }
}
