// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.Topics.TopicSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Topics one by one: Tailrace's list of {@code topics}, and Redpanda's lists of existing ones. */
final class TopicLists {
  static final int MOST_TOPICS = 1_000_000;

  static final Kind<Integer> PARTITIONS = Kind.count(0, 100_000);
  static final Kind<Integer> CLIENTS = Kind.count(0, 100_000);
  static final Kind<Integer> GROUPS = Kind.count(0, 1_000);

  /** For topics that the run makes. */
  static final Kind<Integer> PARTITIONS_TO_MAKE = Kind.count(1, 100_000);

  private static final Pattern NAME_PATTERN = Pattern.compile("[A-Za-z0-9._-]{1,249}");
  private static final Kind<String> NAMES =
      new Kind<>(
          TopicLists::name,
          Key.json("type", "string", "pattern", "^" + NAME_PATTERN + "$"),
          "topic name",
          "…");

  private static final Key<String> NAME = Key.below("name", NAMES).means("name; default: made up");
  private static final Key<Integer> COUNT =
      Key.below("count", Kind.count(1, MOST_TOPICS)).means("number of topics like this; default 1");
  private static final Key<Integer> ITS_PARTITIONS =
      Key.below("partitions", PARTITIONS).means("its partitions; 0 only for an existing topic");
  private static final Key<Integer> PRODUCERS =
      Key.below("producers", CLIENTS).means("producers that write it");
  private static final Key<Integer> SUBSCRIPTIONS =
      Key.below("subscriptions", GROUPS).means("groups that read it");
  private static final Key<Integer> CONSUMERS =
      Key.below("consumers", CLIENTS).means("members of each group");
  private static final Key<Double> WEIGHT =
      Key.below("weight", Kind.number(1e-9, 1e9)).means("its weight in the total rate; default 1");
  private static final Key<Boolean> EXISTING =
      Key.below("existing", Kind.FLAG).means("whether it exists before and after the run");
  private static final Key<String> COPY_OF =
      Key.below("copyOf", NAMES)
          .means("the topic whose messages another program copies to it; no producer writes it");
  private static final List<Key<?>> ITEM_KEYS =
      List.of(
          NAME,
          COUNT,
          ITS_PARTITIONS,
          PRODUCERS,
          SUBSCRIPTIONS,
          CONSUMERS,
          WEIGHT,
          EXISTING,
          COPY_OF);

  static final Kind<List<YamlNode>> ITEMS = Kind.listOf(Kind.mapping(ITEM_KEYS));

  private static final Key<List<YamlNode>> BOTH =
      existing("existingTopicList", "existing topics to write and read");
  private static final Key<List<YamlNode>> WRITTEN =
      existing("existingProduceTopicList", "existing topics to write");
  private static final Key<List<YamlNode>> READ =
      existing("existingConsumeTopicList", "existing topics to read");

  static final List<Key<?>> KEYS = List.of(BOTH, WRITTEN, READ);

  private TopicLists() {}

  private static Key<List<YamlNode>> existing(String name, String meaning) {
    return Key.of(name, Kind.listOf(NAMES), Dialect.REDPANDA).means(meaning);
  }

  /** Topics that exist, by the lists that name them. */
  static List<TopicSpec> existing(Fields fields) {
    if (fields.read(Topics.TOPICS, Kind.count(0, MOST_TOPICS)).orElse(0) > 0) {
      String remedy = "set it to 0 or remove the lists";
      fields.add(Topics.TOPICS, "cannot be combined with lists of existing topics", remedy);
    }
    fields.read(Topics.PARTITIONS);
    TopicSpec template = Topics.template(fields, 0);
    Map<String, TopicSpec> topics = new LinkedHashMap<>();
    for (Key<List<YamlNode>> key : List.of(BOTH, WRITTEN, READ)) {
      int producers = key == READ ? 0 : template.producers();
      int subscriptions = key == WRITTEN ? 0 : template.subscriptions();
      for (YamlNode node : fields.read(key).orElse(List.of())) {
        name(fields, key.name(), node)
            .map(name -> existing(name, producers, subscriptions, template))
            .ifPresent(topic -> topics.merge(topic.name().orElseThrow(), topic, TopicLists::both));
      }
    }
    return List.copyOf(topics.values());
  }

  private static TopicSpec existing(
      String name, int producers, int subscriptions, TopicSpec template) {
    int consumers = template.consumersPerSubscription();
    return new TopicSpec(Optional.of(name), 0, producers, subscriptions, consumers, true, 1);
  }

  /** One list may name a topic to write, another to read. */
  private static TopicSpec both(TopicSpec a, TopicSpec b) {
    int producers = Math.max(a.producers(), b.producers());
    int subscriptions = Math.max(a.subscriptions(), b.subscriptions());
    return existing(a.name().orElseThrow(), producers, subscriptions, a);
  }

  static List<TopicSpec> listed(Fields fields) {
    // Values that no item needs must be valid too.
    List.of(Topics.PARTITIONS, Topics.PRODUCERS, Topics.SUBSCRIPTIONS, Topics.CONSUMERS)
        .forEach(fields::read);
    List<TopicSpec> topics = new ArrayList<>();
    String example = "{partitions: 16, producers: 1}";
    for (Fields item : fields.items(Topics.TOPICS, ITEMS, ITEM_KEYS, example)) {
      int count = item.read(COUNT).orElse(1);
      topics.addAll(Collections.nCopies(count, item(fields, item, count)));
    }
    if (topics.size() > MOST_TOPICS) {
      String what = "makes " + topics.size() + " topics";
      fields.add(Topics.TOPICS, what, "stay within " + MOST_TOPICS);
    }
    return topics;
  }

  private static TopicSpec item(Fields fields, Fields item, int count) {
    boolean existing = item.read(EXISTING).orElse(false);
    Optional<String> name = item.read(NAME);
    if (existing && !item.has(NAME)) {
      item.add(EXISTING, "an existing topic needs a name", "add name: …");
    } else if (name.isPresent() && count > 1) {
      item.add(COUNT, "cannot be combined with name", "remove one: names are unique");
    }
    if (existing && item.read(ITS_PARTITIONS).orElse(0) > 0) {
      item.add(ITS_PARTITIONS, "an existing topic has its own already", "remove it");
    }
    return new TopicSpec(
        name,
        existing ? 0 : own(item, ITS_PARTITIONS, fields, Topics.PARTITIONS, PARTITIONS_TO_MAKE),
        own(item, PRODUCERS, fields, Topics.PRODUCERS, CLIENTS),
        own(item, SUBSCRIPTIONS, fields, Topics.SUBSCRIPTIONS, GROUPS),
        own(item, CONSUMERS, fields, Topics.CONSUMERS, CLIENTS),
        existing,
        item.read(WEIGHT).orElse(1.0),
        item.read(COPY_OF));
  }

  /** The item's own value, else the one for all topics; one of them is required. */
  private static int own(
      Fields item, Key<Integer> key, Fields fields, Key<Integer> ofAll, Kind<Integer> kind) {
    return item.has(key) || !fields.has(ofAll)
        ? item.required(key, kind).orElse(0)
        : fields.read(ofAll, kind).orElse(0);
  }

  private static Optional<String> name(Fields fields, String key, YamlNode node) {
    if (node instanceof YamlNode.Text text && NAME_PATTERN.matcher(text.value()).matches()) {
      return Optional.of(text.value());
    }
    String remedy = "use 1 to 249 of A-Z a-z 0-9 . _ -";
    fields.addAt(key, node, "not a topic name: " + node.describe(), remedy);
    return Optional.empty();
  }
}
