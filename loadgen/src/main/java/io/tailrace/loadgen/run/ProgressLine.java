// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.block.StageLatency;
import io.tailrace.loadgen.ship.EventPipeline;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/** Prints the progress of the run, once a second. */
final class ProgressLine {
  private static final long INTERVAL_NANOS = 1_000_000_000L;
  // Shorter delays of a producer are not shown.
  private static final long BEHIND_NANOS = 100_000_000L;
  // Interval of the same line at the end, which shows that the process is alive.
  private static final long REPEAT_NANOS = 10_000_000_000L;

  private final PrintStream out;
  private final Load load;
  private final EventPipeline pipeline;
  private final Timeline timeline;
  private long nextNanos = System.nanoTime() + INTERVAL_NANOS;
  private long lastNanos = System.nanoTime();
  private long sent;
  private long acked;
  private long received;
  private String closing = "";
  private long closingNanos;
  private Duration lastSends;

  ProgressLine(PrintStream out, Load load, EventPipeline pipeline, Timeline timeline) {
    this.out = out;
    this.load = load;
    this.pipeline = pipeline;
    this.timeline = timeline;
  }

  void maybePrint() {
    long now = System.nanoTime();
    if (now - nextNanos >= 0) {
      // Whole intervals keep one line per second, however late a single line is.
      nextNanos += ((now - nextNanos) / INTERVAL_NANOS + 1) * INTERVAL_NANOS;
      if (timeline.over()) {
        printFinishing(now);
      } else {
        out.println(timeline.begun() ? running(now) : starting());
      }
    }
  }

  private String starting() {
    long ready = load.groups().stream().filter(ConsumerGroup::ready).count();
    return load.consumersReady()
        ? "starting: producers connect"
        : String.format(
            "starting: %d of %d consumer groups have all their partitions",
            ready, load.groups().size());
  }

  private void printFinishing(long now) {
    long unshipped = pipeline.unshipped();
    String line =
        !load.consumersEnded()
            ? "closing: consumers leave their groups, unshipped " + unshipped
            : unshipped > 0
                ? "closing: unshipped " + unshipped
                : "closing: all is shipped; waiting for the brokers";
    if (!line.equals(closing) || now - closingNanos >= REPEAT_NANOS) {
      closing = line;
      closingNanos = now;
      out.println(line);
    }
  }

  private String running(long now) {
    double seconds = (now - lastNanos) / 1e9;
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
    lastNanos = now;
    sent = sentNow;
    acked = ackedNow;
    received = receivedNow;
    return line;
  }

  /** The drain is shown from the end of the producers on: its limit counts from there. */
  private String phase() {
    Duration elapsed = timeline.elapsed();
    if (timeline.current().equals(Timeline.DRAIN)) {
      if (!load.producersEnded()) {
        return "last sends " + clock(elapsed);
      }
      lastSends = lastSends == null ? elapsed : lastSends;
      elapsed = elapsed.minus(lastSends);
    }
    return timeline.current() + " " + clock(elapsed) + "/" + clock(timeline.planned());
  }

  static String clock(Duration time) {
    return time.toHours() > 0
        ? String.format("%d:%02d:%02d", time.toHours(), time.toMinutesPart(), time.toSecondsPart())
        : String.format("%02d:%02d", time.toMinutesPart(), time.toSecondsPart());
  }

  private static String latency(StageLatency latency) {
    return latency.count() == 0
        ? "p50 - p99 -"
        : String.format(
            Locale.ROOT,
            "p50 %.1f ms p99 %.1f ms",
            latency.p50Micros() / 1e3,
            latency.p99Micros() / 1e3);
  }
}
