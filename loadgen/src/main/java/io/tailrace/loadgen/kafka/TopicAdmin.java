// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.workload.Consume.ConsumeSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** A run's cluster, through Kafka's admin client. Every call has a bound. */
public final class TopicAdmin implements AutoCloseable {
  private static final Duration REACH = Duration.ofSeconds(10);
  private static final Duration REQUEST = Duration.ofSeconds(30);

  /** How long a broker may take to learn of a topic that was created just now. */
  private static final Duration LEARN_OF_TOPIC = Duration.ofSeconds(2);

  private static final long POLL_MILLIS = 50;

  private final Plan plan;
  private final Admin client;

  private TopicAdmin(Plan plan, Admin client) {
    this.plan = plan;
    this.client = client;
  }

  /** Connects, within 10 s, and checks that the cluster can hold the plan's topics. */
  public static TopicAdmin connect(Plan plan) throws InterruptedException {
    Map<String, Object> config = new HashMap<>(plan.config().admin());
    ClientIdentity.set(config, plan.runId() + "-admin");
    Admin client;
    try {
      client = Admin.create(config);
    } catch (KafkaException e) {
      throw ClientErrors.refused("commonConfig", e);
    }
    TopicAdmin admin = new TopicAdmin(plan, client);
    try {
      admin.checkBrokers();
      return admin;
    } catch (RuntimeException | InterruptedException e) {
      admin.close();
      throw e;
    }
  }

  /** Partitions of every topic of the plan, by topic, in the plan's order; all must exist. */
  public Map<String, Integer> partitions() throws InterruptedException {
    Map<String, Integer> partitions = new LinkedHashMap<>();
    plan.topics().forEach(topic -> partitions.put(topic.name(), topic.partitions()));
    DescribeTopicsOptions options = new DescribeTopicsOptions().timeoutMs((int) REQUEST.toMillis());
    long deadline = System.nanoTime() + LEARN_OF_TOPIC.toNanos();
    Set<String> missing =
        plan.topics().stream()
            .filter(Plan.TopicPlan::existing)
            .map(Plan.TopicPlan::name)
            .collect(Collectors.toCollection(LinkedHashSet::new));
    while (!missing.isEmpty()) {
      boolean last = System.nanoTime() - deadline >= 0;
      for (Map.Entry<String, KafkaFuture<TopicDescription>> topic :
          client.describeTopics(List.copyOf(missing), options).topicNameValues().entrySet()) {
        try {
          partitions.put(topic.getKey(), get(topic.getValue(), REQUEST).partitions().size());
          missing.remove(topic.getKey());
        } catch (ExecutionException | TimeoutException e) {
          boolean unknown = e.getCause() instanceof UnknownTopicOrPartitionException;
          if (last || !unknown) {
            throw new BadInputException(
                "topic "
                    + topic.getKey()
                    + (unknown
                        ? ": does not exist; create it or correct its name"
                        : ": cannot be described: " + ClientErrors.reason(e)),
                e);
          }
        }
      }
      if (!missing.isEmpty()) {
        Thread.sleep(POLL_MILLIS);
      }
    }
    return partitions;
  }

  /** Creates and deletes the run's topics. The file names them while they exist; null for none. */
  public RunTopics topics(Path file) {
    return new RunTopics(plan, client, file);
  }

  /** Settings of the first topic that decide when a message is durable, as JSON, if known. */
  public Optional<String> durableSettings() throws InterruptedException {
    return TopicSettings.durable(client, plan.topics().get(0).name());
  }

  /** Settings that may delete messages, as JSON, by topic; empty when the brokers do not answer. */
  public Optional<Map<String, String>> deletingSettings() {
    return TopicSettings.deleting(
        client, plan.topics().stream().map(Plan.TopicPlan::name).toList());
  }

  public ShareGroups shareGroups() {
    return new ShareGroups(plan, client);
  }

  public LogOffsets offsets(Map<String, Integer> partitions) {
    return new LogOffsets(client, partitions);
  }

  public LeadersView leaders() {
    return new LeadersView(client, plan.topics().stream().map(Plan.TopicPlan::name).toList());
  }

  public GroupsView groups() {
    boolean share = plan.behaviour().consume().groups() == ConsumeSpec.Groups.SHARE;
    return share ? new ShareGroupsView(client) : new GroupsView(client);
  }

  private void checkBrokers() throws InterruptedException {
    DescribeClusterOptions options = new DescribeClusterOptions().timeoutMs((int) REACH.toMillis());
    int brokers;
    try {
      brokers = get(client.describeCluster(options).nodes(), REACH).size();
    } catch (ExecutionException | TimeoutException e) {
      throw new BadInputException(
          String.format(
              "bootstrap.servers: no broker answered at %s within %d s; start the broker or correct the address",
              plan.config().admin().get(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG),
              REACH.toSeconds()),
          e);
    }
    if (plan.config().replicationFactor() > brokers) {
      throw new BadInputException(
          String.format(
              "replicationFactor: %d is above the number of brokers, %d; lower it or add brokers",
              plan.config().replicationFactor(), brokers),
          null);
    }
  }

  /** Waits until every partition has a leader; another worker may have to create the topics. */
  public List<PartitionLeader> awaitLeaders(int partitions, Duration atMost)
      throws InterruptedException {
    List<String> names = plan.topics().stream().map(Plan.TopicPlan::name).toList();
    long deadline = System.nanoTime() + atMost.toNanos();
    while (System.nanoTime() - deadline < 0) {
      try {
        DescribeTopicsOptions options =
            new DescribeTopicsOptions().timeoutMs((int) REQUEST.toMillis());
        List<PartitionLeader> leaders =
            LeadersView.leaders(
                    get(client.describeTopics(names, options).allTopicNames(), REQUEST).values())
                .stream()
                .filter(leader -> leader.leader() >= 0)
                .toList();
        if (leaders.size() == partitions) {
          return leaders;
        }
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof RetriableException)) {
          throw new IllegalStateException(
              "topics cannot be described: " + ClientErrors.reason(e), e);
        }
        // A broker that has not learned of the new topic yet reports that it does not exist.
      } catch (TimeoutException e) {
        break;
      }
      Thread.sleep(POLL_MILLIS);
    }
    throw new IllegalStateException(
        "not every partition had a leader after " + atMost.toSeconds() + " s");
  }

  // Not in every version does the client's own timeout cover a broker that accepts a connection and
  // never answers.
  static <T> T get(KafkaFuture<T> future, Duration timeout)
      throws InterruptedException, ExecutionException, TimeoutException {
    return future.get(timeout.toMillis() + 1000, TimeUnit.MILLISECONDS);
  }

  /** The result of a call; empty when the brokers do not answer in time or report an error. */
  static <T> Optional<T> answer(KafkaFuture<T> future, Duration timeout)
      throws InterruptedException {
    try {
      return Optional.ofNullable(get(future, timeout));
    } catch (ExecutionException | TimeoutException e) {
      return Optional.empty();
    }
  }

  /** The same for a call that is repeated: the next wait notices an interrupt. */
  static <T> Optional<T> ask(KafkaFuture<T> future, Duration timeout) {
    try {
      return answer(future, timeout);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    client.close(Duration.ofSeconds(5));
  }
}
