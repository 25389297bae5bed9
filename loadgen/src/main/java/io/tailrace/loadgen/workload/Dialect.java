// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

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

  /** How long it warms up where the file does not say. */
  Duration warmup() {
    return Duration.ofMinutes(this == REDPANDA || this == VANLIGHTLY ? 30 : 1);
  }

  /** The one with this label. */
  public static Optional<Dialect> labelled(String label) {
    return Arrays.stream(values()).filter(each -> each.label.equals(label)).findFirst();
  }

  /** As files and reports write it. */
  public String label() {
    return label;
  }
}
