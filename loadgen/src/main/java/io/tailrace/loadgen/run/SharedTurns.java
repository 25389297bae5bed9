// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.kafka.Decisions;
import io.tailrace.loadgen.kafka.Decisions.Decision;
import io.tailrace.loadgen.pace.NanoClock;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * Turns that nobody can know beforehand, the same for all workers: worker 0 looks and decides, and
 * leaves word at the brokers; the others read it there. For one thread.
 */
final class SharedTurns {
  /** A turn lies this far ahead, so that every worker has read of it before it is there. */
  static final Duration LEAD = Duration.ofSeconds(2);

  /** So long after it would have decided itself, a worker no longer waits for worker 0. */
  static final Duration PATIENCE = Duration.ofSeconds(15);

  private static final long ASK_NANOS = Duration.ofMillis(300).toNanos();
  private static final int TRIES = 3;

  private final Decisions decisions;
  private final NanoClock clock;
  private final boolean leads;
  private long written;
  private long askedNanoTime = System.nanoTime() - ASK_NANOS;
  private Turn latest;

  SharedTurns(Decisions decisions, NanoClock clock, boolean leads) {
    this.decisions = decisions;
    this.clock = clock;
    this.leads = leads;
  }

  /**
   * What was decided.
   *
   * @param number counts up over the run
   * @param phase number of the phase that it is about, from 0
   * @param nanoTime reading of this worker's clock at which it takes effect
   * @param reached whether what the phase waited for has come
   * @param rate rate from then on where one is searched for, messages per second; else 0
   * @param found highest rate found to be followed so far; else 0
   */
  record Turn(long number, int phase, long nanoTime, boolean reached, double rate, double found) {}

  /** Whether this worker decides. */
  boolean leads() {
    return leads;
  }

  /** Tells the others. Where the brokers do not take it, they will decide by what they see. */
  void announce(int phase, long nanoTime, boolean reached, double rate, double found)
      throws InterruptedException {
    String text =
        String.format(
            Locale.ROOT,
            "%d %d %b %.3f %.3f",
            phase,
            clock.epochMicros(nanoTime),
            reached,
            rate,
            found);
    written++;
    for (int i = 0; i < TRIES && !decisions.write(new Decision(written, text)); i++) {
      Thread.sleep(100);
    }
  }

  /** The latest decision about a phase, as some 300 ms ago. */
  Optional<Turn> turn(int phase) {
    long now = System.nanoTime();
    if (now - askedNanoTime >= ASK_NANOS) {
      askedNanoTime = now;
      try {
        decisions.latest().ifPresent(this::read);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // the wait that follows notices it
      }
    }
    return Optional.ofNullable(latest).filter(turn -> turn.phase() == phase);
  }

  private void read(Decision decision) {
    if (latest != null && latest.number() == decision.number()) {
      return;
    }
    String[] parts = decision.text().split(" ");
    long micros = Long.parseLong(parts[1]);
    latest =
        new Turn(
            decision.number(),
            Integer.parseInt(parts[0]),
            clock.nanoTime() + (micros - clock.epochMicros()) * 1000,
            Boolean.parseBoolean(parts[2]),
            Double.parseDouble(parts[3]),
            Double.parseDouble(parts[4]));
  }
}
