// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.contract.EventKinds;
import io.tailrace.loadgen.kafka.LogRange;
import io.tailrace.loadgen.kafka.LogReader;
import io.tailrace.loadgen.plan.Plan;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Reads what the run has written again, all or a sample, and records what it finds: the audit
 * compares it with what was acknowledged and received. Messages from before the run are left out.
 */
final class Reread {
  /** What was read: ranges of offsets, their messages, and those of them that are damaged. */
  record Count(long ranges, long messages, long corrupt) {
    static final Count NONE = new Count(0, 0, 0);

    Count plus(LogRange range) {
      return new Count(ranges + 1, messages + range.read(), corrupt + range.corrupt());
    }
  }

  private final RunContext run;
  private final RunLogs logs;
  private Count count = Count.NONE;

  Reread(RunContext run, RunLogs logs) {
    this.run = run;
    this.logs = logs;
  }

  /** Reads what the workload asks for; a run that ends early leaves it out. */
  Count read() {
    if (run.state().ending()) {
      return count;
    }
    double share = run.plan().behaviour().reread().orElseThrow().shareOf(offsets());
    run.reporter().print("re-read: %.4g %% of %d offsets", share * 100, offsets());
    try (LogReader reader = new LogReader(run.plan(), run.state()::stopRequested)) {
      readAll(reader, share);
    } catch (RuntimeException e) {
      incomplete(e.getClass().getSimpleName() + ": " + e.getMessage());
    }
    logs.recordEnd();
    run.reporter()
        .print("re-read: %d messages, %d of them damaged", count.messages(), count.corrupt());
    return count;
  }

  private void readAll(LogReader reader, double share) {
    for (Plan.TopicPlan topic : run.plan().topics()) {
      for (int partition = 0; partition < logs.ends().get(topic.name()).length; partition++) {
        if (!read(reader, topic.name(), partition, share)) {
          return;
        }
      }
    }
  }

  /** One partition, in spans of chosen ranges that follow each other; whether it got to the end. */
  private boolean read(LogReader reader, String topic, int partition, double share) {
    long end = logs.ends().get(topic)[partition];
    long next = first(topic, partition);
    while (next < end) {
      long from = next;
      while (next < end && chosen(topic, partition, next, share)) {
        next = rangeEnd(next, end);
      }
      if (next > from) {
        long reached = reader.read(topic, partition, from, next, this::found);
        if (reached < next) {
          incomplete("%s/%d ended at offset %d of %d".formatted(topic, partition, reached, end));
          return false;
        }
      } else {
        next = rangeEnd(next, end);
      }
    }
    return true;
  }

  /** Every first and last range, where logs lose messages, and a share of those in between. */
  private boolean chosen(String topic, int partition, long offset, double share) {
    if (offset == first(topic, partition)
        || rangeEnd(offset, Long.MAX_VALUE) >= logs.ends().get(topic)[partition]) {
      return true;
    }
    long place = topic.hashCode() * 31L + partition + offset / LogRange.OFFSETS * 1_000_003L;
    return new SplittableRandom(run.plan().seed() ^ place).nextDouble() < share;
  }

  private void found(LogRange range) {
    count = count.plus(range);
    run.reporter().event(EventKinds.REREAD, "range", range.json());
  }

  private void incomplete(String why) {
    run.reporter().event(EventKinds.REREAD, "incomplete", why);
    run.reporter().print("warning: the re-read is incomplete: " + why);
  }

  private static long rangeEnd(long offset, long end) {
    return Math.min(end, (offset / LogRange.OFFSETS + 1) * LogRange.OFFSETS);
  }

  private long first(String topic, int partition) {
    long[] before = logs.before().getOrDefault(topic, logs.ends().get(topic));
    return Math.max(before[partition], logs.starts().get(topic)[partition]);
  }

  private long offsets() {
    long all = 0;
    for (Map.Entry<String, long[]> topic : logs.ends().entrySet()) {
      for (int partition = 0; partition < topic.getValue().length; partition++) {
        all += Math.max(0, topic.getValue()[partition] - first(topic.getKey(), partition));
      }
    }
    return all;
  }
}
