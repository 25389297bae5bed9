// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.record.EventRecorder;
import io.tailrace.loadgen.record.Recorders;

/** What all clients of a worker share. */
record ClientContext(NanoClock clock, Recorders recorders, FailureListener failures) {
  /** Records an event of the run, now. */
  void event(String kind, String name, String detail) {
    events().event(clock.epochMicros(), kind, name, detail);
  }

  EventRecorder events() {
    return recorders.events();
  }
}
