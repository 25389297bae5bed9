// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

/** Entry point of the load generator. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    System.exit(0);
  }
}
