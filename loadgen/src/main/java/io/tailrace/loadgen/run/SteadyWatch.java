// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import com.sun.management.OperatingSystemMXBean;
import io.tailrace.loadgen.block.LatencyHistogram;
import io.tailrace.loadgen.contract.Stage;
import io.tailrace.loadgen.run.SteadyState.Window;
import io.tailrace.loadgen.ship.EventPipeline;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/** Measures a load in windows of about a second until it is steady. For one thread. */
final class SteadyWatch {
  private static final Duration WINDOW = Duration.ofSeconds(1);

  /** A window with fewer latencies goes on for another second. */
  private static final long FEWEST = 10;

  private final Load load;
  private final EventPipeline pipeline;
  private final SteadyState state = new SteadyState();
  private final Interval interval = new Interval();
  private Reading last;

  /** What grows during a window. */
  private record Reading(
      LatencyHistogram latencies,
      long messages,
      long cpuNanos,
      long compiledMillis,
      long nanoTime) {}

  SteadyWatch(Load load, EventPipeline pipeline) {
    this.load = load;
    this.pipeline = pipeline;
  }

  /** Whether the load is steady. To be asked several times a second; the first call begins. */
  boolean steady() {
    if (interval.elapsed(WINDOW)) {
      measure();
    }
    return state.reached();
  }

  private void measure() {
    Reading now = read();
    if (last == null) {
      last = now;
      return;
    }
    LatencyHistogram latencies = now.latencies.since(last.latencies);
    long messages = now.messages - last.messages;
    if (latencies.count() < FEWEST || messages == 0) {
      return;
    }
    state.add(
        new Window(
            latencies.quantile(0.5),
            latencies.quantile(0.99),
            (now.cpuNanos - last.cpuNanos) / 1e3 / messages,
            (now.compiledMillis - last.compiledMillis) * 1e6 / (now.nanoTime - last.nanoTime)));
    last = now;
  }

  private Reading read() {
    return new Reading(
        pipeline.latencies(Stage.PUBLISH),
        load.acked() + load.received(),
        cpuNanos(),
        compiledMillis(),
        System.nanoTime());
  }

  private static long cpuNanos() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
        ? system.getProcessCpuTime()
        : 0;
  }

  private static long compiledMillis() {
    CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    return compiler != null && compiler.isCompilationTimeMonitoringSupported()
        ? compiler.getTotalCompilationTime()
        : 0;
  }

  String moving() {
    return state.moving();
  }
}
