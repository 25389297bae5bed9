// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

/** Exit statuses of the program. */
final class ExitCode {
  static final int OK = 0;
  static final int FAILED = 1;
  static final int BAD_INPUT = 2;

  /** As a shell reports a program that SIGINT ended; also used for SIGTERM. */
  static final int INTERRUPTED = 130;

  private ExitCode() {}
}
