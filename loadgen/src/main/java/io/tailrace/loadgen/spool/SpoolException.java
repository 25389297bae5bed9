// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

/** A folder cannot be used as a spool. The message is one line that names the remedy. */
public final class SpoolException extends Exception {
  private static final long serialVersionUID = 1L;

  SpoolException(String oneLine) {
    super(oneLine);
  }

  SpoolException(String oneLine, Throwable cause) {
    super(oneLine, cause);
  }
}
