// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

/** Running totals of messages, read once a second from another thread. */
public interface LiveCounters {
  long sent();

  long acked();

  long failed();

  long received();
}
