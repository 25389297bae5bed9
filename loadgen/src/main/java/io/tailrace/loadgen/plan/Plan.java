// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * All that one worker will do, worked out before anything is connected. A pure function of workload
 * file, driver file, run id, seed and worker i of N, so every worker knows its part without a
 * coordinator.
 *
 * @param runId run this plan belongs to
 * @param worker this worker, from 0
 * @param workers number of workers
 * @param seed seed of payloads and keys
 * @param workloadName name of the workload
 * @param driverName name of the driver
 * @param topics all topics of the run, also those another worker uses
 * @param replicationFactor replication factor of every topic, 1 or more
 * @param topicConfig topic-level configuration given to the broker at creation
 * @param adminConfig configuration of the admin client, {@code bootstrap.servers} included
 * @param producerConfig configuration of every producer, {@code bootstrap.servers} included,
 *     serializers not
 * @param consumerConfig configuration of every consumer, {@code bootstrap.servers} included,
 *     deserializers and {@code group.id} not
 * @param producers producers of this worker
 * @param consumers consumers of this worker
 * @param payload what every message carries
 * @param phases phases with load, in order: {@code warmup} (left out when it lasts 0) and {@code
 *     measure}
 * @param drainTimeout how long to wait, after the last phase, for consumers to receive what was
 *     acknowledged
 */
public record Plan(
    String runId,
    int worker,
    int workers,
    long seed,
    String workloadName,
    String driverName,
    List<TopicPlan> topics,
    short replicationFactor,
    Map<String, String> topicConfig,
    Map<String, String> adminConfig,
    Map<String, String> producerConfig,
    Map<String, String> consumerConfig,
    List<ProducerPlan> producers,
    List<ConsumerPlan> consumers,
    PayloadPlan payload,
    List<PhasePlan> phases,
    Duration drainTimeout) {

  /** A topic to create before and delete after the run. */
  public record TopicPlan(String name, int partitions) {}

  /**
   * One producer.
   *
   * @param producer number over the whole run, from 0
   * @param topic the one topic it writes
   * @param share its share of the total rate; over all producers of all workers shares add up to 1
   * @param offsetShare where in one of its own intervals its first message lies, 0 ≤ x &lt; 1, so
   *     producers do not send in step
   */
  public record ProducerPlan(int producer, String topic, double share, double offsetShare) {}

  /**
   * One consumer.
   *
   * @param consumer number over the whole run, from 0
   * @param subscription consumer group of its topic, from 0
   * @param topic the one topic it reads
   * @param groupId Kafka consumer group
   */
  public record ConsumerPlan(int consumer, int subscription, String topic, String groupId) {}

  /**
   * What every message's value is.
   *
   * @param bytes size of the value, at least {@code PayloadHeader.BYTES}
   * @param template {@code bytes} bytes; the first ones are overwritten by the header of each
   *     message
   */
  public record PayloadPlan(int bytes, byte[] template) {}

  /**
   * A phase with load.
   *
   * @param name {@code warmup} or {@code measure}
   * @param duration how long
   * @param messagesPerSecond total rate over all workers
   */
  public record PhasePlan(String name, Duration duration, double messagesPerSecond) {}
}
