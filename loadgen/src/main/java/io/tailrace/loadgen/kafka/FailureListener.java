// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

/** Is notified of every client that can no longer do its part. */
@FunctionalInterface
public interface FailureListener {
  /** Called once or more per client, on any thread; returns at once. */
  void failed(String client, Throwable cause);
}
