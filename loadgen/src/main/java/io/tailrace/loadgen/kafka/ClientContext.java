// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.record.EventRecorder;
import io.tailrace.loadgen.record.Recorders;

/**
 * What all clients of a worker share.
 *
 * @param clock one clock for all times
 * @param recorders where messages and events are recorded
 * @param failures is notified of a client that can no longer do its part
 */
record ClientContext(NanoClock clock, Recorders recorders, FailureListener failures) {
  /** Records an event of the run, now. */
  void event(String kind, String name, String detail) {
    events().event(clock.epochMicros(), kind, name, detail);
  }

  EventRecorder events() {
    return recorders.events();
  }
}
