// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.agreement;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Worker 0's side: it keeps its latest decision, the read positions of all workers and which of
 * them have finished, and serves them. Any thread may call it.
 */
final class Leader implements Agreement {
  /** A worker that has reported nothing for this long is not at work any more. */
  private static final long SILENT_NANOS = Duration.ofSeconds(10).toNanos();

  private record Heard(long number, boolean finished, long nanoTime) {}

  private final int workers;
  private final Map<Integer, Heard> others = new ConcurrentHashMap<>();
  private final Map<String, Map<Integer, Long>> positions = new HashMap<>();
  private final AgreementServer server;
  private volatile Decision decision;

  Leader(AgreementEndpoint endpoint, int workers) throws IOException {
    this.workers = workers;
    URI listen = endpoint.listen();
    InetSocketAddress address = new InetSocketAddress(listen.getHost(), listen.getPort());
    if (address.isUnresolved()) {
      throw new IOException("the host is unknown");
    }
    this.server = AgreementServer.start(address, endpoint.tls(), endpoint.token(), this);
  }

  int port() {
    return server.port();
  }

  boolean isFollower(int worker) {
    return worker > 0 && worker < workers;
  }

  @Override
  public void announce(Decision latest) {
    decision = latest;
  }

  @Override
  public Optional<Decision> decision() {
    return Optional.ofNullable(decision);
  }

  /** Takes a report. A repeated one changes nothing; one older than the last is ignored. */
  synchronized void report(int worker, WorkerReport report) {
    Heard last = others.get(worker);
    if (last != null && report.number() < last.number()) {
      return;
    }
    boolean finished = report.finished() || (last != null && last.finished());
    others.put(worker, new Heard(report.number(), finished, System.nanoTime()));
    report.positions().forEach(this::report);
  }

  /** Positions are reported by the worker that the partition is assigned to. */
  @Override
  public synchronized void report(String group, Map<Integer, Long> read) {
    positions.computeIfAbsent(group, id -> new HashMap<>()).putAll(read);
  }

  @Override
  public synchronized Map<Integer, Long> positions(String group) {
    return Map.copyOf(positions.getOrDefault(group, Map.of()));
  }

  synchronized Positions positions() {
    Map<String, Map<Integer, Long>> copy = new HashMap<>();
    positions.forEach((group, read) -> copy.put(group, Map.copyOf(read)));
    return new Positions(copy);
  }

  @Override
  public boolean othersFinished() {
    return others.size() == workers - 1 && others.values().stream().allMatch(Heard::finished);
  }

  @Override
  public boolean othersActive() {
    long now = System.nanoTime();
    return others.values().stream()
        .anyMatch(heard -> !heard.finished() && now - heard.nanoTime() < SILENT_NANOS);
  }

  @Override
  public void close() {
    server.close();
  }
}
