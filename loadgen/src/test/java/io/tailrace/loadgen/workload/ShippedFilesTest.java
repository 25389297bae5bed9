// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.kafka.KafkaConfigNames;
import io.tailrace.loadgen.workload.Vary.DriverChanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every file under workloads/ can be run. */
class ShippedFilesTest {
  private static final Path ROOM = Path.of("..", "workloads");

  static List<Path> workloads() throws IOException {
    return yamlFiles(ROOM);
  }

  static List<Path> drivers() throws IOException {
    return yamlFiles(ROOM.resolve("drivers"));
  }

  @ParameterizedTest
  @MethodSource("workloads")
  void workloadIsValid(Path file) {
    Problems problems = new Problems();
    assertThat(Campaign.read(file, problems)).isPresent();
    Campaign.read(file, problems)
        .ifPresent(campaign -> campaign.workload(0, Dialect.Hint.NONE, problems));
    assertThat(problems.all()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("drivers")
  void driverIsValid(Path file) {
    Problems problems = new Problems();
    assertThat(Driver.read(file, DriverChanges.NONE, true, new KafkaConfigNames(), problems))
        .isPresent();
    assertThat(problems.all()).isEmpty();
  }

  private static List<Path> yamlFiles(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList();
    }
  }
}
