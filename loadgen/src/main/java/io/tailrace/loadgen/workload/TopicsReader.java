// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads the topics of a run, with their partitions and clients. */
final class TopicsReader {
  static final Set<String> KEYS =
      Set.of(
          "name",
          "count",
          "partitions",
          "producers",
          "subscriptions",
          "consumers",
          "weight",
          "existing");

  private static final int MOST_TOPICS = 1_000_000;
  private static final int MOST_PARTITIONS = 100_000;
  private static final int MOST_CLIENTS = 100_000;
  private static final int MOST_SUBSCRIPTIONS = 1_000;
  private static final String TOPICS = "topics";
  private static final String PARTITIONS = "partitionsPerTopic";
  private static final String PRODUCERS = "producersPerTopic";
  private static final String SUBSCRIPTIONS = "subscriptionsPerTopic";
  private static final String CONSUMERS = "consumerPerSubscription";
  private static final List<String> EXISTING =
      List.of("existingTopicList", "existingProduceTopicList", "existingConsumeTopicList");
  private static final String RANDOM_NAMES = "randomTopicNames";
  private static final List<String> PER_TOPIC =
      List.of("partitionsPerTopicList", "producersPerTopicList", RANDOM_NAMES);
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,249}");

  private final Fields fields;

  TopicsReader(Fields fields) {
    this.fields = fields;
  }

  /** The topics; a placeholder after a problem, never none. */
  List<TopicSpec> read() {
    List<TopicSpec> topics;
    if (fields.value(TOPICS).orElse(null) instanceof YamlNode.Sequence) {
      refuseBeside(EXISTING, "a list of topics");
      refuseBeside(PER_TOPIC, "a list of topics");
      topics = listed();
    } else if (EXISTING.stream().anyMatch(fields::has)) {
      refuseBeside(PER_TOPIC, "lists of existing topics");
      topics = existing();
    } else {
      topics = counted();
    }
    return topics.isEmpty() ? List.of(like(1)) : topics;
  }

  /** One of two ways to name topics would be ignored. */
  private void refuseBeside(List<String> keys, String other) {
    for (String key : keys) {
      if (fields.value(key).filter(n -> !(n instanceof YamlNode.Nothing)).isPresent()) {
        fields.add(key, "given beside " + other, "keep one of the two");
      }
    }
  }

  private List<TopicSpec> counted() {
    int count = (int) fields.required(TOPICS, 1, MOST_TOPICS).orElse(1);
    TopicSpec one = like((int) fields.required(PARTITIONS, 1, MOST_PARTITIONS).orElse(1));
    List<Integer> partitions = perTopic(PER_TOPIC.get(0), 1, MOST_PARTITIONS, count);
    List<Integer> producers = perTopic(PER_TOPIC.get(1), 0, MOST_CLIENTS, count);
    boolean named = !fields.flag(RANDOM_NAMES).orElse(true);
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
              // AutoMQ's workers deal the rate to producers, not to topics.
              producers.isEmpty() ? 1 : Math.max(1, producers.get(i))));
    }
    return topics;
  }

  private List<TopicSpec> existing() {
    OptionalLong count = fields.whole(TOPICS, 0, MOST_TOPICS);
    if (count.orElse(0) > 0) {
      fields.add(
          TOPICS, "given beside lists of existing topics", "set it to 0 or remove the lists");
    }
    fields.whole(PARTITIONS, 0, MOST_PARTITIONS);
    TopicSpec like = like(0);
    Map<String, TopicSpec> topics = new LinkedHashMap<>();
    for (String key : EXISTING) {
      int producers = key.equals(EXISTING.get(2)) ? 0 : like.producers();
      int subscriptions = key.equals(EXISTING.get(1)) ? 0 : like.subscriptions();
      for (YamlNode node : fields.has(key) ? fields.list(key) : List.<YamlNode>of()) {
        name(fields, key, node)
            .map(name -> existing(name, producers, subscriptions, like))
            .ifPresent(topic -> topics.merge(topic.name().orElseThrow(), topic, this::both));
      }
    }
    return List.copyOf(topics.values());
  }

  private static TopicSpec existing(String name, int producers, int subscriptions, TopicSpec like) {
    int consumers = like.consumersPerSubscription();
    return new TopicSpec(Optional.of(name), 0, producers, subscriptions, consumers, true, 1);
  }

  /** A topic may be written by one list and read by another. */
  private TopicSpec both(TopicSpec a, TopicSpec b) {
    return new TopicSpec(
        a.name(),
        0,
        Math.max(a.producers(), b.producers()),
        Math.max(a.subscriptions(), b.subscriptions()),
        a.consumersPerSubscription(),
        true,
        1);
  }

  private List<TopicSpec> listed() {
    // What no item falls back on is judged all the same.
    fields.whole(PARTITIONS, 0, MOST_PARTITIONS);
    fields.whole(PRODUCERS, 0, MOST_CLIENTS);
    fields.whole(SUBSCRIPTIONS, 0, MOST_SUBSCRIPTIONS);
    fields.whole(CONSUMERS, 0, MOST_CLIENTS);
    List<TopicSpec> topics = new ArrayList<>();
    List<YamlNode> items = fields.list(TOPICS);
    for (int i = 0; i < items.size(); i++) {
      if (items.get(i) instanceof YamlNode.Mapping mapping) {
        Fields item = fields.item(TOPICS, i, mapping, KEYS);
        int count = (int) item.whole("count", 1, MOST_TOPICS).orElse(1);
        topics.addAll(Collections.nCopies(count, item(item, count)));
      } else {
        String what = "must be a mapping, not " + items.get(i).kind();
        fields.addAt(TOPICS, items.get(i), what, "write - {partitions: 16, producers: 1}");
      }
    }
    if (topics.size() > MOST_TOPICS) {
      fields.add(TOPICS, "makes " + topics.size() + " topics", "stay within " + MOST_TOPICS);
    }
    return topics;
  }

  private TopicSpec item(Fields item, int count) {
    boolean existing = item.flag("existing").orElse(false);
    Optional<String> name = item.value("name").flatMap(node -> name(item, "name", node));
    if (existing && !item.has("name")) {
      item.add("existing", "a topic that exists has a name", "add name: …");
    } else if (name.isPresent() && count > 1) {
      item.add("count", "given beside name", "remove one: names are unique");
    }
    if (existing && item.whole("partitions", 0, MOST_PARTITIONS).orElse(0) > 0) {
      item.add("partitions", "an existing topic has its own already", "remove it");
    }
    long partitions =
        existing
            ? item.whole("partitions", 0, MOST_PARTITIONS).orElse(0)
            : from(item, "partitions", PARTITIONS, 1, MOST_PARTITIONS);
    return new TopicSpec(
        name,
        existing ? 0 : (int) partitions,
        (int) from(item, "producers", PRODUCERS, 0, MOST_CLIENTS),
        (int) from(item, "subscriptions", SUBSCRIPTIONS, 0, MOST_SUBSCRIPTIONS),
        (int) from(item, "consumers", CONSUMERS, 0, MOST_CLIENTS),
        existing,
        item.number("weight", 1e-9, 1e9).orElse(1));
  }

  /** The item's own value, else the one for all topics, one of which must be there. */
  private long from(Fields item, String own, String ofAll, long least, long most) {
    if (item.has(own) || !fields.has(ofAll)) {
      return item.required(own, least, most).orElse(least);
    }
    return fields.whole(ofAll, least, most).orElse(least);
  }

  private TopicSpec like(int partitions) {
    return new TopicSpec(
        Optional.empty(),
        partitions,
        (int) fields.required(PRODUCERS, 0, MOST_CLIENTS).orElse(1),
        (int) fields.required(SUBSCRIPTIONS, 0, MOST_SUBSCRIPTIONS).orElse(1),
        (int) fields.required(CONSUMERS, 0, MOST_CLIENTS).orElse(1),
        false,
        1);
  }

  private List<Integer> perTopic(String key, int least, int most, int count) {
    if (!fields.has(key) || fields.value(key).orElseThrow() instanceof YamlNode.Nothing) {
      return List.of();
    }
    List<Integer> numbers = new ArrayList<>();
    for (YamlNode node : fields.list(key)) {
      numbers.add((int) fields.whole(key, node, least, most).orElse(least));
    }
    if (numbers.size() != count && !fields.isBad(key) && !fields.isBad(TOPICS)) {
      String what = "has " + numbers.size() + " entries for " + count + " topics";
      fields.add(key, what, "give one for each topic");
    }
    return fields.isBad(key) || numbers.size() != count ? List.of() : numbers;
  }

  private static Optional<String> name(Fields fields, String key, YamlNode node) {
    if (node instanceof YamlNode.Text text && NAME.matcher(text.value()).matches()) {
      return Optional.of(text.value());
    }
    String what = "no topic name: " + node.kind();
    fields.addAt(key, node, what, "use 1 to 249 of A-Z a-z 0-9 . _ -");
    return Optional.empty();
  }
}
