// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.ClientConfig.Owner;
import io.tailrace.loadgen.workload.Keys.KeySpec;
import io.tailrace.loadgen.workload.Payload.PayloadSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What message values are: their sizes, and what they are made of. */
public final class Messages {
  /** What message values are; for payload files the size spans the files' sizes. */
  public record MessageSpec(SizeSpec size, PayloadSpec payload) {
    /** Every message value begins with a header of this many bytes. */
    public static final int LEAST_BYTES = 28;
  }

  /**
   * How large message values are: a bucket is drawn by weight, then a size within it evenly.
   *
   * @param buckets one or more; one bucket of one size for a constant size
   */
  public record SizeSpec(List<Bucket> buckets) {
    /**
     * A range of sizes.
     *
     * @param least smallest size in bytes, at least {@link MessageSpec#LEAST_BYTES}
     * @param most largest size in bytes, inclusive
     * @param weight its weight against the other buckets, above 0
     */
    public record Bucket(int least, int most, double weight) {}

    public SizeSpec {
      buckets = List.copyOf(buckets);
    }

    public static SizeSpec of(int bytes) {
      return new SizeSpec(List.of(new Bucket(bytes, bytes, 1)));
    }

    /** The sizes of payload files, all equally likely. */
    private static SizeSpec of(PayloadSpec.Files files) {
      return new SizeSpec(
          files.files().stream()
              .map(file -> file.content().length)
              .map(length -> new Bucket(length, length, 1))
              .toList());
    }

    public boolean constant() {
      return buckets.size() == 1 && buckets.get(0).least() == buckets.get(0).most();
    }

    public double mean() {
      double sum = 0;
      double weights = 0;
      for (Bucket bucket : buckets) {
        sum += bucket.weight() * ((double) bucket.least() + bucket.most()) / 2;
        weights += bucket.weight();
      }
      return sum / weights;
    }

    public int most() {
      return buckets.stream().mapToInt(Bucket::most).max().orElseThrow();
    }
  }

  /** A batch adds at least this many bytes to the message in it. */
  private static final int BATCH_OVERHEAD = 61;

  static final int LEAST_BYTES = MessageSpec.LEAST_BYTES;

  private static final String TOPIC_LIMIT = "max.message.bytes";
  static final int MOST_BYTES = 128 << 20;
  private static final Kind<Double> WEIGHT = Kind.number(0, 1e15);

  private static final Key<Integer> SIZE =
      Key.omb("messageSize", Quantities.bytes(LEAST_BYTES, MOST_BYTES).map(Math::toIntExact))
          .means("bytes of each message value, 28 or more");
  private static final Key<Fields> SIZES =
      Key.of(
              "messageSizeDistribution",
              Kind.anyKeys(
                  1, Key.json("type", "number", "exclusiveMinimum", 0), "{\"100-1000\": weight}"),
              Dialect.OMB)
          .means("ranges of sizes with weights, even within a range");

  static final List<Key<?>> KEYS = Key.all(List.of(SIZE, SIZES), Payload.KEYS);

  private Messages() {}

  static MessageSpec read(Path file, Fields fields, boolean produces, List<String> notes) {
    Optional<SizeSpec> size = size(fields, notes);
    Optional<PayloadSpec> payload = Payload.read(file, fields, size, notes);
    if (payload.isPresent() && payload.get() instanceof PayloadSpec.Files files) {
      checkSizes(fields, files, size);
      return new MessageSpec(SizeSpec.of(files), files);
    }
    if (payload.isPresent() && produces && !fields.has(SIZES)) {
      fields.required(SIZE);
    }
    SizeSpec sizes = size.filter(s -> payload.isPresent()).orElse(SizeSpec.of(LEAST_BYTES));
    return new MessageSpec(sizes, payload.orElseGet(PayloadSpec.Generated::new));
  }

  private static void checkSizes(Fields fields, PayloadSpec.Files files, Optional<SizeSpec> size) {
    PayloadSpec.PayloadFile first = files.files().get(0);
    int length = first.content().length;
    if (fields.has(SIZES)) {
      String remedy = "keep one: a file has a size already";
      fields.add(SIZES, "cannot be combined with " + Payload.FILE.name(), remedy);
    } else if (files.files().size() == 1 && size.isPresent() && size.get().most() != length) {
      String what = " has " + length + " bytes but messageSize is " + size.get().most();
      fields.add(Payload.FILE, first.path() + what, "make the two equal");
    }
  }

  /** Empty without a valid size. */
  private static Optional<SizeSpec> size(Fields fields, List<String> notes) {
    Optional<SizeSpec> size = fields.read(SIZE).map(SizeSpec::of);
    return fields.has(SIZES) ? distribution(fields, notes) : size;
  }

  private static Optional<SizeSpec> distribution(Fields fields, List<String> notes) {
    YamlNode node = fields.value(SIZES).orElseThrow();
    if (!(node instanceof YamlNode.Mapping mapping) || mapping.entries().isEmpty()) {
      String what = "must be a mapping of sizes, not " + node.describe();
      fields.add(SIZES, what, "write \"100-1000\": 5 under it");
      return Optional.empty();
    }
    Fields sizes = fields.read(SIZES).orElseThrow();
    List<SizeSpec.Bucket> buckets = new ArrayList<>();
    for (String range : sizes.names()) {
      sizes
          .read(Key.below(range, WEIGHT))
          .flatMap(weight -> bucket(sizes, range, weight, notes))
          .ifPresent(buckets::add);
    }
    return buckets.isEmpty() ? Optional.empty() : Optional.of(new SizeSpec(buckets));
  }

  private static Optional<SizeSpec.Bucket> bucket(
      Fields sizes, String range, double weight, List<String> notes) {
    String[] ends = range.split("-", 2);
    Optional<Long> least = end(ends[0]);
    Optional<Long> most = end(ends[ends.length - 1]);
    if (least.isEmpty() || most.isEmpty() || least.get() > most.get()) {
      String remedy = "write it as \"100-1000\" or \"1KiB-4KiB\"";
      sizes.add(range, "not a range of sizes", remedy);
    } else if (most.get() < LEAST_BYTES || most.get() > MOST_BYTES) {
      String what = "must end from " + LEAST_BYTES + " to " + MOST_BYTES + " bytes";
      sizes.add(range, what, "every message begins with a header of " + LEAST_BYTES + " bytes");
    } else if (weight > 0) {
      if (least.get() < LEAST_BYTES) {
        String begins = ": begins at " + LEAST_BYTES + " bytes, the smallest size";
        notes.add(SIZES.name() + " " + range + begins);
      }
      int from = (int) Math.max(LEAST_BYTES, least.get());
      return Optional.of(new SizeSpec.Bucket(from, most.get().intValue(), weight));
    } else {
      sizes.add(range, "must be above 0", "remove the range");
    }
    return Optional.empty();
  }

  private static Optional<Long> end(String text) {
    String end = text.strip();
    return end.matches("\\d{1,12}") ? Optional.of(Long.parseLong(end)) : Quantities.bytes(end);
  }

  /** Refuses messages that are too large for the driver's clients and topics. */
  static void checkDriver(
      Workload workload, Driver driver, Fields fields, ClientConfig.Names names) {
    Map<String, String> producer = ClientConfig.of(driver, Owner.PRODUCER, names);
    checkLimit(workload, fields, producer, "max.request.size", 1 << 20);
    checkLimit(workload, fields, producer, "buffer.memory", 32 << 20);
    Map<String, String> topic = driver.topicConfig();
    boolean plain = producer.getOrDefault("compression.type", "none").strip().equals("none");
    if (plain && topic.containsKey(TOPIC_LIMIT)) {
      checkLimit(workload, fields, topic, TOPIC_LIMIT, Long.MAX_VALUE);
    }
  }

  /** Every send of a larger message would fail. */
  private static void checkLimit(
      Workload workload, Fields fields, Map<String, String> config, String name, long usual) {
    KeySpec keys = workload.behaviour().keys();
    int key = keys.choice() == KeySpec.Choice.NONE ? 0 : keys.bytes();
    int most = workload.message().size().most();
    long limit = ClientConfig.number(config, name).orElse(usual);
    if ((long) most + key + BATCH_OVERHEAD > limit) {
      String section = name.equals(TOPIC_LIMIT) ? "topicConfig" : "producerConfig";
      String what = most + " bytes do not fit the driver's " + name + " of " + limit;
      Key<?> size =
          List.of(SIZES, Payload.FILE).stream().filter(fields::has).findFirst().orElse(SIZE);
      fields.add(size, what, "raise it in " + section + ", or send smaller messages");
    }
  }
}
