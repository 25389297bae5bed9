// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * A valid workload file.
 *
 * @param name label of the workload
 * @param topics topics, 1 or more
 * @param partitionsPerTopic partitions of every topic, 1 or more
 * @param messageSize bytes of every message value, at least {@link #LEAST_MESSAGE_BYTES}
 * @param payload what to send, or empty to make it from the seed
 * @param subscriptionsPerTopic consumer groups of every topic, 1 or more
 * @param producersPerTopic producers of every topic, 1 or more
 * @param consumersPerSubscription consumers of every group, 1 or more
 * @param producerRate messages per second over all producers, above 0
 * @param warmup length of the warm-up, which may be 0
 * @param test length of the measured phase, above 0
 * @param drainTimeout longest wait for consumers after the last message
 * @param seed seed of everything random
 */
public record Workload(
    String name,
    int topics,
    int partitionsPerTopic,
    int messageSize,
    Optional<PayloadFile> payload,
    int subscriptionsPerTopic,
    int producersPerTopic,
    int consumersPerSubscription,
    double producerRate,
    Duration warmup,
    Duration test,
    Duration drainTimeout,
    long seed) {

  /** Every message value begins with a header of this many bytes. */
  public static final int LEAST_MESSAGE_BYTES = 24;

  /**
   * A payload file.
   *
   * @param path the file that was read
   * @param content its bytes, as many as the message size
   */
  public record PayloadFile(Path path, byte[] content) {}
}
