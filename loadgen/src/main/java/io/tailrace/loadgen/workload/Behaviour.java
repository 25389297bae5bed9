// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.Audit.RereadSpec;
import io.tailrace.loadgen.workload.Consume.ConsumeSpec;
import io.tailrace.loadgen.workload.Keys.KeySpec;
import io.tailrace.loadgen.workload.Produce.ArrivalSpec;
import io.tailrace.loadgen.workload.Produce.TransactionSpec;
import io.tailrace.loadgen.workload.Rate.RateSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * How clients behave, the same in every phase.
 *
 * @param rate the total rate of the measure phase; other phases use it where they state none
 * @param headers record headers of each message, value as UTF-8
 * @param messages messages to send in the measure phase, over all producers of all workers; empty
 *     for no bound
 * @param readToEnd whether the run ends when every group has read up to the end offsets of the
 *     start of the measure phase
 * @param traceOneIn one message in this many carries a trace context; 0 for none
 * @param sampleEvery period of printed progress and of exported period statistics
 * @param reread what is read again from the logs after the run
 * @param durability whether the spool is flushed
 */
public record Behaviour(
    RateSpec rate,
    ArrivalSpec arrivals,
    KeySpec keys,
    Map<String, String> headers,
    OptionalLong messages,
    boolean readToEnd,
    ConsumeSpec consume,
    Optional<TransactionSpec> transactions,
    Optional<AbortSpec> abortWhen,
    int traceOneIn,
    Duration sampleEvery,
    Optional<RereadSpec> reread,
    Durability durability) {

  /**
   * When a run gives up before its end.
   *
   * @param behind how far behind its schedule any producer may be; zero for no bound
   * @param errorRate share of sends that may fail, 0 to 1, over {@code window}
   * @param window time over which the error rate is taken
   */
  public record AbortSpec(Duration behind, OptionalDouble errorRate, Duration window) {}

  private static final Duration SAMPLE = Duration.ofSeconds(10);
  private static final long MOST_MESSAGES = 1L << 53;
  private static final Kind<Duration> MILLIS = Kind.count(1, 3_600_000).map(Duration::ofMillis);

  private static final Key<Duration> BEHIND =
      Key.below("behind", Quantities.SOME_TIME)
          .means("how far behind its schedule any producer may be");
  private static final Key<Double> ERROR_RATE =
      Key.below("errorRate", Quantities.SHARE).means("share of sends that may fail");
  private static final Key<Duration> WINDOW =
      Key.below("window", Quantities.duration(Duration.ofSeconds(1)))
          .means("time over which the error rate is taken; default 10s");

  private static final Key<Fields> ABORT_WHEN =
      Key.own("abortWhen", Kind.mapping(List.of(BEHIND, ERROR_RATE, WINDOW), BEHIND, ERROR_RATE))
          .means("when the run gives up; default never");
  private static final Key<Long> MESSAGES =
      Key.own("messages", Kind.whole(1, MOST_MESSAGES))
          .means("messages of the measure phase, over all producers; ends it");
  private static final Key<Long> BYTES =
      Key.own("bytes", Quantities.bytes(1, Long.MAX_VALUE))
          .means("bytes of the measure phase, over all producers; ends it");
  static final Key<Boolean> READ_TO_END =
      Key.own("readToEnd", Kind.FLAG)
          .means(
              "the measure phase ends when all groups have read what its start found; default false");
  private static final Key<Duration> SAMPLE_EVERY =
      Key.own("sampleEvery", Quantities.duration(Duration.ofMillis(100)))
          .means("period of printed and exported statistics; default 10s");
  private static final Key<Duration> SAMPLE_RATE_MILLIS =
      Key.of("sampleRateMillis", MILLIS, Dialect.REDPANDA, Dialect.VANLIGHTLY)
          .means("period of printed and exported statistics");
  private static final Key<Duration> LOG_INTERVAL_MILLIS =
      Key.of("logIntervalMillis", MILLIS, Dialect.AUTOMQ)
          .means("period of printed and exported statistics");

  static final List<Key<?>> KEYS =
      List.of(
          MESSAGES,
          BYTES,
          READ_TO_END,
          ABORT_WHEN,
          SAMPLE_EVERY,
          SAMPLE_RATE_MILLIS,
          LOG_INTERVAL_MILLIS);

  public Behaviour withTransactions(TransactionSpec spec) {
    return new Behaviour(
        rate,
        arrivals,
        keys,
        headers,
        messages,
        readToEnd,
        consume,
        Optional.of(spec),
        abortWhen,
        traceOneIn,
        sampleEvery,
        reread,
        durability);
  }

  static Behaviour read(Fields fields, RateSpec rate, double meanBytes) {
    return new Behaviour(
        rate,
        Produce.arrivals(fields),
        Keys.readAll(fields),
        Produce.headers(fields),
        volume(fields, meanBytes),
        fields.read(READ_TO_END).orElse(false),
        Consume.read(fields),
        Produce.transactions(fields),
        fields.read(ABORT_WHEN).map(keys -> abort(fields, keys)),
        Produce.traceOneIn(fields),
        sampleEvery(fields),
        Audit.reread(fields),
        Durability.read(fields));
  }

  private static OptionalLong volume(Fields fields, double meanBytes) {
    OptionalLong messages = fields.optionalLong(MESSAGES);
    OptionalLong bytes = fields.optionalLong(BYTES);
    fields.refuseBeside(BYTES, MESSAGES);
    if (bytes.isEmpty()) {
      return messages;
    }
    double count = Math.ceil(bytes.getAsLong() / meanBytes);
    return OptionalLong.of((long) Math.min(count, MOST_MESSAGES));
  }

  private static AbortSpec abort(Fields fields, Fields keys) {
    if (!keys.has(BEHIND) && !keys.has(ERROR_RATE)) {
      fields.add(ABORT_WHEN, "has no condition", "add behind: 30s or errorRate: 1%");
    }
    return new AbortSpec(
        keys.read(BEHIND).orElse(Duration.ZERO),
        keys.optionalDouble(ERROR_RATE),
        keys.read(WINDOW).orElse(Duration.ofSeconds(10)));
  }

  private static Duration sampleEvery(Fields fields) {
    fields.refuseBeside(SAMPLE_EVERY, SAMPLE_RATE_MILLIS);
    fields.refuseBeside(SAMPLE_EVERY, LOG_INTERVAL_MILLIS);
    Optional<Duration> own = fields.read(SAMPLE_EVERY);
    Optional<Duration> logged = fields.read(LOG_INTERVAL_MILLIS);
    return fields.read(SAMPLE_RATE_MILLIS).or(() -> logged).or(() -> own).orElse(SAMPLE);
  }

  static void check(Workload workload, Fields fields) {
    Behaviour behaviour = workload.behaviour();
    Key<?> volume = fields.has(BYTES) ? BYTES : MESSAGES;
    if (behaviour.readToEnd && !workload.consumes()) {
      fields.add(READ_TO_END, "no topic has a subscription", "add a subscription");
    }
    if (behaviour.readToEnd && behaviour.messages.isPresent()) {
      String what = "cannot be combined with readToEnd";
      fields.add(volume, what, "keep one: either ends the measure phase");
    }
    if (behaviour.messages.isPresent() && !workload.produces()) {
      fields.add(volume, "no topic has a producer", "add a producer, or use readToEnd: true");
    }
    Optional<AbortSpec> abort = behaviour.abortWhen;
    boolean unlimited = behaviour.rate.pacing() == RateSpec.Pacing.UNLIMITED;
    if (unlimited && abort.filter(spec -> !spec.behind().isZero()).isPresent()) {
      fields
          .read(ABORT_WHEN)
          .ifPresent(
              keys -> keys.add(BEHIND, "rate max has no schedule to be behind", "remove it"));
    }
    if (abort.isPresent()) {
      Topics.refuseWithoutProducers(workload, fields, ABORT_WHEN);
    }
  }
}
