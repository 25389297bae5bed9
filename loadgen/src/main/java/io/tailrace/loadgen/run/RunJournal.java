// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.record.EventRecorder;
import java.io.PrintStream;

/**
 * What a run keeps and prints about itself.
 *
 * @param clock times of events
 * @param events rows of {@code run_events}
 * @param timeline its phases
 * @param out progress lines and warnings, for people
 */
record RunJournal(NanoClock clock, EventRecorder events, Timeline timeline, PrintStream out) {
  /** Records an event now. */
  void event(String kind, String name, String detail) {
    events.event(clock.epochMicros(), kind, name, detail);
  }

  void print(String line) {
    out.println(line);
  }

  /** Records something that went wrong without ending the run, and prints it. */
  void warn(String name, String line) {
    event("error", name, line);
    print("warning: " + line);
  }
}
