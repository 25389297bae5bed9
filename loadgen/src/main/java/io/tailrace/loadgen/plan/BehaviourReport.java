// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import io.tailrace.loadgen.workload.Behaviour;
import io.tailrace.loadgen.workload.Consume.ConsumeSpec;
import io.tailrace.loadgen.workload.Durability;
import io.tailrace.loadgen.workload.Keys.KeySpec;
import io.tailrace.loadgen.workload.Produce.ArrivalSpec;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** The client behaviour section of a plan report: only what differs from plain load. */
final class BehaviourReport {
  private BehaviourReport() {}

  static Map<String, Object> tree(Behaviour behaviour) {
    Map<String, Object> tree = new LinkedHashMap<>();
    arrivals(tree, behaviour.arrivals());
    keys(tree, behaviour.keys());
    if (!behaviour.headers().isEmpty()) {
      tree.put("headers", behaviour.headers().keySet());
    }
    behaviour.messages().ifPresent(messages -> tree.put("messages", messages));
    if (behaviour.readToEnd()) {
      tree.put("read_to_end", true);
    }
    consume(tree, behaviour.consume());
    behaviour
        .transactions()
        .ifPresent(
            spec -> {
              tree.put("transaction_messages", spec.messages());
              tree.put("transaction_abort_ratio", PlanReport.number(spec.abortRatio()));
              if (spec.zombieRatio() > 0) {
                tree.put("transaction_zombie_ratio", PlanReport.number(spec.zombieRatio()));
              }
            });
    behaviour
        .abortWhen()
        .ifPresent(
            spec -> {
              if (!spec.behind().isZero()) {
                tree.put("abort_behind_seconds", seconds(spec.behind()));
              }
              spec.errorRate()
                  .ifPresent(rate -> tree.put("abort_error_rate", PlanReport.number(rate)));
            });
    if (behaviour.traceOneIn() > 0) {
      tree.put("trace_one_in", behaviour.traceOneIn());
    }
    behaviour
        .reread()
        .ifPresent(
            spec -> {
              if (spec.messages() > 0) {
                tree.put("reread_messages", spec.messages());
              } else {
                tree.put("reread_share", PlanReport.number(spec.share()));
              }
            });
    if (behaviour.durability() != Durability.NONE) {
      tree.put("durability", behaviour.durability().label());
    }
    return tree;
  }

  private static void arrivals(Map<String, Object> tree, ArrivalSpec arrivals) {
    tree.put("arrivals", arrivals.pattern().label());
    if (arrivals.pattern() == ArrivalSpec.Pattern.BURSTS) {
      tree.put("burst_every_seconds", seconds(arrivals.every()));
      tree.put("burst_lasting_seconds", seconds(arrivals.lasting()));
    }
  }

  private static void keys(Map<String, Object> tree, KeySpec keys) {
    tree.put("keys", keys.choice().label());
    if (keys.choice() != KeySpec.Choice.NONE) {
      tree.put("key_count", keys.count());
      tree.put("key_bytes", keys.bytes());
    }
    if (keys.choice() == KeySpec.Choice.ZIPF) {
      tree.put("key_exponent", PlanReport.number(keys.exponent()));
    }
  }

  private static void consume(Map<String, Object> tree, ConsumeSpec consume) {
    tree.put("groups", consume.groups().label());
    tree.put("consumer_threads", consume.threads().label());
    if (consume.threads() == ConsumeSpec.Threads.POOL) {
      tree.put("consumer_pool", consume.threadCount());
    }
    consume
        .processing()
        .ifPresent(
            work -> {
              tree.put("processing_mean_seconds", seconds(work.mean()));
              tree.put("processing", work.exponential() ? "exponential" : "constant");
            });
    if (!consume.delay().isZero()) {
      tree.put("consume_delay_seconds", seconds(consume.delay()));
    }
    if (consume.warmupReads() > 0) {
      tree.put("warmup_reads", consume.warmupReads());
    }
    if (consume.releaseRatio() > 0) {
      tree.put("release_ratio", PlanReport.number(consume.releaseRatio()));
    }
  }

  private static BigDecimal seconds(Duration duration) {
    return PlanReport.number(PlanReport.seconds(duration));
  }
}
