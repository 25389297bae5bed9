// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Reads OMB's workload files, with Tailrace's keys beside OMB's. */
public final class WorkloadReader {
  private static final int MOST_TOPICS = 1_000_000;
  private static final int MOST_PARTITIONS = 100_000;
  private static final int MOST_CLIENTS = 100_000;
  private static final int MOST_OVER_ALL_TOPICS = 10_000_000;
  private static final int MOST_SUBSCRIPTIONS = 1_000;
  private static final int MOST_MESSAGE_BYTES = 128 << 20;
  private static final long MOST_RATE = 1_000_000_000L;
  private static final long MOST_MINUTES = DurationText.LONGEST.toMinutes();
  private static final long DEFAULT_SEED = 42;
  private static final Duration DEFAULT_DRAIN = Duration.ofSeconds(30);
  // A whole minute because OMB's default is one.
  private static final Duration DEFAULT_WARMUP = Duration.ofMinutes(1);
  private static final String NO_KEY = "NO_KEY";
  private static final List<String> KEY_DISTRIBUTORS =
      List.of(NO_KEY, "KEY_ROUND_ROBIN", "RANDOM_NANO");

  private final Path file;
  private final Fields fields;

  private WorkloadReader(Path file, Fields fields) {
    this.file = file;
    this.fields = fields;
  }

  /**
   * Reads a workload file and, when it names one, its payload file.
   *
   * @param problems takes every problem; when it got any, the workload returned is not to be used
   * @return empty when the file could not be read as YAML
   */
  public static Optional<Workload> read(Path file, Problems problems) {
    return YamlFile.read(file, problems)
        .map(root -> new Fields(file.toString(), root, KnownKeys.WORKLOAD, problems))
        .map(fields -> new WorkloadReader(file, fields).workload());
  }

  private Workload workload() {
    refuseWhatIsNotSupportedYet();
    int messageSize = whole("messageSize", Workload.LEAST_MESSAGE_BYTES, MOST_MESSAGE_BYTES);
    Workload workload =
        new Workload(
            fields.text("name").orElseGet(() -> FileStem.of(file)),
            whole("topics", 1, MOST_TOPICS),
            whole("partitionsPerTopic", 1, MOST_PARTITIONS),
            messageSize,
            new PayloadFileReader(file, fields).read("payloadFile", messageSize),
            whole("subscriptionsPerTopic", 1, MOST_SUBSCRIPTIONS),
            whole("producersPerTopic", 1, MOST_CLIENTS),
            whole("consumerPerSubscription", 1, MOST_CLIENTS),
            fields.rate("producerRate", MOST_RATE),
            duration("warmupDuration", "warmupDurationMinutes", Duration.ZERO)
                .orElse(DEFAULT_WARMUP),
            duration("testDuration", "testDurationMinutes", Duration.ofMillis(1))
                .orElseGet(this::missingTestDuration),
            fields.duration("drainTimeout", Duration.ZERO).orElse(DEFAULT_DRAIN),
            fields.optional("seed", DEFAULT_SEED, Long.MIN_VALUE, Long.MAX_VALUE));
    refuseTooMany(workload);
    return workload;
  }

  private int whole(String key, int least, int most) {
    return Math.toIntExact(fields.required(key, least, most));
  }

  private Optional<Duration> duration(String key, String minutesKey, Duration least) {
    Optional<Duration> ours = fields.duration(key, least);
    if (!fields.has(minutesKey)) {
      return ours;
    }
    if (ours.isPresent()) {
      fields.add(key, "given beside " + minutesKey, "keep one of the two");
    }
    long leastMinutes = least.isZero() ? 0 : 1;
    return Optional.of(
        Duration.ofMinutes(fields.optional(minutesKey, 1, leastMinutes, MOST_MINUTES)));
  }

  private Duration missingTestDuration() {
    fields.add("testDuration", "missing", "add testDuration: 60s or testDurationMinutes: N");
    return Duration.ofMillis(1);
  }

  private void refuseWhatIsNotSupportedYet() {
    List.of(
            "useRandomizedPayloads",
            "randomBytesRatio",
            "randomizedPayloadPoolSize",
            "consumerBacklogSizeGB")
        .forEach(fields::onlyOff);
    String distributor = fields.text("keyDistributor").orElse(NO_KEY);
    if (!KEY_DISTRIBUTORS.contains(distributor)) {
      String nearest = NearestName.of(distributor, KEY_DISTRIBUTORS);
      fields.add(
          "keyDistributor", "unknown value " + distributor, "the nearest known one is " + nearest);
    } else if (!distributor.equals(NO_KEY)) {
      fields.add("keyDistributor", distributor + " is not supported yet", "set it to NO_KEY");
    }
  }

  private void refuseTooMany(Workload w) {
    long producers = (long) w.topics() * w.producersPerTopic();
    long consumers = (long) w.topics() * w.subscriptionsPerTopic() * w.consumersPerSubscription();
    long partitions = (long) w.topics() * w.partitionsPerTopic();
    refuseAbove("producersPerTopic", "producers", producers);
    refuseAbove("consumerPerSubscription", "consumers", consumers);
    refuseAbove("partitionsPerTopic", "partitions", partitions);
  }

  private void refuseAbove(String key, String things, long count) {
    if (count > MOST_OVER_ALL_TOPICS) {
      String what = "makes " + count + " " + things + " over all topics";
      fields.add(key, what, "stay within " + MOST_OVER_ALL_TOPICS);
    }
  }
}
