// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.ship.EventPipeline;
import io.tailrace.loadgen.ship.LiveLatency;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/** Prints how the run goes, once a second. */
final class ProgressLine {
  private static final long INTERVAL_NANOS = 1_000_000_000L;
  // A producer that is late by less is not worth people's attention.
  private static final long BEHIND_NANOS = 100_000_000L;
  // While nothing changes at the end, a line this often shows that it still lives.
  private static final long SAME_NANOS = 10_000_000_000L;

  private final PrintStream out;
  private final Load load;
  private final EventPipeline pipeline;
  private final Timeline timeline;
  private long dueNanos = System.nanoTime() + INTERVAL_NANOS;
  private long countedNanos = System.nanoTime();
  private long sent;
  private long acked;
  private long received;
  private String closing = "";
  private long closingNanos;
  private Duration producersTook;

  ProgressLine(PrintStream out, Load load, EventPipeline pipeline, Timeline timeline) {
    this.out = out;
    this.load = load;
    this.pipeline = pipeline;
    this.timeline = timeline;
  }

  /** Prints a line if a second has passed since the last one. */
  void maybe() {
    long now = System.nanoTime();
    if (now - dueNanos >= 0) {
      // Stepping by whole intervals keeps one line per second however late a single one is.
      dueNanos += ((now - dueNanos) / INTERVAL_NANOS + 1) * INTERVAL_NANOS;
      if (timeline.over()) {
        puttingAway(now);
      } else {
        out.println(timeline.begun() ? underWay(now) : gettingReady());
      }
    }
  }

  private String gettingReady() {
    long ready = load.groups().stream().filter(ConsumerGroup::ready).count();
    return load.consumersReady()
        ? "starting: producers connect"
        : String.format(
            "starting: %d of %d consumer groups have all their partitions",
            ready, load.groups().size());
  }

  private void puttingAway(long now) {
    long unshipped = pipeline.unshipped();
    String line =
        !load.consumersEnded()
            ? "closing: consumers leave their groups, unshipped " + unshipped
            : unshipped > 0
                ? "closing: unshipped " + unshipped
                : "closing: all is shipped; waiting for the brokers";
    if (!line.equals(closing) || now - closingNanos >= SAME_NANOS) {
      closing = line;
      closingNanos = now;
      out.println(line);
    }
  }

  private String underWay(long now) {
    double seconds = (now - countedNanos) / 1e9;
    long sentNow = load.sent();
    long ackedNow = load.acked();
    long receivedNow = load.received();
    String line =
        String.format(
            Locale.ROOT,
            "%s  sent %.0f/s  acked %.0f/s  received %.0f/s  publish %s  end-to-end %s"
                + "  backlog %d  unshipped %d  failed %d",
            phase(),
            (sentNow - sent) / seconds,
            (ackedNow - acked) / seconds,
            (receivedNow - received) / seconds,
            latency(pipeline.latency("publish")),
            latency(pipeline.latency("end_to_end")),
            load.backlog(),
            pipeline.unshipped(),
            load.failed());
    long behind = load.behindNanos();
    if (behind >= BEHIND_NANOS) {
      line += String.format(Locale.ROOT, "  behind %.1f s", behind / 1e9);
    }
    long lost = pipeline.lost();
    if (lost > 0) {
      line += "  LOST " + lost + " rows, the spool or memory is full; see the log";
    }
    countedNanos = now;
    sent = sentNow;
    acked = ackedNow;
    received = receivedNow;
    return line;
  }

  /** The drain begins for people when the producers have ended: its limit counts from there. */
  private String phase() {
    Duration elapsed = timeline.elapsed();
    if (timeline.current().equals(Timeline.DRAIN)) {
      if (!load.producersEnded()) {
        return "last sends " + clock(elapsed);
      }
      producersTook = producersTook == null ? elapsed : producersTook;
      elapsed = elapsed.minus(producersTook);
    }
    return timeline.current() + " " + clock(elapsed) + "/" + clock(timeline.planned());
  }

  static String clock(Duration time) {
    return time.toHours() > 0
        ? String.format("%d:%02d:%02d", time.toHours(), time.toMinutesPart(), time.toSecondsPart())
        : String.format("%02d:%02d", time.toMinutesPart(), time.toSecondsPart());
  }

  private static String latency(LiveLatency latency) {
    return latency.count() == 0
        ? "p50 - p99 -"
        : String.format(
            Locale.ROOT,
            "p50 %.1f ms p99 %.1f ms",
            latency.p50Micros() / 1e3,
            latency.p99Micros() / 1e3);
  }
}
