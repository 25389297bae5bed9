// SPDX-License-Identifier: Apache-2.0
package io.tailrace.bench;

import io.tailrace.loadgen.record.PublishRecorder;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.ship.EventPipeline;
import io.tailrace.loadgen.ship.StreamReport;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Records at a high rate on several threads, through the whole pipeline. Arguments: collector URL,
 * events per second, seconds, recording threads. Runs five seconds to warm up as run {@code
 * bench-warm}, prints {@code warm}, waits for a line on stdin, runs as {@code bench-throughput} and
 * answers with one line of {@code name=value}.
 */
public final class ThroughputMain {
  private static final long START_MICROS = 1_767_225_600_000_000L;
  private static final int WARM_UP_SECONDS = 5;
  private static final Duration DEADLINE = Duration.ofSeconds(120);
  private static final long LEAD_NANOS = 200_000_000;

  private ThroughputMain() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    URI collector = URI.create(arguments[0]);
    double rate = Double.parseDouble(arguments[1]);
    int seconds = Integer.parseInt(arguments[2]);
    int threads = Integer.parseInt(arguments[3]);
    run(collector, "bench-warm", rate, WARM_UP_SECONDS, threads);
    System.out.println("warm");
    if (System.in.read() >= 0) {
      System.out.println(run(collector, "bench-throughput", rate, seconds, threads));
    }
    System.exit(0);
  }

  private static String run(URI collector, String run, double rate, int seconds, int threads)
      throws InterruptedException {
    Recorders recorders = new Recorders(Pipelines.RECORDER_BYTES);
    EventPipeline pipeline = Pipelines.start(collector, run, recorders);
    long collections = collectionMillis();
    long begin = System.nanoTime() + LEAD_NANOS;
    Load load = new Load(begin, rate / threads, (long) (rate / threads * seconds), threads);
    List<RecordingThread> recording =
        load.threads("recording-", i -> recorders.publishes(i, MessageAttributes.topic(0)));
    List<RecordingThread> controls = load.threads("control-", i -> null);
    recording.forEach(Thread::start);
    controls.forEach(Thread::start);
    Stall stall = joined(recording);
    long unshipped = pipeline.unshipped();
    long offered = System.nanoTime();
    StreamReport report = pipeline.finish(List.of(), DEADLINE).streams().get("publishes");
    double drain = (System.nanoTime() - offered) / 1e9;
    Stall machine = joined(controls);
    return String.format(
        Locale.ROOT,
        "events=%d recorded=%d stored=%d lost=%d unshipped=%d offer_s=%.3f drain_s=%.3f gc_ms=%d"
            + " p50_ns=%d p99_ns=%d p9999_ns=%d over_100us=%d max_call_us=%d max_burst_us=%d"
            + " max_burst_cpu_us=%d max_late_us=%d control_p50_ns=%d control_p9999_ns=%d"
            + " control_over_100us=%d control_max_call_us=%d control_max_late_us=%d",
        stall.events(),
        report.recorded(),
        report.stored(),
        report.lost().values().stream().mapToLong(Long::longValue).sum(),
        unshipped,
        (offered - begin) / 1e9,
        drain,
        collectionMillis() - collections,
        stall.quantileNanos(0.5),
        stall.quantileNanos(0.99),
        stall.quantileNanos(0.9999),
        stall.callsAbove(100_000),
        stall.maxCallNanos() / 1_000,
        stall.maxBurstNanos() / 1_000,
        stall.maxBurstCpuNanos() / 1_000,
        stall.maxLateNanos() / 1_000,
        machine.quantileNanos(0.5),
        machine.quantileNanos(0.9999),
        machine.callsAbove(100_000),
        machine.maxCallNanos() / 1_000,
        machine.maxLateNanos() / 1_000);
  }

  /** What each of several threads does: {@code events} from {@code begin} on, at {@code rate}/s. */
  private record Load(long begin, double rate, long events, int threads) {
    List<RecordingThread> threads(String name, IntFunction<PublishRecorder> recorders) {
      int partitions = Acks.PARTITIONS / threads;
      return IntStream.range(0, threads)
          .mapToObj(
              i -> {
                SyntheticAcks acks =
                    new SyntheticAcks(i + 1L, rate, START_MICROS, i * partitions, partitions);
                return new RecordingThread(name + i, acks, recorders.apply(i), begin, events, rate);
              })
          .toList();
    }
  }

  private static Stall joined(List<RecordingThread> threads) throws InterruptedException {
    Stall all = new Stall();
    for (RecordingThread thread : threads) {
      thread.join();
      all.add(thread.stall());
    }
    return all;
  }

  private static long collectionMillis() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(java.lang.management.GarbageCollectorMXBean::getCollectionTime)
        .sum();
  }
}
