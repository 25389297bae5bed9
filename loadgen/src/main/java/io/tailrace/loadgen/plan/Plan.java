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
 * What one worker will do, computed before any connection is made. A pure function of workload
 * file, driver file, run id, random seed and worker i of N, so every worker knows its part without
 * a coordinator.
 *
 * @param behaviour how clients behave, including the driver file's transactions
 */
public record Plan(
    Identity identity,
    Config config,
    Clients clients,
    PayloadPlan payload,
    Behaviour behaviour,
    Load load) {
  /** Which plan it is: of worker i, from 0, of N; the seed is that of payloads and keys. */
  public record Identity(
      String runId, int worker, int workers, long seed, String workloadName, String driverName) {}

  /**
   * Configuration of topics and clients. That of clients includes {@code bootstrap.servers}.
   *
   * @param producer configuration of every producer, without serializers
   * @param consumer configuration of every consumer, without deserializers and {@code group.id}
   */
  public record Config(
      short replicationFactor,
      Map<String, String> topic,
      Map<String, String> admin,
      Map<String, String> producer,
      Map<String, String> consumer) {}

  /**
   * All topics and groups of the run, also those that only other workers use, and this worker's
   * producers and consumers.
   */
  public record Clients(
      List<TopicPlan> topics,
      List<ProducerPlan> producers,
      List<ConsumerPlan> consumers,
      Map<String, GroupPlan> groups) {}

  /**
   * The load over time.
   *
   * @param phases phases with load, in order, without {@code probe} before and {@code drain} after
   *     them
   * @param drainTimeout how long consumers may take, after the last phase, to receive all
   *     acknowledged messages
   */
  public record Load(
      List<PhasePlan> phases, Optional<BacklogSpec> backlog, Duration drainTimeout) {}

  public String runId() {
    return identity.runId();
  }

  public int worker() {
    return identity.worker();
  }

  public int workers() {
    return identity.workers();
  }

  public long seed() {
    return identity.seed();
  }

  public List<TopicPlan> topics() {
    return clients.topics();
  }

  public List<ProducerPlan> producers() {
    return clients.producers();
  }

  public List<ConsumerPlan> consumers() {
    return clients.consumers();
  }

  public Map<String, GroupPlan> groups() {
    return clients.groups();
  }

  public List<PhasePlan> phases() {
    return load.phases();
  }

  public Optional<BacklogSpec> backlog() {
    return load.backlog();
  }

  public Duration drainTimeout() {
    return load.drainTimeout();
  }

  /**
   * Whether brokers acknowledge messages. With {@code acks=0} they do not: a message counts as sent
   * when it is handed to the socket, and its offset is unknown.
   */
  public boolean acknowledged() {
    return !config.producer().getOrDefault("acks", "all").strip().equals("0");
  }

  /** A copy with the same consumers in renamed groups and without producers. */
  public Plan readOnly(UnaryOperator<String> groupName) {
    List<ConsumerPlan> renamed =
        consumers().stream()
            .map(
                self ->
                    new ConsumerPlan(
                        self.consumer(),
                        self.subscription(),
                        self.topic(),
                        groupName.apply(self.groupId())))
            .toList();
    Clients readers = new Clients(topics(), List.of(), renamed, Map.of());
    return new Plan(identity, config, readers, payload, behaviour, load);
  }

  /**
   * A topic.
   *
   * @param partitions number of partitions; 0 for an existing topic, whose number the broker knows
   * @param existing whether the topic exists before the run and stays after it; other topics are
   *     created for the run and deleted afterwards
   * @param written whether the run sends to it, from any worker
   * @param copyOf the topic of the run whose messages another program copies to it
   */
  public record TopicPlan(
      String name, int partitions, boolean existing, boolean written, Optional<String> copyOf) {
    /** A topic that is no copy. */
    public TopicPlan(String name, int partitions, boolean existing, boolean written) {
      this(name, partitions, existing, written, Optional.empty());
    }

    /** Whether all its messages are of this run. */
    public boolean owned() {
      return written || copyOf.isPresent();
    }
  }

  /**
   * One producer.
   *
   * @param producer number over the whole run, from 0
   * @param share share of the total rate; the shares of all producers of all workers add up to 1
   * @param offsetShare position of the first message in its interval, 0 ≤ x &lt; 1, so that
   *     producers do not send simultaneously
   * @param messages number of messages in the measure phase, its part of a bounded volume; empty if
   *     the rate decides
   */
  public record ProducerPlan(
      int producer, String topic, double share, double offsetShare, OptionalLong messages) {}

  /** One consumer, numbered over the whole run, of one topic and one of its groups, all from 0. */
  public record ConsumerPlan(int consumer, int subscription, String topic, String groupId) {}

  /** A consumer group: the one topic it reads, and its members over all workers. */
  public record GroupPlan(String topic, int consumers) {}

  /**
   * The message values. Message n of a producer is one of the bodies, chosen at random if there are
   * several, and cut to a random size from {@code sizes} if given.
   *
   * @param bodies one or more; the first bytes are overwritten by the header of each message
   * @param sizes sizes up to that of the shortest body; empty for whole bodies
   */
  public record PayloadPlan(List<byte[]> bodies, Optional<SizeSpec> sizes, String description) {
    public PayloadPlan {
      bodies = List.copyOf(bodies);
    }

    public double meanBytes() {
      return sizes
          .map(SizeSpec::mean)
          .orElseGet(() -> bodies.stream().mapToInt(body -> body.length).average().orElseThrow());
    }
  }
}
