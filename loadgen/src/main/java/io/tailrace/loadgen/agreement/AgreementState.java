// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.agreement;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the leader keeps for all workers: its latest decision, their read positions, and which of
 * them have finished. Any thread may call it.
 */
final class AgreementState {
  /** A worker that has reported nothing for this long is not at work any more. */
  private static final long SILENT_NANOS = Duration.ofSeconds(10).toNanos();

  private record Heard(long number, boolean finished, long nanoTime) {}

  private final int workers;
  private final Map<Integer, Heard> others = new ConcurrentHashMap<>();
  private final Map<String, Map<Integer, Long>> positions = new HashMap<>();
  private volatile Decision decision;

  AgreementState(int workers) {
    this.workers = workers;
  }

  boolean isFollower(int worker) {
    return worker > 0 && worker < workers;
  }

  void announce(Decision latest) {
    decision = latest;
  }

  Optional<Decision> decision() {
    return Optional.ofNullable(decision);
  }

  /**
   * Takes a worker's report. A repeated one changes nothing; one older than the last is ignored.
   */
  synchronized void report(int worker, WorkerReport report) {
    Heard last = others.get(worker);
    if (last != null && report.number() < last.number()) {
      return;
    }
    boolean finished = report.finished() || (last != null && last.finished());
    others.put(worker, new Heard(report.number(), finished, System.nanoTime()));
    report.positions().forEach(this::keep);
  }

  /** Positions are reported by the worker that the partition is assigned to. */
  synchronized void keep(String group, Map<Integer, Long> read) {
    positions.computeIfAbsent(group, id -> new HashMap<>()).putAll(read);
  }

  synchronized Map<Integer, Long> positions(String group) {
    return Map.copyOf(positions.getOrDefault(group, Map.of()));
  }

  synchronized Positions positions() {
    Map<String, Map<Integer, Long>> copy = new HashMap<>();
    positions.forEach((group, read) -> copy.put(group, Map.copyOf(read)));
    return new Positions(copy);
  }

  boolean othersFinished() {
    return others.size() == workers - 1 && others.values().stream().allMatch(Heard::finished);
  }

  boolean othersActive() {
    long now = System.nanoTime();
    return others.values().stream()
        .anyMatch(heard -> !heard.finished() && now - heard.nanoTime() < SILENT_NANOS);
  }
}
