// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

/**
 * The cluster, or a client setting, does not allow what the plan asks for. The message is one line
 * with a remedy.
 */
public final class UnusableClusterException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnusableClusterException(String oneLine, Throwable cause) {
    super(oneLine, cause);
  }
}
