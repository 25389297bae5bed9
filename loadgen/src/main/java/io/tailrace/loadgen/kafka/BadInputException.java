// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

/**
 * The run cannot start because of its input: a broker that does not answer, a replication factor
 * above the broker count, a topic that exists. The message is one line: what, where, remedy.
 */
public final class BadInputException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public BadInputException(String oneLine) {
    super(oneLine);
  }

  public BadInputException(String oneLine, Throwable cause) {
    super(oneLine, cause);
  }
}
