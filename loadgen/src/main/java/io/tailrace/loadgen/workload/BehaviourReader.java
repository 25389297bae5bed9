// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.ArrivalSpec.Pattern;
import io.tailrace.loadgen.workload.ConsumeSpec.Groups;
import io.tailrace.loadgen.workload.ConsumeSpec.Processing;
import io.tailrace.loadgen.workload.ConsumeSpec.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;

/** Reads how clients behave. */
final class BehaviourReader {
  static final Set<String> BURST_KEYS = Set.of("bursts");
  static final Set<String> BURSTS_KEYS = Set.of("every", "lasting");
  static final Set<String> POOL_KEYS = Set.of("pool");
  static final Set<String> PROCESSING_KEYS = Set.of("mean", "distribution");
  static final Set<String> TRANSACTION_KEYS = Set.of("messages", "abortRatio");
  static final Set<String> ABORT_KEYS = Set.of("behind", "errorRate", "window");

  private static final Duration LEAST = Duration.ofMillis(1);
  private static final Duration WINDOW = Duration.ofSeconds(10);
  private static final Duration SAMPLE = Duration.ofSeconds(10);
  private static final int MOST_THREADS = 1_000;
  private static final int MOST_READS = 100;
  private static final int MOST_HEADERS = 1_000;
  private static final long MOST_MESSAGES = 1L << 53;
  private static final long MOST_MILLIS = 3_600_000;

  private final Fields fields;

  BehaviourReader(Fields fields) {
    this.fields = fields;
  }

  /**
   * @param meanBytes mean size of messages, for a volume in bytes
   */
  Behaviour read(RateSpec rate, double meanBytes) {
    return new Behaviour(
        rate,
        arrivals(),
        KeysReader.read(fields),
        headers(),
        volume(meanBytes),
        fields.flag("readToEnd").orElse(false),
        consume(),
        transactions(),
        abortWhen(),
        (int) fields.whole("traceOneIn", 0, Integer.MAX_VALUE).orElse(0),
        sampleEvery());
  }

  private ArrivalSpec arrivals() {
    if (fields.value("arrivals").orElse(null) instanceof YamlNode.Mapping) {
      return fields
          .section("arrivals", BURST_KEYS)
          .flatMap(arrivals -> arrivals.section("bursts", BURSTS_KEYS))
          .map(BehaviourReader::bursts)
          .orElse(ArrivalSpec.EVEN);
    }
    Map<String, ArrivalSpec> words =
        Map.of(
            "constant",
            ArrivalSpec.EVEN,
            "poisson",
            new ArrivalSpec(Pattern.POISSON, Duration.ZERO, Duration.ZERO));
    return fields.choice("arrivals", words).orElse(ArrivalSpec.EVEN);
  }

  private static ArrivalSpec bursts(Fields bursts) {
    Duration every = requiredDuration(bursts, "every");
    Duration lasting = requiredDuration(bursts, "lasting");
    if (lasting.compareTo(every) > 0) {
      bursts.add("lasting", "longer than every", "make it shorter");
    }
    return new ArrivalSpec(Pattern.BURSTS, every, lasting);
  }

  private static Duration requiredDuration(Fields fields, String key) {
    if (!fields.has(key)) {
      fields.add(key, "missing", "add " + key + ": 1s");
    }
    return fields.duration(key, LEAST).orElse(LEAST);
  }

  private Map<String, String> headers() {
    Map<String, String> headers = new LinkedHashMap<>();
    fields
        .section("headers", Set.of())
        .ifPresent(
            section -> {
              for (String name : section.keys()) {
                section.text(name).ifPresent(value -> headers.put(name, value));
              }
            });
    if (headers.size() > MOST_HEADERS) {
      fields.add("headers", "has " + headers.size(), "stay within " + MOST_HEADERS);
    }
    return headers;
  }

  private OptionalLong volume(double meanBytes) {
    OptionalLong messages = fields.whole("messages", 1, MOST_MESSAGES);
    OptionalLong bytes = Quantities.bytes(fields, "bytes", 1, Long.MAX_VALUE);
    if (fields.has("messages") && fields.has("bytes")) {
      fields.add("bytes", "given beside messages", "keep one of the two");
    }
    if (bytes.isEmpty()) {
      return messages;
    }
    double count = Math.ceil(bytes.getAsLong() / meanBytes);
    return OptionalLong.of((long) Math.min(count, MOST_MESSAGES));
  }

  private ConsumeSpec consume() {
    Groups groups =
        fields
            .choice("consumerType", Map.of("group", Groups.CONSUMER, "share", Groups.SHARE))
            .orElse(Groups.CONSUMER);
    Duration delay =
        Duration.ofSeconds(
            fields.whole("consumeDelaySeconds", 0, DurationText.LONGEST.toSeconds()).orElse(0));
    int pool = 0;
    Threads threads = Threads.ONE;
    if (fields.value("consumerThreads").orElse(null) instanceof YamlNode.Mapping) {
      threads = Threads.POOL;
      pool =
          fields
              .section("consumerThreads", POOL_KEYS)
              .map(section -> (int) section.required("pool", 1, MOST_THREADS).orElse(1))
              .orElse(1);
    } else {
      Map<String, Threads> words =
          Map.of("one", Threads.ONE, "perPartition", Threads.PER_PARTITION);
      threads = fields.choice("consumerThreads", words).orElse(Threads.ONE);
    }
    if (groups == Groups.SHARE && threads == Threads.PER_PARTITION) {
      fields.add(
          "consumerThreads", "members of share groups own no partitions", "write {pool: N} or one");
    }
    int warmupReads = (int) fields.whole("warmupReads", 0, MOST_READS).orElse(0);
    return new ConsumeSpec(groups, threads, pool, processing(), delay, warmupReads);
  }

  private Optional<Processing> processing() {
    if (!(fields.value("processingTime").orElse(null) instanceof YamlNode.Mapping)) {
      return fields.duration("processingTime", LEAST).map(mean -> new Processing(mean, false));
    }
    return fields
        .section("processingTime", PROCESSING_KEYS)
        .map(
            section ->
                new Processing(
                    requiredDuration(section, "mean"),
                    section
                        .choice("distribution", Map.of("constant", false, "exponential", true))
                        .orElse(false)));
  }

  private Optional<TransactionSpec> transactions() {
    return fields
        .section("transactions", TRANSACTION_KEYS)
        .map(
            section ->
                new TransactionSpec(
                    (int) section.required("messages", 1, Integer.MAX_VALUE).orElse(1),
                    Quantities.share(section, "abortRatio").orElse(0)));
  }

  private Optional<AbortSpec> abortWhen() {
    return fields
        .section("abortWhen", ABORT_KEYS)
        .map(
            section -> {
              Duration behind = section.duration("behind", LEAST).orElse(Duration.ZERO);
              OptionalDouble errorRate = Quantities.share(section, "errorRate");
              if (!section.has("behind") && !section.has("errorRate")) {
                fields.add("abortWhen", "says nothing", "add behind: 30s or errorRate: 1%");
              }
              Duration window = section.duration("window", Duration.ofSeconds(1)).orElse(WINDOW);
              return new AbortSpec(behind, errorRate, window);
            });
  }

  private Duration sampleEvery() {
    Optional<Duration> ours = fields.duration("sampleEvery", Duration.ofMillis(100));
    List<Duration> theirs = new ArrayList<>();
    for (String key : List.of("sampleRateMillis", "logIntervalMillis")) {
      fields.whole(key, 1, MOST_MILLIS).ifPresent(ms -> theirs.add(Duration.ofMillis(ms)));
      if (fields.has(key) && fields.has("sampleEvery")) {
        fields.add("sampleEvery", "given beside " + key, "keep one of the two");
      }
    }
    return theirs.stream().findFirst().or(() -> ours).orElse(SAMPLE);
  }
}
