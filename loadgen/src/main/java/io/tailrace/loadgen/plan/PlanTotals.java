// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import io.tailrace.loadgen.plan.PhasePlan.Kind;
import io.tailrace.loadgen.plan.PhasePlan.Until;
import io.tailrace.loadgen.workload.Backlog.When;
import io.tailrace.loadgen.workload.Rate.RateSpec.Pacing;
import io.tailrace.loadgen.workload.Rate.RateSpec.Point;
import io.tailrace.loadgen.workload.Topics.TopicSpec;
import io.tailrace.loadgen.workload.Workload;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * Totals of a whole run over all workers. BigInteger, because valid rates, sizes and durations may
 * multiply to more than a long can hold. Empty if the total is unknown in advance, as without a
 * rate.
 */
record PlanTotals(Plan plan, Workload workload) {

  long producers() {
    return sum(TopicSpec::producers);
  }

  long consumers() {
    return sum(topic -> (long) topic.subscriptions() * topic.consumersPerSubscription());
  }

  long groups() {
    return sum(TopicSpec::subscriptions);
  }

  long partitions() {
    return sum(TopicSpec::partitions);
  }

  /**
   * Messages of all phases, except phases whose duration is unknown. A backlog within the test is
   * part of the test's length.
   */
  Optional<BigInteger> messages() {
    return plan.phases().stream()
        .filter(phase -> !open(phase))
        .filter(phase -> phase.kind() != Kind.BACKLOG_BUILD || !withinTest())
        .map(this::messages)
        .reduce(Optional.of(BigInteger.ZERO), PlanTotals::plus);
  }

  private boolean withinTest() {
    return plan.backlog().filter(backlog -> backlog.when() == When.WITHIN_TEST).isPresent();
  }

  /** Whether the duration of {@code phase} is unknown in advance. */
  static boolean open(PhasePlan phase) {
    return switch (phase.until()) {
      case RETENTION_REACHED, BACKLOG_DRAINED, END_READ -> true;
      default -> false;
    };
  }

  Optional<BigInteger> messages(PhasePlan phase) {
    if (producers() == 0) {
      return Optional.of(BigInteger.ZERO);
    }
    if (open(phase)) {
      return Optional.empty();
    }
    Optional<BigInteger> scheduled = scheduled(phase);
    if (phase.kind() == Kind.MEASURE && plan.behaviour().messages().isPresent()) {
      BigInteger volume = BigInteger.valueOf(plan.behaviour().messages().getAsLong());
      return Optional.of(scheduled.map(volume::min).orElse(volume));
    }
    if (phase.kind() == Kind.BACKLOG_BUILD && phase.until() == Until.BACKLOG_BUILT) {
      return scheduled
          .map(most -> most.min(backlogMessages()))
          .or(() -> Optional.of(backlogMessages()));
    }
    return scheduled;
  }

  BigInteger bytes(BigInteger messages) {
    return times(messages, plan.payload().meanBytes());
  }

  /** Deliveries to all groups, if each topic gets its share of {@code messages}. */
  BigInteger deliveries(BigInteger messages) {
    double weights = 0;
    double received = 0;
    for (TopicSpec topic : workload.topics()) {
      if (topic.producers() > 0) {
        weights += topic.weight();
        received += topic.weight() * topic.subscriptions();
      }
    }
    return weights == 0 ? BigInteger.ZERO : times(messages, received / weights);
  }

  /** Mean rate of {@code phase} in messages per second, or empty without a schedule. */
  static Optional<BigDecimal> rate(PhasePlan phase) {
    if (phase.pacing() != Pacing.FIXED || phase.rate().isEmpty()) {
      return Optional.empty();
    }
    double seconds = phase.duration().toNanos() / 1e9;
    double mean = seconds == 0 ? 0 : integral(phase.rate(), phase.duration()) / seconds;
    return Optional.of(BigDecimal.valueOf(mean));
  }

  private Optional<BigInteger> scheduled(PhasePlan phase) {
    if (phase.pacing() != Pacing.FIXED) {
      return Optional.empty();
    }
    double messages = integral(phase.rate(), phase.duration());
    return Optional.of(
        BigDecimal.valueOf(messages).setScale(0, RoundingMode.HALF_UP).toBigInteger());
  }

  /**
   * Messages to send for the required backlog: the smaller of its sizes, divided by the deliveries
   * per message.
   */
  private BigInteger backlogMessages() {
    var backlog = plan.backlog().orElseThrow();
    double perMessage = deliveries(BigInteger.valueOf(1_000_000)).doubleValue() / 1e6;
    double unread = Double.MAX_VALUE;
    if (backlog.messages().isPresent()) {
      unread = backlog.messages().getAsLong();
    }
    if (backlog.bytes().isPresent()) {
      unread = Math.min(unread, backlog.bytes().getAsLong() / plan.payload().meanBytes());
    }
    return BigDecimal.valueOf(Math.ceil(unread / Math.max(perMessage, 1e-6))).toBigInteger();
  }

  /** Messages of a phase whose rate is linear between its points. */
  private static double integral(List<Point> points, Duration duration) {
    double end = duration.toNanos() / 1e9;
    double messages = 0;
    double time = 0;
    double rate = points.get(0).messagesPerSecond();
    for (Point point : points) {
      double at = Math.min(point.at().toNanos() / 1e9, end);
      double length = point.at().toNanos() / 1e9 - time;
      if (at > time) {
        double reached = rate + (point.messagesPerSecond() - rate) * (at - time) / length;
        messages += (at - time) * (rate + reached) / 2;
      }
      time = Math.max(time, at);
      rate = point.messagesPerSecond();
    }
    return messages + Math.max(0, end - time) * rate;
  }

  private long sum(ToLongFunction<TopicSpec> count) {
    return workload.topics().stream().mapToLong(count).sum();
  }

  private static BigInteger times(BigInteger value, double factor) {
    return new BigDecimal(value)
        .multiply(BigDecimal.valueOf(factor))
        .setScale(0, RoundingMode.HALF_UP)
        .toBigInteger();
  }

  private static Optional<BigInteger> plus(Optional<BigInteger> a, Optional<BigInteger> b) {
    return a.flatMap(x -> b.map(x::add));
  }
}
