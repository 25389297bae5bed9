// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.ClientConfig.Owner;
import io.tailrace.loadgen.workload.Produce.ArrivalSpec.Pattern;
import io.tailrace.loadgen.workload.Rate.RateSpec;
import io.tailrace.loadgen.workload.Rate.RateSpec.Pacing;
import io.tailrace.loadgen.workload.Topics.TopicSpec;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** How producers send: arrivals around the rate, record headers, traces, transactions. */
public final class Produce {
  /**
   * How messages are spread in time around the rate, whose mean stays.
   *
   * @param every for {@link Pattern#BURSTS}: from the start of one burst to that of the next; else
   *     zero
   * @param lasting for {@link Pattern#BURSTS}: length of a burst, in which all messages of {@code
   *     every} come at even intervals; else zero
   */
  public record ArrivalSpec(Pattern pattern, Duration every, Duration lasting) {
    public enum Pattern implements Kind.Labelled {
      CONSTANT,
      POISSON,
      BURSTS
    }

    public static final ArrivalSpec EVEN =
        new ArrivalSpec(Pattern.CONSTANT, Duration.ZERO, Duration.ZERO);
  }

  /**
   * Transactions of producers.
   *
   * @param messages messages in each, 1 or more
   * @param abortRatio share of transactions, chosen by the random seed, that are aborted, 0 to 1
   * @param zombieRatio share of transactions in which a newer producer with the same transactional
   *     id begins, 0 to 1
   */
  public record TransactionSpec(int messages, double abortRatio, double zombieRatio) {
    /** Transactions without zombies. */
    public TransactionSpec(int messages, double abortRatio) {
      this(messages, abortRatio, 0);
    }
  }

  private static final int MOST_HEADERS = 1_000;
  private static final long TRANSACTION_TIMEOUT_MILLIS = 60_000;
  private static final String ISOLATION = "isolation.level";
  private static final Duration LEAST = Duration.ofMillis(1);

  private static final Key<Duration> EVERY =
      Key.below("every", Quantities.SOME_TIME).means("from burst to burst").asRequired();
  private static final Key<Duration> LASTING =
      Key.below("lasting", Quantities.SOME_TIME).means("length of a burst").asRequired();
  private static final Key<ArrivalSpec> BURSTS =
      Key.below("bursts", Kind.mapping(List.of(EVERY, LASTING)).map(Produce::bursts))
          .means("all messages of a period come in its burst")
          .asRequired();
  private static final Key<Integer> TRANSACTION_MESSAGES =
      Key.below("messages", Kind.count(1, Integer.MAX_VALUE))
          .means("in each transaction")
          .asRequired();
  private static final Key<Double> ABORT_RATIO =
      Key.below("abortRatio", Quantities.SHARE).means("share of transactions to abort; default 0");

  private static final Key<Double> ZOMBIE_RATIO =
      Key.below("zombieRatio", Quantities.SHARE)
          .means("share of transactions in which a newer producer takes over; default 0");

  private static final Key<ArrivalSpec> ARRIVALS =
      Key.own(
              "arrivals",
              Kind.either(
                  Kind.choice(
                      "constant",
                      ArrivalSpec.EVEN,
                      "poisson",
                      new ArrivalSpec(Pattern.POISSON, Duration.ZERO, Duration.ZERO)),
                  YamlNode.Mapping.class,
                  Kind.mapping(List.of(BURSTS))
                      .map(keys -> keys.read(BURSTS).orElse(ArrivalSpec.EVEN))))
          .means("how messages are spread around the rate; default constant");
  private static final Key<Fields> HEADERS =
      Key.own("headers", Kind.anyKeys(0, Kind.TEXT.schema(), "{name: text}"))
          .means("record headers of every message");
  private static final Key<Integer> TRACE_ONE_IN =
      Key.own("traceOneIn", Kind.count(0, Integer.MAX_VALUE))
          .means("one message in this many carries a trace context; default 0, none");
  private static final Key<TransactionSpec> TRANSACTIONS =
      Key.own(
              "transactions",
              Kind.mapping(List.of(TRANSACTION_MESSAGES, ABORT_RATIO, ZOMBIE_RATIO))
                  .map(Produce::transaction))
          .means("transactions of producers; default none");

  static final List<Key<?>> KEYS = List.of(ARRIVALS, HEADERS, TRACE_ONE_IN, TRANSACTIONS);

  private Produce() {}

  static ArrivalSpec arrivals(Fields fields) {
    return fields.read(ARRIVALS).orElse(ArrivalSpec.EVEN);
  }

  static int traceOneIn(Fields fields) {
    return fields.read(TRACE_ONE_IN).orElse(0);
  }

  static Optional<TransactionSpec> transactions(Fields fields) {
    return fields.read(TRANSACTIONS);
  }

  private static ArrivalSpec bursts(Fields bursts) {
    Duration every = bursts.required(EVERY).orElse(LEAST);
    Duration lasting = bursts.required(LASTING).orElse(LEAST);
    if (lasting.compareTo(every) > 0) {
      bursts.add(LASTING, "is longer than every", "make it shorter");
    }
    return new ArrivalSpec(Pattern.BURSTS, every, lasting);
  }

  private static TransactionSpec transaction(Fields keys) {
    int messages = keys.required(TRANSACTION_MESSAGES).orElse(1);
    return new TransactionSpec(
        messages, keys.read(ABORT_RATIO).orElse(0.0), keys.read(ZOMBIE_RATIO).orElse(0.0));
  }

  /** Record headers by name, in file order. */
  static Map<String, String> headers(Fields fields) {
    Map<String, String> headers = new LinkedHashMap<>();
    Optional<Fields> section = fields.read(HEADERS);
    for (String name : section.map(Fields::names).orElse(Set.of())) {
      section
          .flatMap(keys -> keys.read(Key.below(name, Kind.TEXT)))
          .ifPresent(value -> headers.put(name, value));
    }
    if (headers.size() > MOST_HEADERS) {
      fields.add(HEADERS, "has " + headers.size(), "stay within " + MOST_HEADERS);
    }
    return headers;
  }

  static void check(Workload workload, Fields fields) {
    Behaviour behaviour = workload.behaviour();
    if (behaviour.transactions().isPresent() && !workload.produces()) {
      fields.add(TRANSACTIONS, "no topic has a producer", "add a producer");
    }
    if (behaviour.transactions().isPresent()) {
      TopicCopies.refuse(TRANSACTIONS, workload.topics(), fields);
    }
    if (behaviour.arrivals().pattern() != Pattern.CONSTANT) {
      if (behaviour.rate().pacing() != Pacing.FIXED) {
        fields.add(ARRIVALS, "has no effect without a rate", "set producerRate to a rate");
      }
      Topics.refuseWithoutProducers(workload, fields, ARRIVALS);
    }
    if (!behaviour.headers().isEmpty()) {
      Topics.refuseWithoutProducers(workload, fields, HEADERS);
    }
    if (behaviour.traceOneIn() > 0) {
      Topics.refuseWithoutProducers(workload, fields, TRACE_ONE_IN);
    }
    if (behaviour.traceOneIn() > 0 && behaviour.headers().containsKey("traceparent")) {
      fields
          .read(HEADERS)
          .ifPresent(keys -> keys.add("traceparent", "traceOneIn sets this header", "remove it"));
    }
  }

  /** Refuses transactions that the driver's clients cannot make. */
  static void checkDriver(
      Workload workload, Driver driver, Fields fields, ClientConfig.Names names, boolean sound) {
    Optional<TransactionSpec> own = workload.behaviour().transactions();
    if (own.isEmpty() && driver.requestsPerTransaction().isEmpty()) {
      return;
    }
    Key<?> key = own.isPresent() ? TRANSACTIONS : Topics.PRODUCERS;
    if (own.isEmpty()) {
      TopicCopies.refuse(Topics.TOPICS, workload.topics(), fields);
    }
    Map<String, String> producer = ClientConfig.of(driver, Owner.PRODUCER, names);
    Map<String, String> transactional = new HashMap<>(producer);
    transactional.put("transactional.id", "any");
    if (names.conflict(Owner.PRODUCER, producer).isEmpty()) {
      names
          .conflict(Owner.PRODUCER, transactional)
          .ifPresent(what -> fields.add(key, what, "correct the driver's producerConfig"));
    }
    Map<String, String> consumer = ClientConfig.of(driver, Owner.CONSUMER, names);
    boolean uncommitted = consumer.getOrDefault(ISOLATION, "").strip().equals("read_uncommitted");
    if (own.filter(spec -> spec.abortRatio() + spec.zombieRatio() > 0).isPresent() && uncommitted) {
      String what = "with " + ISOLATION + "=read_uncommitted aborted messages would be received";
      fields.add(key, what, "remove that from the driver's consumerConfig, or abort none");
    }
    RateSpec rate = workload.behaviour().rate();
    if (sound && rate.pacing() == Pacing.FIXED && rate.curve().isEmpty()) {
      int messages =
          own.map(TransactionSpec::messages).orElseGet(driver.requestsPerTransaction()::getAsInt);
      long timeout =
          ClientConfig.number(producer, "transaction.timeout.ms")
              .orElse(TRANSACTION_TIMEOUT_MILLIS);
      checkLength(workload, fields, key, messages, timeout);
    }
  }

  /** The broker aborts a transaction that is open for too long, and fences its producer. */
  private static void checkLength(
      Workload workload, Fields fields, Key<?> key, int messages, long timeoutMillis) {
    double weights = 0;
    double least = Double.MAX_VALUE;
    for (TopicSpec topic : workload.topics()) {
      if (topic.producers() > 0) {
        weights += topic.weight();
        least = Math.min(least, topic.weight() / topic.producers());
      }
    }
    double rate = workload.behaviour().rate().messagesPerSecond() * least / weights;
    double millis = messages / rate * 1000;
    if (millis > timeoutMillis && workload.phases().measure().toMillis() > timeoutMillis) {
      String what =
          String.format(
              "%d messages take a producer %.0f s, above transaction.timeout.ms=%d",
              messages, millis / 1000, timeoutMillis);
      fields.add(key, what, "take fewer, raise producerRate, or raise that in producerConfig");
    }
  }
}
