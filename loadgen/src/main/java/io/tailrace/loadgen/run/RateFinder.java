// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.pace.ConstantRate;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.pace.RateSchedule;
import io.tailrace.loadgen.record.EventRecorder;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/**
 * Offers rate after rate until a phase is over. Of several workers the first one judges, by what
 * all of them have brought into the logs, and the others offer what it says.
 */
final class RateFinder {
  /** A step's rate begins this far ahead, so that every producer hears of it before. */
  private static final Duration LEAD = Duration.ofMillis(250);

  // What other workers have sent is on its way for a while before the logs show it.
  private static final double ON_THE_WAY_S = 1;

  private final Load load;
  private final NanoClock clock;
  private final EventRecorder events;
  private final Waiter waiter;
  private final RunState state;
  private final PrintStream out;
  private final SharedTurns shared;
  private final RateSearch search = new RateSearch();
  private double told;

  /**
   * @param shared where the workers' common turns are kept, or null for a lone worker
   */
  RateFinder(
      Load load,
      NanoClock clock,
      EventRecorder events,
      Waiter waiter,
      RunState state,
      PrintStream out,
      SharedTurns shared) {
    this.load = load;
    this.clock = clock;
    this.events = events;
    this.waiter = waiter;
    this.state = state;
    this.out = out;
    this.shared = shared;
  }

  /** The highest rate followed so far, by this worker's search or by what it was told. */
  double found() {
    return told > 0 ? told : search.found();
  }

  /**
   * Offers rates until too little is left of the phase for another one.
   *
   * @param phase number of the phase
   * @param limit reading of the clock at which it ends
   */
  void find(int phase, RateSchedule course, long limit) throws InterruptedException {
    if (shared == null) {
      while (goesOn(limit, LEAD)) {
        step(course, clock.nanoTime() + LEAD.toNanos());
      }
    } else if (shared.leads()) {
      lead(phase, course, limit);
    } else {
      follow(phase, course, limit);
    }
    events.event(clock.epochMicros(), "rate", "found", String.format(Locale.ROOT, "%.1f", found()));
    out.println(String.format(Locale.ROOT, "rate found: %.0f messages/s", found()));
  }

  private boolean goesOn(long limit, Duration lead) {
    long step = RateSearch.STEP.plus(lead).plus(LEAD).toNanos();
    return limit - clock.nanoTime() > step && !state.ending();
  }

  /** One step of a lone worker. */
  private void step(RateSchedule course, long turn) throws InterruptedException {
    long acked = load.acked();
    long before = clock.nanoTime();
    double offered = offer(course, turn, search.rate());
    double groups = (double) load.groups().size() / load.topics().size();
    double perSecond = (load.acked() - acked) / ((clock.nanoTime() - before) / 1e9);
    search.step(load.behindNanos(), perSecond, load.backlog(), groups);
    tell(offered, perSecond);
  }

  private void lead(int phase, RateSchedule course, long limit) throws InterruptedException {
    SharedGroups all = load.shared().orElseThrow();
    long began = clock.nanoTime();
    long appendedBefore = all.appended();
    double due = 0;
    double rate = search.found();
    while (goesOn(limit, SharedTurns.LEAD)) {
      long turn = clock.nanoTime() + SharedTurns.LEAD.toNanos();
      shared.announce(phase, turn, false, search.rate(), found());
      long appended = all.appended();
      long from = clock.nanoTime();
      due += rate * (turn - began) / 1e9;
      rate = offer(course, turn, search.rate());
      began = turn;
      long appendedNow = all.appended();
      long now = clock.nanoTime();
      double perSecond = (appendedNow - appended) / ((now - from) / 1e9);
      double missing = due + rate * (now - turn) / 1e9 - (appendedNow - appendedBefore);
      double late = Math.max(load.behindNanos() / 1e9, missing / rate - ON_THE_WAY_S);
      search.step(
          (long) (Math.max(0, late) * 1e9), perSecond, load.backlog(), all.groupsPerTopic());
      tell(rate, perSecond);
    }
    shared.announce(phase, clock.nanoTime(), true, rate, found());
  }

  private void follow(int phase, RateSchedule course, long limit) {
    long[] done = new long[1];
    waiter.await(
        Duration.ofNanos(Math.max(0, limit - clock.nanoTime() - LEAD.toNanos())),
        () -> {
          shared
              .turn(phase)
              .filter(turn -> turn.number() != done[0])
              .ifPresent(
                  turn -> {
                    done[0] = turn.number();
                    told = turn.found();
                    if (!turn.reached()) {
                      long earliest = clock.nanoTime() + LEAD.toNanos();
                      begin(course, Math.max(turn.nanoTime(), earliest), turn.rate());
                    }
                  });
          return false;
        });
  }

  private double offer(RateSchedule course, long turn, double rate) throws InterruptedException {
    begin(course, turn, rate);
    long end = turn + RateSearch.STEP.toNanos();
    waiter.await(Duration.ofNanos(Math.max(0, end - clock.nanoTime())), () -> false);
    return rate;
  }

  private void begin(RateSchedule course, long turn, double rate) {
    course.endSegment(turn);
    course.append(new ConstantRate(rate), false);
    load.wakeProducers();
  }

  private void tell(double offered, double perSecond) {
    events.event(
        clock.epochMicros(),
        "rate",
        "discover",
        String.format(
            Locale.ROOT,
            "{\"offered\":%.1f,\"acked\":%.1f,\"found\":%.1f}",
            offered,
            perSecond,
            search.found()));
    out.println(
        String.format(
            Locale.ROOT,
            "rate search: offered %.0f/s, acked %.0f/s: %s",
            offered,
            perSecond,
            search.lastWord()));
  }
}
