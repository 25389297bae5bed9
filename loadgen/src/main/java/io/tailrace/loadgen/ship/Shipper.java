// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.block.EncodedBlock;
import io.tailrace.loadgen.contract.LossReasons;
import io.tailrace.loadgen.ship.OtlpBlockExporter.Outcome;
import io.tailrace.loadgen.spool.BlockRef;
import io.tailrace.loadgen.spool.DamagedBlockException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends blocks to the collector until each one is stored or refused. One block per stream is in
 * flight at a time, the oldest, so the blocks of a stream are stored in order. A block whose
 * outcome is unknown is sent again, the same bytes under the same number, after 100 ms, 200 ms … 2
 * s, without a limit. All state belongs to one thread; {@link #offer} and the answers only queue
 * tasks for it, so no caller blocks.
 */
final class Shipper {
  private static final Logger LOG = LoggerFactory.getLogger(Shipper.class);
  private static final long WARN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final OtlpBlockExporter exporter;
  private final int maxInFlight;
  private final ShippingState state;
  private final ScheduledThreadPoolExecutor executor;
  private final AtomicLong heldBytes = new AtomicLong();

  // Only on the executor's thread. Streams are ordered by when they were served last.
  private final Map<String, Deque<PendingBlock>> waiting = new LinkedHashMap<>();
  private final Set<String> streamsInFlight = new HashSet<>();
  private final Set<PendingBlock> unanswered = new HashSet<>();
  private CountDownLatch empty;
  private boolean collectorDown;
  private long warnedNanos = System.nanoTime() - WARN_EVERY_NANOS;

  Shipper(OtlpBlockExporter exporter, int maxInFlight, ShippingState state) {
    this.exporter = exporter;
    this.maxInFlight = maxInFlight;
    this.state = state;
    this.executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "tailrace-shipper");
              thread.setDaemon(true);
              return thread;
            },
            // Answers that arrive after the shipper has stopped are ignored.
            new ThreadPoolExecutor.DiscardPolicy());
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** Bytes in memory of all unsettled blocks. Any thread. */
  long heldBytes() {
    return heldBytes.get();
  }

  /** Queues a block that stays in memory until it is settled. Any thread. */
  void offer(EncodedBlock block, BlockRef ref) {
    heldBytes.addAndGet(block.bytes().length);
    enqueue(new PendingBlock(block.head(), ref, block.bytes()));
  }

  /** Queues a block that is read from the spool when its turn comes. Any thread. */
  void offer(BlockRef ref) {
    enqueue(new PendingBlock(ref.head(), ref, null));
  }

  /** Queues the run's ledger, or a further one with losses found since. Any thread. */
  void offerLedger(EncodedBlock ledger) {
    BlockRef ref = state.append(ledger);
    state.accepted(ledger.head());
    state.ledgerMade();
    state.checkpoint();
    offer(ledger, ref);
  }

  private void enqueue(PendingBlock pending) {
    Runnable add =
        () -> {
          waiting.computeIfAbsent(pending.head.stream(), s -> new ArrayDeque<>()).add(pending);
          sendNext();
        };
    state.whenSafe(() -> executor.execute(add));
  }

  private void sendNext() {
    for (String stream : List.copyOf(waiting.keySet())) {
      if (streamsInFlight.size() == maxInFlight) {
        break;
      }
      Deque<PendingBlock> queue = waiting.get(stream);
      if (!queue.isEmpty() && streamsInFlight.add(stream)) {
        waiting.remove(stream);
        waiting.put(stream, queue);
        PendingBlock pending = queue.poll();
        unanswered.add(pending);
        send(pending);
      }
    }
    if (empty != null && streamsInFlight.isEmpty()) {
      empty.countDown();
    }
  }

  private void send(PendingBlock pending) {
    try {
      if (pending.bytes == null) {
        pending.bytes = state.read(pending.ref);
        heldBytes.addAndGet(pending.bytes.length);
      }
      EncodedBlock block = new EncodedBlock(pending.head, pending.bytes);
      exporter.send(block, outcome -> executor.execute(() -> settle(pending, outcome)));
    } catch (DamagedBlockException e) {
      executor.execute(() -> unreadable(pending, e));
    } catch (IOException e) {
      executor.execute(() -> retryRead(pending, e));
    } catch (RuntimeException e) {
      Outcome unknown = new Outcome(OtlpBlockExporter.Answer.UNKNOWN, e.toString());
      executor.execute(() -> settle(pending, unknown));
    }
  }

  /** Retries for 13 s: too many open files or a drive fault may be temporary. */
  private void retryRead(PendingBlock pending, IOException cause) {
    if (!pending.mayRetryRead()) {
      unreadable(pending, cause);
      return;
    }
    LOG.warn(
        "cannot read block {} of {} from the spool, will retry: {}",
        pending.head.seq(),
        pending.head.stream(),
        cause.toString());
    executor.schedule(() -> send(pending), pending.nextDelayMillis(), TimeUnit.MILLISECONDS);
  }

  private void unreadable(PendingBlock pending, IOException cause) {
    LOG.error("{} rows cannot be read from the spool and are lost", pending.head.rows(), cause);
    state.damaged(pending.ref);
    state.lost(pending, LossReasons.SPOOL_DAMAGED);
    close(pending);
  }

  private void settle(PendingBlock pending, Outcome outcome) {
    switch (outcome.answer()) {
      case COMMITTED -> {
        state.stored(pending);
        if (collectorDown) {
          collectorDown = false;
          LOG.info("the collector accepts blocks again");
        }
        close(pending);
      }
      case REFUSED -> {
        LOG.warn(
            "the collector refused block {} of {}, {} rows are lost: {}",
            pending.head.seq(),
            pending.head.stream(),
            pending.head.rows(),
            outcome.reason());
        state.lost(pending, LossReasons.REFUSED);
        close(pending);
      }
      case UNKNOWN -> {
        warnCollectorDown(outcome.reason());
        executor.schedule(() -> send(pending), pending.nextDelayMillis(), TimeUnit.MILLISECONDS);
      }
    }
  }

  /** Warns once per outage, at most every 10 s if the collector accepts some of the blocks. */
  private void warnCollectorDown(String reason) {
    long now = System.nanoTime();
    if (!collectorDown && now - warnedNanos >= WARN_EVERY_NANOS) {
      collectorDown = true;
      warnedNanos = now;
      LOG.warn("the collector accepts no blocks, will retry until it does: {}", reason);
    }
  }

  private void close(PendingBlock pending) {
    streamsInFlight.remove(pending.head.stream());
    unanswered.remove(pending);
    free(pending);
    sendNext();
  }

  private void free(PendingBlock pending) {
    if (pending.bytes != null) {
      heldBytes.addAndGet(-pending.bytes.length);
      pending.bytes = null;
    }
  }

  /** Waits until every block is settled, or a reading of {@link System#nanoTime}; returns which. */
  boolean awaitEmpty(long deadlineNanos) throws InterruptedException {
    CountDownLatch latch = new CountDownLatch(1);
    Runnable wait =
        () -> {
          empty = latch;
          sendNext();
        };
    state.whenSafe(() -> executor.execute(wait));
    return latch.await(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
  }

  /**
   * Stops shipping. Unsettled blocks stay in the spool; those that are only in memory are counted
   * as lost with reason {@code unshipped_at_deadline}, although the collector may have stored some
   * of them. Returns the rows counted as lost.
   */
  long stop() {
    AtomicLong abandoned = new AtomicLong();
    CountDownLatch stopped = new CountDownLatch(1);
    state.settleFlushes();
    executor.execute(
        () -> {
          waiting.values().forEach(unanswered::addAll);
          for (PendingBlock pending : unanswered) {
            if (pending.ref == null) {
              state.abandoned(pending, LossReasons.UNSHIPPED_AT_DEADLINE);
              abandoned.addAndGet(pending.head.rows());
            }
            free(pending);
          }
          waiting.clear();
          unanswered.clear();
          streamsInFlight.clear();
          executor.shutdownNow();
          stopped.countDown();
        });
    Uninterrupted.await(stopped::await);
    exporter.close();
    return abandoned.get();
  }
}
