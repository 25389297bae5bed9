// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Topics that a run has made, as a file that is there as long as they are: what a killed run, or a
 * broker that was away at the end, leaves behind is known to the next run.
 *
 * @param runId run
 * @param clusterId cluster, as its brokers call it
 * @param topics their ids by name, as the brokers gave them; empty text where they gave none
 */
record TopicNote(
    @JsonProperty("run_id") String runId,
    @JsonProperty("cluster_id") String clusterId,
    @JsonProperty("topics") Map<String, String> topics) {
  private static final ObjectMapper JSON = new ObjectMapper();

  void write(Path file) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.write(file, JSON.writeValueAsBytes(this));
  }

  static TopicNote read(Path file) throws IOException {
    return JSON.readValue(Files.readAllBytes(file), TopicNote.class);
  }
}
