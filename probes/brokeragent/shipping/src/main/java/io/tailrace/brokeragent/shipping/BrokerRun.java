// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent.shipping;

import io.tailrace.brokeragent.AgentOptions;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.record.BrokerRequestRecorder;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.ship.EventPipeline;
import io.tailrace.loadgen.ship.LiveCounters;
import io.tailrace.loadgen.ship.OtlpTls;
import io.tailrace.loadgen.ship.PipelineConfig;
import io.tailrace.loadgen.spool.WorkerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows of one run at this broker, from its first request until it is quiet: a pipeline as a
 * load generator's, without a spool, whose ledger is shipped in parts. A run that continues later
 * gets a second one; ledgers add up.
 */
final class BrokerRun {
  /** Rows not encoded yet, about 150,000: more than a second of requests. */
  private static final long ROW_BYTES = 16 << 20;

  /** Blocks not stored yet: about a million rows while the collector is away. */
  private static final long BLOCK_BYTES = 32 << 20;

  /** Apart from the numbers of load generators, which begin at 0. */
  private static final int FIRST_BROKER_WORKER = 1 << 15;

  private final String runId;
  private final AgentOptions options;
  private final OtlpTls tls;
  private final NanoClock clock;
  private final Recorders recorders = new Recorders(ROW_BYTES);
  private final List<RunWriter> writers = new ArrayList<>();
  private final BrokerRequestRecorder missed;
  private final long sinceMicros;
  private EventPipeline pipeline;
  private boolean closed;

  /**
   * @param sinceMicros requests of this run since then would have been recorded
   */
  BrokerRun(String runId, AgentOptions options, OtlpTls tls, NanoClock clock, long sinceMicros) {
    this.runId = runId;
    this.sinceMicros = sinceMicros;
    this.options = options;
    this.tls = tls;
    this.clock = clock;
    missed = recorders.requests(options.broker());
  }

  /** A writer for the calling thread; null if the run was closed. */
  synchronized RunWriter writer() {
    if (closed) {
      return null;
    }
    RunWriter writer = new RunWriter(recorders.requests(options.broker()), clock);
    writers.add(writer);
    return writer;
  }

  /** Counts a request without a row. Rare, on any thread; not exact while the run is closed. */
  synchronized void missed() {
    missed.missed(clock.epochMicros());
  }

  /**
   * Starts to ship, then ships counts every few seconds. Rows written before wait. May take a
   * while, so no thread of the broker calls it.
   */
  synchronized void tend(long nowMicros) {
    if (pipeline == null && !closed) {
      WorkerId id =
          new WorkerId(runId, FIRST_BROKER_WORKER + options.broker() % FIRST_BROKER_WORKER);
      pipeline =
          EventPipeline.startOfBroker(
              new PipelineConfig(options.collector(), id, 1, BLOCK_BYTES, LiveCounters.NONE, tls),
              recorders,
              sinceMicros);
    }
    if (pipeline != null && !closed) {
      pipeline.shipProgress(nowMicros);
    }
  }

  /** Whether no row has been written for a while. */
  synchronized boolean quiet(Duration since) {
    long now = System.nanoTime();
    return writers.stream().allMatch(each -> now - each.lastNanos() > since.toNanos());
  }

  /** Ships what is left and the counts until the end, within the limit. */
  void finish(long endMicros, Duration limit) {
    EventPipeline last;
    synchronized (this) {
      closed = true;
      writers.forEach(RunWriter::close);
      last = pipeline;
    }
    if (last != null) {
      last.finishOfBroker(endMicros, limit);
    }
  }
}
