// SPDX-License-Identifier: Apache-2.0
package io.tailrace.bench;

import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.record.DeliveryRecorder;
import io.tailrace.loadgen.record.PublishRecorder;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.record.RowLog;
import io.tailrace.loadgen.record.RowSegment;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * What recording one event costs the Kafka callback thread, the clock read apart. An invocation
 * records as many rows as a block holds; between invocations they are collected and given back, as
 * the encoder does, so chunks are reused and come back cold.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 10, time = 1)
@Fork(2)
public class RecorderBenchmark {
  private static final int ROWS = 65_536;
  private static final long BASE_MICROS = 1_767_225_600_000_000L;

  private final Recorders recorders = new Recorders(Pipelines.RECORDER_BYTES);
  private final PublishRecorder publishes = recorders.publishes(0, MessageAttributes.topic(0));
  private final DeliveryRecorder deliveries =
      recorders.deliveries(0, 0, MessageAttributes.topic(0));
  private final NanoClock clock = NanoClock.system();
  private final List<RowSegment> segments = new ArrayList<>();
  private long message;

  /** Bytes allocated by the recording thread, and events recorded, per iteration. */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Allocation {
    public long allocatedBytes;
    public long events;
    private final com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private long before;

    @Setup(Level.Iteration)
    public void zero() {
      allocatedBytes = 0;
      events = 0;
    }

    void begin() {
      before = threads.getCurrentThreadAllocatedBytes();
    }

    void end() {
      allocatedBytes += threads.getCurrentThreadAllocatedBytes() - before;
      events += ROWS;
    }
  }

  @TearDown(Level.Invocation)
  public void giveBack() {
    collect(recorders.publishLogs());
    collect(recorders.deliveryLogs());
  }

  private void collect(List<RowLog> logs) {
    for (RowLog log : logs) {
      log.collect(Integer.MAX_VALUE, segments);
      segments.clear();
      log.release();
    }
  }

  @Benchmark
  @OperationsPerInvocation(ROWS)
  public void acked(Allocation allocation) {
    allocation.begin();
    long first = message;
    for (long i = first; i < first + ROWS; i++) {
      publishes.acked(
          (int) i & 15, i >> 4, BASE_MICROS + 20 * i, i & 63, BASE_MICROS + 21 * i, 1024);
    }
    message = first + ROWS;
    allocation.end();
  }

  @Benchmark
  @OperationsPerInvocation(ROWS)
  public void received(Allocation allocation) {
    allocation.begin();
    long first = message;
    for (long i = first; i < first + ROWS; i++) {
      deliveries.received(
          (int) i & 3,
          (int) i & 15,
          i >> 4,
          BASE_MICROS + 20 * i,
          BASE_MICROS + 21 * i,
          1024,
          i >> 2,
          0);
    }
    message = first + ROWS;
    allocation.end();
  }

  /** The one clock read that production adds to each event. */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public void clock(Blackhole hole) {
    for (int i = 0; i < ROWS; i++) {
      hole.consume(clock.epochMicros());
    }
  }
}
