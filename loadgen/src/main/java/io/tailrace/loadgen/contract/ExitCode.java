// SPDX-License-Identifier: Apache-2.0
// Generated from contracts/exit_codes.yaml by make contracts. Do not edit.
package io.tailrace.loadgen.contract;

/** Exit codes of the program. */
public final class ExitCode {
  /** Done. */
  public static final int OK = 0;

  /** A run or its audit failed. */
  public static final int FAILED = 1;

  /** Bad input: a file, an option or the machine must be put right first. */
  public static final int BAD_INPUT = 2;

  /** Interrupted by SIGINT or SIGTERM, as a shell reports it. */
  public static final int INTERRUPTED = 130;

  private ExitCode() {}
}
