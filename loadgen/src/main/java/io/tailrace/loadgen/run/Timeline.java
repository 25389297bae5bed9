// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.tailrace.loadgen.contract.EventKinds;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.record.EventRecorder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The phases of a run as they happen, each recorded as an event of kind {@code phase}. A phase
 * begins at its planned time, or now where that is unknown, and lasts until the next one; {@code
 * end} is not a phase.
 */
final class Timeline {
  static final String PROBE = "probe";
  static final String MEASURE = "measure";
  static final String DRAIN = "drain";
  private static final String END = "end";

  record Phase(
      String name,
      @JsonProperty("start_us") long startMicros,
      @JsonProperty("end_us") long endMicros) {}

  private record Mark(String name, long startMicros, Duration planned) {}

  private final NanoClock clock;
  private final EventRecorder events;
  private final Deque<Mark> planned = new ArrayDeque<>();
  private final List<Mark> entered = new ArrayList<>();

  Timeline(NanoClock clock, EventRecorder events) {
    this.clock = clock;
    this.events = events;
  }

  /** Plans a phase that follows those planned before. */
  void plan(String name, long startNanoTime, Duration atMost) {
    planned.add(new Mark(name, clock.epochMicros(startNanoTime), atMost));
  }

  /** Enters the planned phase whose time has come; returns whether it is the measure phase. */
  boolean advance() {
    boolean measuring = false;
    while (!planned.isEmpty() && planned.peek().startMicros() <= clock.epochMicros()) {
      enter(planned.remove());
      measuring |= current().equals(MEASURE);
    }
    return measuring;
  }

  /** Enters a phase now. Planned phases that were not entered yet are dropped. */
  void enter(String name, Duration atMost) {
    planned.clear();
    enter(new Mark(name, clock.epochMicros(), atMost));
  }

  /** Ends the last phase now, if there was one. */
  void end() {
    planned.clear();
    if (!entered.isEmpty()) {
      enter(new Mark(END, clock.epochMicros(), Duration.ZERO));
    }
  }

  boolean begun() {
    return !entered.isEmpty();
  }

  boolean over() {
    return current().equals(END);
  }

  /** Name of the current phase, or empty before the first. */
  String current() {
    return entered.isEmpty() ? "" : last().name();
  }

  Duration elapsed() {
    return Duration.ofNanos((clock.epochMicros() - last().startMicros()) * 1000);
  }

  /** How long the current phase was planned to last; for the drain, at most. */
  Duration planned() {
    return last().planned();
  }

  List<Phase> phases() {
    List<Phase> phases = new ArrayList<>();
    for (int i = 0; i + 1 < entered.size(); i++) {
      phases.add(
          new Phase(
              entered.get(i).name(),
              entered.get(i).startMicros(),
              entered.get(i + 1).startMicros()));
    }
    return phases;
  }

  private void enter(Mark mark) {
    entered.add(mark);
    events.event(mark.startMicros(), EventKinds.PHASE, mark.name(), "");
  }

  private Mark last() {
    return entered.get(entered.size() - 1);
  }
}
