// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * A valid driver file. The maps are sorted and cannot be changed.
 *
 * @param name label of the driver
 * @param replicationFactor replicas of every topic, 1 or more
 * @param topicConfig configuration of every topic
 * @param commonConfig configuration of all clients
 * @param producerConfig configuration of producers, over {@code commonConfig}
 * @param consumerConfig configuration of consumers, over {@code commonConfig}; may hold {@link
 *     #COMMIT_LINGER}
 * @param requestsPerTransaction messages in each transaction, as the Redpanda fork has it; empty
 *     for no transactions, unless the workload asks for them
 * @param notes what a reader of the file may not expect, a line each
 */
public record Driver(
    String name,
    short replicationFactor,
    Map<String, String> topicConfig,
    Map<String, String> commonConfig,
    Map<String, String> producerConfig,
    Map<String, String> consumerConfig,
    OptionalInt requestsPerTransaction,
    List<String> notes) {

  /**
   * The Redpanda and Vanlightly forks' key for milliseconds between asynchronous offset commits.
   */
  public static final String COMMIT_LINGER = "offsetCommitLingerMs";

  /** Where clients find the cluster. */
  public static final String BOOTSTRAP_SERVERS = "bootstrap.servers";

  public Driver {
    topicConfig = sorted(topicConfig);
    commonConfig = sorted(commonConfig);
    producerConfig = sorted(producerConfig);
    consumerConfig = sorted(consumerConfig);
    notes = List.copyOf(notes);
  }

  private static Map<String, String> sorted(Map<String, String> config) {
    return Collections.unmodifiableMap(new TreeMap<>(config));
  }
}
