// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.regex.Pattern;

/** The names of {@code driverClass} that stand for Kafka's protocol, OMB's and its forks'. */
final class DriverClass {
  private static final String DRIVERS = "io.openmessaging.benchmark.driver.";

  /** The package of the benchmark classes of Redpanda's fork. */
  static final String REDPANDA_PACKAGE = DRIVERS + "redpanda.";

  static final String SWARM = REDPANDA_PACKAGE + "swarm.RedpandaBenchmarkDriver";
  static final String TRANSACTIONS = REDPANDA_PACKAGE + "tx.RedpandaBenchmarkDriver";

  /** Kafka's protocol spoken to Pulsar: its own keys beside OMB's. */
  static final String KOP = DRIVERS + "kop.KopBenchmarkDriver";

  /** As JSON Schema has it; {@code gateway} is a package of several classes. */
  static final String PATTERN =
      "^io\\.openmessaging\\.benchmark\\.driver\\."
          + "(kafka\\.KafkaBenchmarkDriver|kop\\.KopBenchmarkDriver|gateway\\.[\\w.]+"
          + "|redpanda\\.(swarm\\.|tx\\.)?RedpandaBenchmarkDriver)$";

  private static final Pattern KAFKAS = Pattern.compile(PATTERN);

  private DriverClass() {}

  static boolean speaksKafka(String name) {
    return KAFKAS.matcher(name).matches();
  }
}
