// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import java.util.function.LongSupplier;

/** Running totals of messages, each read once a second from another thread. */
public record LiveCounters(
    LongSupplier sent, LongSupplier acked, LongSupplier failed, LongSupplier received) {
  /** Those of a process that neither sends nor receives. */
  public static final LiveCounters NONE = new LiveCounters(() -> 0, () -> 0, () -> 0, () -> 0);
}
