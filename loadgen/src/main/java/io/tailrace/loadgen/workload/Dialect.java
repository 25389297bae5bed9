// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

/** Whose meaning a workload file's fields have. */
public enum Dialect {
  OMB("omb"),
  REDPANDA("redpanda"),
  VANLIGHTLY("vanlightly"),
  AUTOMQ("automq"),
  TAILRACE("tailrace");

  private final String label;

  Dialect(String label) {
    this.label = label;
  }

  /** As files and reports write it. */
  public String label() {
    return label;
  }
}
