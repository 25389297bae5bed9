// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The topics of a run, with their partitions and clients. */
public final class Topics {
  /**
   * One topic. Equal topics share one instance, so a million of them cost a list.
   *
   * @param name name of the topic; empty when the plan makes one up
   * @param partitions its partitions; 0 for an existing topic: the broker knows
   * @param producers producers that write it; 0 when it is only read
   * @param subscriptions consumer or share groups that read it; 0 when it is only written
   * @param consumersPerSubscription members of each group, 1 or more unless there is no group
   * @param existing whether it exists before the run and stays after it
   * @param weight its weight in the total rate against that of other topics, above 0
   * @param copyOf the topic of the same run whose messages another program copies to this one
   */
  public record TopicSpec(
      Optional<String> name,
      int partitions,
      int producers,
      int subscriptions,
      int consumersPerSubscription,
      boolean existing,
      double weight,
      Optional<String> copyOf) {
    /** A topic that is no copy. */
    public TopicSpec(
        Optional<String> name,
        int partitions,
        int producers,
        int subscriptions,
        int consumersPerSubscription,
        boolean existing,
        double weight) {
      this(
          name,
          partitions,
          producers,
          subscriptions,
          consumersPerSubscription,
          existing,
          weight,
          Optional.empty());
    }
  }

  static final String NO_PRODUCER = "no topic has a producer";
  static final String ADD_PRODUCER = "add a producer, or remove it";
  static final String NO_GROUP = "no topic has a subscription";
  static final String ADD_GROUP = "add a subscription, or remove it";

  private static final long MOST_OVER_ALL_TOPICS = 10_000_000;

  static final Key<YamlNode> TOPICS =
      Key.omb("topics", Kind.either(Kind.count(0, TopicLists.MOST_TOPICS), TopicLists.ITEMS))
          .means("number of topics, or a list of them");
  static final Key<Integer> PARTITIONS =
      Key.omb("partitionsPerTopic", TopicLists.PARTITIONS).means("partitions of each topic");
  static final Key<Integer> PRODUCERS =
      Key.omb("producersPerTopic", TopicLists.CLIENTS)
          .means("producers of each topic; 0 to only read existing topics");
  static final Key<Integer> SUBSCRIPTIONS =
      Key.omb("subscriptionsPerTopic", TopicLists.GROUPS)
          .means("consumer groups of each topic; 0 to only produce");
  static final Key<Integer> CONSUMERS =
      Key.omb("consumerPerSubscription", TopicLists.CLIENTS).means("members of each group");
  private static final Key<List<YamlNode>> PARTITIONS_LIST =
      Key.of(
              "partitionsPerTopicList",
              Kind.listOrEmpty(TopicLists.PARTITIONS_TO_MAKE),
              Dialect.AUTOMQ)
          .means("partitions, one entry per topic");
  private static final Key<List<YamlNode>> PRODUCERS_LIST =
      Key.of("producersPerTopicList", Kind.listOrEmpty(TopicLists.CLIENTS), Dialect.AUTOMQ)
          .means("producers, one entry per topic");
  private static final Key<Boolean> RANDOM_NAMES =
      Key.of("randomTopicNames", Kind.FLAG, Dialect.AUTOMQ)
          .means("false names the topics test-topic-0000000 and on; default true");

  static final List<Key<?>> KEYS =
      Key.all(
          List.of(
              TOPICS,
              PARTITIONS,
              PRODUCERS,
              SUBSCRIPTIONS,
              CONSUMERS,
              PARTITIONS_LIST,
              PRODUCERS_LIST,
              RANDOM_NAMES),
          TopicLists.KEYS);

  private Topics() {}

  /** The topics; a placeholder after a problem, never none. */
  static List<TopicSpec> read(Fields fields) {
    List<Key<?>> perTopic = List.of(PARTITIONS_LIST, PRODUCERS_LIST, RANDOM_NAMES);
    List<TopicSpec> topics;
    if (fields.value(TOPICS).orElse(null) instanceof YamlNode.Sequence) {
      refuseBeside(fields, TopicLists.KEYS, "a list of topics");
      refuseBeside(fields, perTopic, "a list of topics");
      topics = TopicLists.listed(fields);
    } else if (TopicLists.KEYS.stream().anyMatch(fields::has)) {
      refuseBeside(fields, perTopic, "lists of existing topics");
      topics = TopicLists.existing(fields);
    } else {
      topics = counted(fields);
    }
    return topics.isEmpty() ? List.of(template(fields, 1)) : topics;
  }

  /** One of two ways to state topics would have no effect. */
  private static void refuseBeside(Fields fields, List<Key<?>> keys, String other) {
    keys.stream()
        .filter(fields::hasValue)
        .forEach(key -> fields.add(key, "cannot be combined with " + other, "keep one of the two"));
  }

  private static List<TopicSpec> counted(Fields fields) {
    int count = fields.required(TOPICS, Kind.count(1, TopicLists.MOST_TOPICS)).orElse(1);
    Kind<Integer> some = TopicLists.PARTITIONS_TO_MAKE;
    TopicSpec one = template(fields, fields.required(PARTITIONS, some).orElse(1));
    List<Integer> partitions = perTopic(fields, PARTITIONS_LIST, some, count);
    List<Integer> producers = perTopic(fields, PRODUCERS_LIST, TopicLists.CLIENTS, count);
    boolean named = !fields.read(RANDOM_NAMES).orElse(true);
    if (partitions.isEmpty() && producers.isEmpty() && !named) {
      return Collections.nCopies(count, one);
    }
    List<TopicSpec> topics = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      topics.add(
          new TopicSpec(
              named ? Optional.of("test-topic-%07d".formatted(i)) : Optional.empty(),
              partitions.isEmpty() ? one.partitions() : partitions.get(i),
              producers.isEmpty() ? one.producers() : producers.get(i),
              one.subscriptions(),
              one.consumersPerSubscription(),
              false,
              // AutoMQ's workers divide the rate among producers, not among topics.
              producers.isEmpty() ? 1 : Math.max(1, producers.get(i))));
    }
    return topics;
  }

  /** One number for each topic; empty when the file has none, or after a problem. */
  private static List<Integer> perTopic(
      Fields fields, Key<List<YamlNode>> key, Kind<Integer> numbers, int count) {
    Optional<List<YamlNode>> items = fields.read(key);
    List<Integer> read = new ArrayList<>();
    items
        .orElse(List.of())
        .forEach(item -> numbers.read(fields, key.name(), item).ifPresent(read::add));
    if (items.isEmpty() || fields.isBad(key) || read.size() == count) {
      return fields.isBad(key) ? List.of() : read;
    }
    if (!fields.isBad(TOPICS)) {
      String what = "has " + read.size() + " entries for " + count + " topics";
      fields.add(key, what, "give one for each topic");
    }
    return List.of();
  }

  /** A topic with the clients that all topics have, and {@code partitions}. */
  static TopicSpec template(Fields fields, int partitions) {
    return new TopicSpec(
        Optional.empty(),
        partitions,
        fields.required(PRODUCERS).orElse(1),
        fields.required(SUBSCRIPTIONS).orElse(1),
        fields.required(CONSUMERS).orElse(1),
        false,
        1);
  }

  static void check(List<TopicSpec> topics, Fields fields) {
    checkCounts(topics, fields);
    checkClients(topics, fields);
    TopicCopies.check(topics, fields);
    Set<String> seen = new HashSet<>();
    topics.stream()
        .flatMap(topic -> topic.name().stream())
        .filter(name -> !seen.add(name))
        .findFirst()
        .ifPresent(name -> fields.add(TOPICS, "names " + name + " twice", "name each topic once"));
  }

  private static void checkCounts(List<TopicSpec> topics, Fields fields) {
    long producers = 0;
    long consumers = 0;
    long partitions = 0;
    for (TopicSpec topic : topics) {
      producers += topic.producers();
      consumers += (long) topic.subscriptions() * topic.consumersPerSubscription();
      partitions += topic.partitions();
    }
    refuseAboveLimit(fields, PRODUCERS, producers, "producers");
    refuseAboveLimit(fields, CONSUMERS, consumers, "consumers");
    refuseAboveLimit(fields, PARTITIONS, partitions, "partitions");
  }

  private static void refuseAboveLimit(Fields fields, Key<?> key, long count, String things) {
    if (count > MOST_OVER_ALL_TOPICS) {
      String what = "makes " + count + " " + things + " over all topics";
      fields.add(key, what, "stay within " + MOST_OVER_ALL_TOPICS);
    }
  }

  private static void checkClients(List<TopicSpec> topics, Fields fields) {
    if (topics.stream()
        .anyMatch(topic -> topic.subscriptions() > 0 && topic.consumersPerSubscription() == 0)) {
      String remedy = "set it to 1 or more, or have no subscriptions";
      fields.add(CONSUMERS, "a group without consumers", remedy);
    }
    if (fields.isBad(PRODUCERS) || fields.isBad(SUBSCRIPTIONS)) {
      return;
    }
    if (topics.stream().anyMatch(topic -> topic.producers() == 0 && topic.subscriptions() == 0)) {
      fields.add(PRODUCERS, "a topic without producers and subscriptions", "add a client to it");
    } else if (topics.stream()
        .anyMatch(
            topic -> topic.producers() == 0 && !topic.existing() && topic.copyOf().isEmpty())) {
      String what = "0 for a topic that the run makes leaves nothing to read";
      fields.add(PRODUCERS, what, "name existing topics, or add a producer");
    }
  }

  /** Whether no topic has a producer, so that whatever shapes what is sent has no effect. */
  static boolean withoutProducers(Workload workload, Fields fields) {
    return !workload.produces() && !fields.isBad(PRODUCERS);
  }

  /** Whether no topic has a subscription, so that whatever shapes what is read has no effect. */
  static boolean withoutGroups(Workload workload, Fields fields) {
    return !workload.consumes() && !fields.isBad(SUBSCRIPTIONS);
  }

  static void refuseWithoutProducers(Workload workload, Fields fields, Key<?> key) {
    if (withoutProducers(workload, fields) && fields.has(key)) {
      fields.addUnlessBad(key, NO_PRODUCER, ADD_PRODUCER);
    }
  }

  static void refuseWithoutGroups(Workload workload, Fields fields, Key<?> key) {
    if (withoutGroups(workload, fields) && fields.has(key)) {
      fields.addUnlessBad(key, NO_GROUP, ADD_GROUP);
    }
  }
}
