// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.loadgen.workload.Rate.RateSpec;
import io.tailrace.loadgen.workload.Slo.SloSpec;
import io.tailrace.loadgen.workload.Workload;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Reports a plan as JSON, for users and a run's manifest: load and requirements, no secrets. */
public final class PlanReport {
  private static final String NO_ANSWER =
      "acks=0: brokers do not answer, so publish latency ends when a message is handed to the"
          + " socket; the audit matches deliveries by producer and intended send and reports how"
          + " many messages were not received: that is no failure unless slo limits lost";

  private PlanReport() {}

  /** A plan and its inputs: values that the campaign's point sets, and notes about the driver. */
  public record Point(
      Plan plan, Workload workload, Map<String, String> values, List<String> notes) {}

  /**
   * Pretty-printed JSON: one plan, or {@code points} with several. Times are in seconds, sizes in
   * bytes; counts are for the whole run unless their name contains worker.
   */
  public static String json(List<Point> points) {
    DefaultPrettyPrinter printer = new DefaultPrettyPrinter();
    printer.indentArraysWith(DefaultIndenter.SYSTEM_LINEFEED_INSTANCE);
    try {
      return new ObjectMapper()
          .enable(JsonGenerator.Feature.WRITE_BIGDECIMAL_AS_PLAIN)
          .writer(printer)
          .writeValueAsString(points.size() == 1 ? tree(points.get(0)) : trees(points));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("maps of text and numbers are always serialisable", e);
    }
  }

  private static Map<String, Object> trees(List<Point> points) {
    return Map.of("points", points.stream().map(PlanReport::tree).toList());
  }

  private static Map<String, Object> tree(Point point) {
    Plan plan = point.plan();
    Workload workload = point.workload();
    PlanTotals totals = new PlanTotals(plan, workload);
    Optional<BigInteger> messages = totals.messages();
    double rate = workload.behaviour().rate().messagesPerSecond();
    boolean fixed = workload.behaviour().rate().pacing() == RateSpec.Pacing.FIXED;

    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("run_id", plan.runId());
    tree.put("workload", plan.identity().workloadName());
    tree.put("driver", plan.identity().driverName());
    tree.put("dialect", workload.dialect().label());
    tree.put("seed", plan.seed());
    tree.put("worker", plan.worker());
    tree.put("workers", plan.workers());
    tree.put("repeat", workload.repeat());
    tree.put("topics", TopicsReport.of(plan, workload));
    tree.put("partitions", totals.partitions());
    tree.put("replication_factor", plan.config().replicationFactor());
    tree.put("producers", totals.producers());
    tree.put("consumers", totals.consumers());
    tree.put("consumer_groups", totals.groups());
    tree.put("worker_producers", plan.producers().size());
    tree.put("worker_consumers", plan.consumers().size());
    tree.put("message_bytes", number(plan.payload().meanBytes()));
    tree.put("payload", plan.payload().description());
    tree.put("pacing", workload.behaviour().rate().pacing().label());
    tree.put("messages_per_second", fixed ? number(rate) : null);
    tree.put("bytes_per_second", fixed ? number(rate * plan.payload().meanBytes()) : null);
    tree.put("behaviour", BehaviourReport.tree(plan.behaviour()));
    tree.put("phases", plan.phases().stream().map(phase -> phase(phase, totals)).toList());
    tree.put("drain_timeout_seconds", number(seconds(plan.drainTimeout())));
    tree.put("expected_messages", messages.orElse(null));
    tree.put("expected_deliveries", messages.map(totals::deliveries).orElse(null));
    tree.put("expected_bytes", messages.map(totals::bytes).orElse(null));
    tree.put("disk_bytes", messages.map(totals::bytes).map(b -> replicated(b, plan)).orElse(null));
    tree.put("slo", workload.slo().stream().map(PlanReport::slo).toList());
    tree.put("varied", Secrets.maskedInOrder(point.values()));
    tree.put("notes", notes(point, totals));
    tree.put("topic_config", Secrets.masked(plan.config().topic()));
    tree.put("admin_config", Secrets.masked(plan.config().admin()));
    tree.put("producer_config", Secrets.masked(plan.config().producer()));
    tree.put("consumer_config", Secrets.masked(plan.config().consumer()));
    return tree;
  }

  private static List<String> notes(Point point, PlanTotals totals) {
    boolean unanswered = totals.producers() > 0 && !point.plan().acknowledged();
    return Stream.of(
            point.workload().notes(),
            point.notes(),
            unanswered ? List.of(NO_ANSWER) : List.<String>of())
        .flatMap(List::stream)
        .toList();
  }

  private static Map<String, Object> phase(PhasePlan phase, PlanTotals totals) {
    Optional<BigInteger> messages = totals.messages(phase);
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", phase.name());
    map.put("seconds", number(seconds(phase.duration())));
    if (!phase.least().isZero()) {
      map.put("least_seconds", number(seconds(phase.least())));
    }
    map.put("until", phase.until().label());
    map.put("pacing", phase.pacing().label());
    map.put("messages_per_second", PlanTotals.rate(phase).map(PlanReport::plain).orElse(null));
    if (phase.rate().size() > 1) {
      map.put("curve", phase.rate().stream().map(PlanReport::point).toList());
    }
    map.put("messages", messages.orElse(null));
    map.put("bytes", messages.map(totals::bytes).orElse(null));
    return map;
  }

  private static Map<String, Object> point(RateSpec.Point point) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("at_seconds", number(seconds(point.at())));
    map.put("messages_per_second", number(point.messagesPerSecond()));
    return map;
  }

  private static Map<String, Object> slo(SloSpec slo) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("key", slo.key());
    map.put("direction", slo.direction().name().toLowerCase(Locale.ROOT));
    map.put("value", number(slo.value()));
    map.put("text", slo.text());
    return map;
  }

  private static BigInteger replicated(BigInteger bytes, Plan plan) {
    return bytes.multiply(BigInteger.valueOf(plan.config().replicationFactor()));
  }

  /** In plain notation: 20000 rather than 2.0E4. */
  static BigDecimal number(double value) {
    return plain(BigDecimal.valueOf(value));
  }

  private static BigDecimal plain(BigDecimal value) {
    return value.stripTrailingZeros();
  }

  static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
