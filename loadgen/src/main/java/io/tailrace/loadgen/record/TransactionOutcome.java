// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

import java.util.Locale;

/** What is known about a transaction when its producer has ended it or given it up. */
public enum TransactionOutcome {
  /** The broker confirmed the commit. */
  COMMITTED,
  /** The broker confirmed the abort. */
  ABORTED,
  /** The broker confirmed neither: either all of its messages are committed, or none. */
  IN_DOUBT;

  private final String text = name().toLowerCase(Locale.ROOT);

  /** The outcome as rows and events have it. */
  public String text() {
    return text;
  }
}
