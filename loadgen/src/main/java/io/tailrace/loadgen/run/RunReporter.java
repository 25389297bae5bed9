// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.contract.EventKinds;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.record.EventRecorder;
import java.io.PrintStream;
import java.util.Locale;

/**
 * Records and prints what happens to a run. Texts without arguments are taken as they are.
 *
 * @param events rows of {@code run_events}
 * @param out progress lines and warnings, for people
 */
record RunReporter(NanoClock clock, EventRecorder events, Timeline timeline, PrintStream out) {
  void event(String kind, String name, String detail, Object... args) {
    events.event(clock.epochMicros(), kind, name, text(detail, args));
  }

  void print(String line, Object... args) {
    out.println(text(line, args));
  }

  /** Records something that went wrong without ending the run, and prints it. */
  void warn(String name, String line, Object... args) {
    event(EventKinds.ERROR, name, line, args);
    print("warning: " + line, args);
  }

  private static String text(String format, Object... args) {
    return args.length == 0 ? format : String.format(Locale.ROOT, format, args);
  }
}
