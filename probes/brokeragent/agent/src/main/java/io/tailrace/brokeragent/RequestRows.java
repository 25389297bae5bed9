// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent;

/**
 * Takes the rows. All that the agent and the classes that ship rows, which it loads apart from the
 * broker's, know of each other. Implementations never block a thread of the broker.
 */
public interface RequestRows {
  /** Called by the network thread that sent the response; the row is valid until it returns. */
  void write(RequestRow row);

  /** A request of this client is not recorded, because too many are in flight. */
  void missed(String clientId);

  /** Nothing is recorded from now on. */
  void ended();
}
