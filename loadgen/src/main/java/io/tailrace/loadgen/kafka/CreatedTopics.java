// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The topics that a run has created, in a file that exists as long as they do. From it the next run
 * knows what a killed run, or a broker that was down at the end, has left behind.
 *
 * @param topics topic ids by name; empty text where the brokers have none
 */
record CreatedTopics(
    @JsonProperty("run_id") String runId,
    @JsonProperty("cluster_id") String clusterId,
    @JsonProperty("topics") Map<String, String> topics) {
  private static final ObjectMapper JSON = new ObjectMapper();

  void write(Path file) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.write(file, JSON.writeValueAsBytes(this));
  }

  static CreatedTopics read(Path file) throws IOException {
    return JSON.readValue(Files.readAllBytes(file), CreatedTopics.class);
  }
}
