// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.record.EventRecorder;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.errors.RetriableException;

/**
 * One consumer with a client of its own and a thread that polls it. Counts and records every
 * message poll() returns. Made by {@link ConsumerMaker}.
 */
public final class ConsumerWorker {
  private static final int STACK_BYTES = 512 * 1024;
  private static final Duration POLL = Duration.ofMillis(100);
  // While its handlers are behind a consumer looks often whether they have caught up.
  private static final Duration POLL_WHILE_FULL = Duration.ofMillis(2);
  private static final long FULL_MESSAGES = 10_000;

  private final String name;
  private final String clientId;
  private final String topic;
  private final NanoClock clock;
  private final DeathListener deaths;
  private final EventRecorder events;
  private final Feed feed;
  private final Handlers handlers;
  private final Thread thread;
  private boolean full;
  private boolean feedPaused;
  private volatile boolean pauseWanted;
  private volatile boolean pauseDone;
  private volatile boolean stopped;
  private volatile boolean ended;

  ConsumerWorker(
      int consumer,
      String clientId,
      String topic,
      Feed feed,
      Function<ConsumerWorker, Handlers> handlers,
      NanoClock clock,
      EventRecorder events,
      DeathListener deaths) {
    this.name = "consumer " + consumer;
    this.clientId = clientId;
    this.topic = topic;
    this.clock = clock;
    this.deaths = deaths;
    this.events = events;
    this.feed = feed;
    this.handlers = handlers.apply(this);
    this.thread = new Thread(null, this::run, name.replace(' ', '-'), STACK_BYTES);
    thread.setDaemon(true);
  }

  /** Starts the thread, which joins the group. */
  public void start() {
    thread.start();
  }

  /**
   * Leaves the group; returns at once. By the thread that called {@link #start()} or would have.
   */
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
   * Receives nothing more, or everything again, and stays in its group: it goes on polling. A poll
   * that is under way may still return messages, until {@link #pauseSettled()}.
   */
  public void pause(boolean paused) {
    pauseWanted = paused;
  }

  /** Whether it does as the last {@link #pause} said. */
  public boolean pauseSettled() {
    return pauseWanted == pauseDone;
  }

  /** Whether the client is closed. */
  public boolean ended() {
    return ended || !thread.isAlive();
  }

  /** What the client ids of a run's consumers begin with; the consumer's number follows. */
  public static String clientPrefix(String runId) {
    return runId + "-consumer-";
  }

  /** How the brokers call this consumer. */
  public String clientId() {
    return clientId;
  }

  /** Topic it reads. */
  public String topic() {
    return topic;
  }

  /**
   * Partitions it is assigned and knows its position in, so that nothing sent from now on can pass
   * it by.
   */
  public Set<Integer> readyPartitions() {
    return feed.ready();
  }

  /** Offset up to which it has polled a partition; messages of a poll may still be open. */
  public long position(int partition) {
    return feed.position(partition);
  }

  /** Messages polled and not yet recorded. */
  public long open() {
    return handlers.open();
  }

  /** What it has counted so far. */
  public Received received() {
    return Received.by(handlers.receivers());
  }

  private void run() {
    try {
      feed.open();
      while (!stopped) {
        pollOnce();
      }
      handlers.stop();
      feed.commit();
    } catch (RuntimeException | Error e) {
      deaths.died(name, e);
    } finally {
      close();
    }
  }

  private void pollOnce() {
    try {
      applyPause();
      ConsumerRecords<ByteBuffer, ByteBuffer> records = feed.poll(full ? POLL_WHILE_FULL : POLL);
      if (!records.isEmpty()) {
        handlers.take(records, clock.epochMicros());
      }
      feed.taken(records);
      if (feed.pollAcknowledges()) {
        awaitHandled();
      }
    } catch (RetriableException e) {
      events.event(
          clock.epochMicros(), "error", "poll", name + ": " + e.getClass().getSimpleName());
    }
  }

  /** Stops fetching, but not polling, when it is told to and while its handlers are far behind. */
  private void applyPause() {
    boolean wanted = pauseWanted;
    full = handlers.open() > (full ? FULL_MESSAGES / 2 : FULL_MESSAGES);
    if (feedPaused != (wanted || full)) {
      feedPaused = !feedPaused;
      feed.pause(feedPaused);
    }
    pauseDone = wanted;
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
      feed.close();
    } catch (RuntimeException | Error e) {
      // Everything received is recorded by now; a group that could not be left in order is worth a
      // note, no more.
      events.event(
          clock.epochMicros(), "error", "consumer_close", name + ": " + ClientErrors.reason(e));
    } finally {
      ended = true;
    }
  }
}
