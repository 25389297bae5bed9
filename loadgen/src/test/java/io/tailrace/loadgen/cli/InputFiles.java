// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A valid workload and driver file in a folder. */
record InputFiles(Path workload, Path driver) {
  static InputFiles in(Path folder) throws IOException {
    String workload =
        """
        topics: 1
        partitionsPerTopic: 1
        messageSize: 100
        subscriptionsPerTopic: 1
        producersPerTopic: 1
        consumerPerSubscription: 1
        producerRate: 10
        testDuration: 1s
        """;
    return new InputFiles(
        Files.writeString(folder.resolve("workload.yaml"), workload),
        Files.writeString(folder.resolve("driver.yaml"), "replicationFactor: 1\n"));
  }
}
