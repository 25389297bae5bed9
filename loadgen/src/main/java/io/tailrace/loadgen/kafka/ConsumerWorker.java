// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.contract.EventKinds;
import io.tailrace.loadgen.plan.Plan;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.errors.RetriableException;

/**
 * One consumer with its own client and a thread that polls it. Counts and records every message
 * that poll() returns. Made by {@link ConsumerFactory}.
 */
public final class ConsumerWorker {
  private static final int STACK_BYTES = 512 * 1024;
  private static final Duration POLL = Duration.ofMillis(100);
  // While its handlers are behind, a consumer checks often whether they have caught up.
  private static final Duration POLL_WHILE_FULL = Duration.ofMillis(2);
  private static final long FULL_MESSAGES = 10_000;

  private final String name;
  private final String clientId;
  private final String topic;
  private final ClientContext context;
  private final MessageSource source;
  private final Handlers handlers;
  private final Thread thread;
  private boolean full;
  private boolean sourcePaused;
  private volatile boolean pauseRequested;
  private volatile boolean pauseDone;
  private volatile boolean stopped;
  private volatile boolean ended;

  ConsumerWorker(
      Plan.ConsumerPlan self,
      String clientId,
      MessageSource source,
      Function<ConsumerWorker, Handlers> handlers,
      ClientContext context) {
    this.name = "consumer " + self.consumer();
    this.clientId = clientId;
    this.topic = self.topic();
    this.context = context;
    this.source = source;
    this.handlers = handlers.apply(this);
    this.thread = new Thread(null, this::run, name.replace(' ', '-'), STACK_BYTES);
    thread.setDaemon(true);
  }

  public void start() {
    thread.start();
  }

  /** Leaves the group; returns at once. Only for the thread that starts the worker. */
  public void stop() {
    stopped = true;
    if (thread.getState() == Thread.State.NEW && !ended) {
      close();
    }
  }

  boolean stopped() {
    return stopped;
  }

  /**
   * Pauses or resumes receiving. A paused consumer stays in its group: it goes on polling. A poll
   * in progress may still return messages, until {@link #pauseSettled()}.
   */
  public void pause(boolean paused) {
    pauseRequested = paused;
  }

  /** Whether the last {@link #pause} has taken effect. */
  public boolean pauseSettled() {
    return pauseRequested == pauseDone;
  }

  public boolean ended() {
    return ended || !thread.isAlive();
  }

  /** What the client ids of a run's consumers begin with; the consumer's number follows. */
  public static String clientPrefix(String runId) {
    return runId + "-consumer-";
  }

  public String clientId() {
    return clientId;
  }

  public String topic() {
    return topic;
  }

  /** Assigned partitions whose position is known: it receives all that is sent to them now. */
  public Set<Integer> readyPartitions() {
    return source.ready();
  }

  /** Offset up to which it has polled a partition; some of the messages may not be recorded yet. */
  public long position(int partition) {
    return source.position(partition);
  }

  /** Messages polled and not yet recorded. */
  public long open() {
    return handlers.open();
  }

  /** Deliveries that it handed back to its share group. */
  public long released() {
    return source.released();
  }

  public ReceivedCounts received() {
    return ReceivedCounts.sum(handlers.receivers().stream().map(Receiver::counts).toList());
  }

  private void run() {
    try {
      source.open();
      while (!stopped) {
        pollOnce();
      }
      handlers.stop();
      source.commit();
    } catch (RuntimeException | Error e) {
      context.failures().failed(name, e);
    } finally {
      close();
    }
  }

  private void pollOnce() {
    try {
      applyPause();
      ConsumerRecords<ByteBuffer, ByteBuffer> records = source.poll(full ? POLL_WHILE_FULL : POLL);
      if (!records.isEmpty()) {
        handlers.take(records, context.clock().epochMicros());
      }
      source.taken(records);
      if (source.pollAcknowledges()) {
        awaitHandled();
      }
    } catch (RetriableException e) {
      context.event(EventKinds.ERROR, "poll", name + ": " + e.getClass().getSimpleName());
    }
  }

  /** Stops fetching, but not polling, while it is paused or its handlers are far behind. */
  private void applyPause() {
    boolean requested = pauseRequested;
    full = handlers.open() > (full ? FULL_MESSAGES / 2 : FULL_MESSAGES);
    if (sourcePaused != (requested || full)) {
      sourcePaused = !sourcePaused;
      source.pause(sourcePaused);
    }
    pauseDone = requested;
  }

  private void awaitHandled() {
    while (handlers.open() > 0 && !stopped) {
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        stopped = true;
      }
    }
  }

  private void close() {
    try {
      handlers.stop();
      source.close();
    } catch (RuntimeException | Error e) {
      // All that was received is recorded: a group that was not left in order is only an event.
      context.event(EventKinds.ERROR, "consumer_close", name + ": " + ClientErrors.reason(e));
    } finally {
      ended = true;
    }
  }
}
