// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent.shipping;

import io.tailrace.brokeragent.AgentOptions;
import io.tailrace.brokeragent.RequestRow;
import io.tailrace.brokeragent.RequestRows;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.ship.OtlpTls;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Assigns each row to its run, and ships the runs' rows from threads of its own. */
public final class ShippedRows implements RequestRows {
  /** Longer than a run's pauses between phases; if one is longer, the run gets another ledger. */
  private static final Duration QUIET = Duration.ofSeconds(10);

  private static final Duration LAST_ROWS = Duration.ofMinutes(5);
  private static final Duration BROKER_STOPS = Duration.ofSeconds(5);
  private static final long RESYNC_SECONDS = 10;
  private static final int MAX_CLOSED = 10_000;

  private final AgentOptions options;
  private final OtlpTls tls = OtlpTls.of(System.getenv());
  private final NanoClock clock = NanoClock.system();
  private final RunNames names = new RunNames();
  private final Map<String, BrokerRun> runs = new ConcurrentHashMap<>();
  private final long startMicros = clock.epochMicros();
  private volatile long endMicros;

  /** When each run was closed last: nothing of it was missed since. */
  private final Map<String, Long> closed = new ConcurrentHashMap<>();

  private final ThreadLocal<Map<String, RunWriter>> writers = ThreadLocal.withInitial(HashMap::new);

  private ShippedRows(AgentOptions options) {
    this.options = options;
  }

  /** Called once, by the agent. */
  public static RequestRows start(AgentOptions options) {
    ShippedRows rows = new ShippedRows(options);
    ScheduledExecutorService timer =
        Executors.newScheduledThreadPool(1, task -> daemon(task, "tailrace-requests"));
    timer.scheduleWithFixedDelay(rows::tend, 100, 100, TimeUnit.MILLISECONDS);
    timer.scheduleWithFixedDelay(
        rows.clock::resync, RESYNC_SECONDS, RESYNC_SECONDS, TimeUnit.SECONDS);
    Runtime.getRuntime().addShutdownHook(new Thread(rows::stop, "tailrace-requests-stop"));
    return rows;
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public void write(RequestRow row) {
    String run = names.of(row);
    if (run.isEmpty()) {
      return;
    }
    Map<String, RunWriter> own = writers.get();
    RunWriter writer = own.get(run);
    // A run that has just been closed is opened again, once per row at most.
    if (writer == null || !writer.write(row)) {
      RunWriter another = open(run);
      own.put(run, another);
      another.write(row);
    }
  }

  private RunWriter open(String run) {
    RunWriter writer = null;
    while (writer == null) {
      writer = run(run).writer();
    }
    return writer;
  }

  private BrokerRun run(String run) {
    return runs.computeIfAbsent(
        run, id -> new BrokerRun(id, options, tls, clock, closed.getOrDefault(id, startMicros)));
  }

  @Override
  public void missed(String clientId) {
    String run = names.ofClient(clientId);
    if (!run.isEmpty()) {
      run(run).missed();
    }
  }

  @Override
  public void ended() {
    endMicros = clock.epochMicros();
  }

  /** Starts what began, and ends what is quiet. */
  private void tend() {
    long end = endMicros;
    runs.forEach(
        (id, run) -> {
          run.tend(end == 0 ? clock.epochMicros() : end);
          if (end != 0) {
            end(id, run, end);
          } else if (run.quiet(QUIET)) {
            end(id, run, clock.epochMicros());
          }
        });
  }

  private void end(String id, BrokerRun run, long now) {
    if (closed.size() >= MAX_CLOSED) {
      closed.clear();
    }
    closed.put(id, now);
    runs.remove(id, run);
    daemon(() -> run.finish(now, LAST_ROWS), "tailrace-requests-end").start();
  }

  private void stop() {
    long end = endMicros == 0 ? clock.epochMicros() : endMicros;
    runs.forEach((id, run) -> run.finish(end, BROKER_STOPS));
  }
}
