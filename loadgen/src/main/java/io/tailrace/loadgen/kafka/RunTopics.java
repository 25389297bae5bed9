// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.plan.Plan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.DeleteTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Creates a run's topics and deletes them, its own and those that earlier runs have left. */
public final class RunTopics {
  private static final Duration DELETE = Duration.ofSeconds(10);
  private static final Duration CREATE = Duration.ofSeconds(30);

  private final Plan plan;
  private final Admin client;
  private final Path file;
  private final Map<String, String> created = new LinkedHashMap<>();

  RunTopics(Plan plan, Admin client, Path file) {
    this.plan = plan;
    this.client = client;
    this.file = file;
  }

  /** Creates the plan's topics. Those created before a failure are deleted by {@link #delete()}. */
  public void create() throws InterruptedException {
    List<NewTopic> topics =
        plan.topics().stream().filter(topic -> !topic.existing()).map(this::newTopic).toList();
    CreateTopicsOptions options = new CreateTopicsOptions().timeoutMs((int) CREATE.toMillis());
    CreateTopicsResult result = client.createTopics(topics, options);
    RuntimeException failure = null;
    for (Map.Entry<String, KafkaFuture<Void>> topic : result.values().entrySet()) {
      try {
        TopicAdmin.get(topic.getValue(), CREATE);
        created.put(topic.getKey(), id(result, topic.getKey()));
      } catch (ExecutionException | TimeoutException e) {
        failure = failure == null ? notCreated(topic.getKey(), e) : failure;
      }
    }
    writeFile();
    if (failure != null) {
      throw failure;
    }
  }

  private NewTopic newTopic(Plan.TopicPlan topic) {
    return new NewTopic(
            topic.name(),
            Optional.of(topic.partitions()),
            Optional.of(plan.config().replicationFactor()))
        .configs(plan.config().topic());
  }

  /** Empty where the brokers have no topic ids. */
  private static String id(CreateTopicsResult result, String topic) throws InterruptedException {
    return TopicAdmin.answer(result.topicId(topic), CREATE)
        .filter(id -> !id.equals(Uuid.ZERO_UUID))
        .map(Uuid::toString)
        .orElse("");
  }

  private static RuntimeException notCreated(String topic, Exception e) {
    if (e.getCause() instanceof TopicExistsException) {
      return new BadInputException(
          "topic " + topic + ": exists already; delete it or give the run another id", e);
    }
    if (e.getCause() instanceof ApiException && !(e.getCause() instanceof RetriableException)) {
      String line = "topic %s: the broker refused it: %s; correct the driver's topicConfig";
      return new BadInputException(line.formatted(topic, ClientErrors.reason(e)), e);
    }
    return new IllegalStateException(
        "topic " + topic + " was not created: " + ClientErrors.reason(e), e);
  }

  private void writeFile() throws InterruptedException {
    if (file != null && !created.isEmpty()) {
      try {
        new CreatedTopics(plan.runId(), clusterId(), created).write(file);
      } catch (IOException e) {
        throw new IllegalStateException("cannot write the topics to " + file + ": " + e, e);
      }
    }
  }

  private String clusterId() throws InterruptedException {
    return TopicAdmin.answer(client.describeCluster().clusterId(), DELETE).orElse("");
  }

  /** Deletes the topics this object created, once; returns why some still exist. */
  public Optional<String> delete() throws InterruptedException {
    List<String> topics = List.copyOf(created.keySet());
    created.clear();
    if (topics.isEmpty()) {
      return Optional.empty();
    }
    Optional<String> why = delete(TopicCollection.ofTopicNames(topics));
    if (why.isEmpty()) {
      deleteFile(file);
      return why;
    }
    String later = file == null ? "" : "; the next run on this cluster deletes them";
    return why.map(
        reason -> "topics " + String.join(", ", topics) + " were not deleted: " + reason + later);
  }

  private Optional<String> delete(TopicCollection topics) throws InterruptedException {
    try {
      DeleteTopicsOptions options = new DeleteTopicsOptions().timeoutMs((int) DELETE.toMillis());
      TopicAdmin.get(client.deleteTopics(topics, options).all(), DELETE);
      return Optional.empty();
    } catch (ExecutionException | TimeoutException e) {
      boolean gone =
          e.getCause() instanceof UnknownTopicOrPartitionException
              || e.getCause() instanceof UnknownTopicIdException;
      return gone ? Optional.empty() : Optional.of(ClientErrors.reason(e));
    }
  }

  /**
   * Deletes the topics that an earlier run has left on this cluster; the file of another cluster is
   * ignored. A topic that was created again under the same name has another id and is kept. Returns
   * what was done, in one line; empty for nothing.
   */
  public Optional<String> deleteLeft(Path left) throws InterruptedException {
    try {
      CreatedTopics found = CreatedTopics.read(left);
      if (found.clusterId().isEmpty() || !found.clusterId().equals(clusterId())) {
        return Optional.empty();
      }
      int deleted = 0;
      List<String> others = new ArrayList<>();
      for (Map.Entry<String, String> topic : found.topics().entrySet()) {
        Optional<String> why = deleteOne(found, topic);
        deleted += why.isEmpty() ? 1 : 0;
        why.ifPresent(reason -> others.add(topic.getKey() + " (" + reason + ")"));
      }
      deleteFile(left);
      String line = "run " + found.runId() + " had left its topics: " + deleted + " deleted";
      return Optional.of(
          others.isEmpty() ? line : line + "; delete by hand: " + String.join(", ", others));
    } catch (IOException e) {
      return Optional.of("file of topics " + left + " cannot be read: " + e.getMessage());
    }
  }

  private Optional<String> deleteOne(CreatedTopics found, Map.Entry<String, String> topic)
      throws InterruptedException {
    if (topic.getKey().startsWith(found.runId() + "-")) {
      return delete(TopicCollection.ofTopicNames(List.of(topic.getKey())));
    }
    return topic.getValue().isEmpty()
        ? Optional.of("the brokers have no ids that distinguish it from another topic of its name")
        : delete(TopicCollection.ofTopicIds(List.of(Uuid.fromString(topic.getValue()))));
  }

  private static void deleteFile(Path file) {
    if (file == null) {
      return;
    }
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // The next run finds nothing to delete and tries again.
    }
  }
}
