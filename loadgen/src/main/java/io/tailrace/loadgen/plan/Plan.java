// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import io.tailrace.loadgen.workload.Backlog.BacklogSpec;
import io.tailrace.loadgen.workload.Behaviour;
import io.tailrace.loadgen.workload.Messages.SizeSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

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
 * @param groups every group of the run by its id, also those that only other workers have consumers
 *     in
 * @param payload what message values are
 * @param behaviour how clients behave; transactions of the driver file included
 * @param phases phases with load, in order, {@code probe} before and {@code drain} after them not
 *     included
 * @param backlog what the backlog phases build and drain
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
    Map<String, GroupPlan> groups,
    PayloadPlan payload,
    Behaviour behaviour,
    List<PhasePlan> phases,
    Optional<BacklogSpec> backlog,
    Duration drainTimeout) {

  /**
   * Whether brokers tell of each message that they have it. With {@code acks=0} they do not: a
   * message's outcome is then that it was handed to the socket, and nobody knows its offset.
   */
  public boolean acknowledged() {
    return !producerConfig.getOrDefault("acks", "all").strip().equals("0");
  }

  /** The same consumers, in groups of other names, and no producers. */
  public Plan readOnly(UnaryOperator<String> groupName) {
    List<ConsumerPlan> renamed =
        consumers.stream()
            .map(
                self ->
                    new ConsumerPlan(
                        self.consumer(),
                        self.subscription(),
                        self.topic(),
                        groupName.apply(self.groupId())))
            .toList();
    return new Plan(
        runId,
        worker,
        workers,
        seed,
        workloadName,
        driverName,
        topics,
        replicationFactor,
        topicConfig,
        adminConfig,
        producerConfig,
        consumerConfig,
        List.of(),
        renamed,
        Map.of(),
        payload,
        behaviour,
        phases,
        backlog,
        drainTimeout);
  }

  /**
   * A topic.
   *
   * @param partitions its partitions; 0 for an existing topic: the broker knows
   * @param existing whether it is there before and stays after; others are made for the run and
   *     deleted after it
   */
  public record TopicPlan(String name, int partitions, boolean existing) {
    /** A topic to create before and delete after the run. */
    public TopicPlan(String name, int partitions) {
      this(name, partitions, false);
    }
  }

  /**
   * One producer.
   *
   * @param producer number over the whole run, from 0
   * @param topic the one topic it writes
   * @param share its share of the total rate; over all producers of all workers shares add up to 1
   * @param offsetShare where in one of its own intervals its first message lies, 0 ≤ x &lt; 1, so
   *     producers do not send in step
   * @param messages how many it sends in the measure phase, its part of a bounded volume; empty for
   *     as many as fall due
   */
  public record ProducerPlan(
      int producer, String topic, double share, double offsetShare, OptionalLong messages) {
    /** A producer that sends what falls due. */
    public ProducerPlan(int producer, String topic, double share, double offsetShare) {
      this(producer, topic, share, offsetShare, OptionalLong.empty());
    }
  }

  /**
   * One consumer.
   *
   * @param consumer number over the whole run, from 0
   * @param subscription consumer group of its topic, from 0
   * @param topic the one topic it reads
   * @param groupId Kafka consumer group, or share group
   */
  public record ConsumerPlan(int consumer, int subscription, String topic, String groupId) {}

  /**
   * A consumer group.
   *
   * @param topic the one topic it reads
   * @param consumers its members, over all workers
   */
  public record GroupPlan(String topic, int consumers) {}

  /**
   * What message values are. Message n of a producer takes one of the bodies, chosen from the seed
   * when there are several, cut to a size drawn from {@code sizes} when it is given.
   *
   * @param bodies one or more; the first bytes are overwritten by the header of each message
   * @param sizes sizes up to that of the shortest body; empty for bodies as they are
   * @param description what a user is told
   */
  public record PayloadPlan(List<byte[]> bodies, Optional<SizeSpec> sizes, String description) {
    public PayloadPlan {
      bodies = List.copyOf(bodies);
    }

    /** One value for every message. */
    public PayloadPlan(byte[] body) {
      this(List.of(body), Optional.empty(), "given");
    }

    /** The largest value in bytes. */
    public int mostBytes() {
      return sizes
          .map(SizeSpec::most)
          .orElseGet(() -> bodies.stream().mapToInt(body -> body.length).max().orElseThrow());
    }

    /** The mean value in bytes. */
    public double meanBytes() {
      return sizes
          .map(SizeSpec::mean)
          .orElseGet(() -> bodies.stream().mapToInt(body -> body.length).average().orElseThrow());
    }
  }
}
