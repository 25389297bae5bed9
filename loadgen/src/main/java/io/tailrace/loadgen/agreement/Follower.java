// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.agreement;

import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The side of every worker but the leader: a thread fetches the leader's decision and exchanges
 * read positions, again and again, so that the run itself never waits for the leader.
 */
final class Follower implements Agreement {
  private static final long TICK_MILLIS = 300;

  /** How long the leader may be silent before it counts as lost. */
  private static final Duration SILENT = Duration.ofSeconds(15);

  /** Refused connections in a row after which the leader counts as lost: no process listens. */
  private static final int REFUSALS = 3;

  private static final int FINISH_TRIES = 3;

  private final AgreementClient client;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "tailrace-agreement");
            thread.setDaemon(true);
            return thread;
          });
  private final Map<String, Map<Integer, Long>> latest = new HashMap<>();
  private final Map<String, Map<Integer, Long>> unreported = new HashMap<>();
  private volatile Decision decision;
  private volatile Positions positions = new Positions(Map.of());
  private volatile boolean met;
  private volatile long answeredNanoTime = System.nanoTime();
  private volatile int refusals;
  private volatile String problem = "no answer yet";
  private volatile boolean finishUnanswered;
  private long ticks;
  private long reports;

  private Follower(AgreementClient client) {
    this.client = client;
  }

  static Follower start(AgreementEndpoint endpoint, int worker) {
    Follower follower = new Follower(new AgreementClient(endpoint, worker));
    follower.timer.scheduleWithFixedDelay(follower::tick, 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
    return follower;
  }

  /** Read positions change all the time: they are exchanged every second time. */
  private void tick() {
    exchange(() -> client.decision().ifPresent(found -> decision = found));
    if (ticks++ % 2 == 0) {
      exchange(() -> reportNow(false));
    }
  }

  private interface Exchange {
    void run() throws IOException, InterruptedException;
  }

  private boolean exchange(Exchange one) {
    try {
      one.run();
      answeredNanoTime = System.nanoTime();
      refusals = 0;
      met = true;
      return true;
    } catch (ConnectException e) {
      refusals++;
      problem = "the connection was refused";
    } catch (IOException | RuntimeException e) {
      problem = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return false;
  }

  private void reportNow(boolean finished) throws IOException, InterruptedException {
    Map<String, Map<Integer, Long>> sent;
    synchronized (latest) {
      sent = Map.copyOf(unreported);
    }
    positions = client.report(new WorkerReport(++reports, finished, sent));
    synchronized (latest) {
      sent.forEach(unreported::remove);
    }
  }

  @Override
  public boolean leads() {
    return false;
  }

  @Override
  public boolean met() {
    return met;
  }

  @Override
  public void announce(Decision none) {
    throw new IllegalStateException("only the leader decides");
  }

  @Override
  public Optional<Decision> decision() {
    return Optional.ofNullable(decision);
  }

  @Override
  public void report(String group, Map<Integer, Long> read) {
    Map<Integer, Long> copy = Map.copyOf(read);
    synchronized (latest) {
      if (!copy.equals(latest.put(group, copy))) {
        unreported.put(group, copy);
      }
    }
  }

  @Override
  public Map<Integer, Long> positions(String group) {
    return positions.positions().getOrDefault(group, Map.of());
  }

  @Override
  public Optional<String> leaderLost() {
    boolean silent = System.nanoTime() - answeredNanoTime > SILENT.toNanos();
    return !met || silent || refusals >= REFUSALS || finishUnanswered
        ? Optional.of("worker 0 does not answer at " + client.url() + ": " + problem)
        : Optional.empty();
  }

  @Override
  public void finish() {
    timer.shutdownNow();
    try {
      timer.awaitTermination(AgreementClient.REQUEST.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    finishUnanswered = true;
    for (int i = 0; i < FINISH_TRIES && finishUnanswered; i++) {
      finishUnanswered = !exchange(() -> reportNow(true));
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
