// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.loadgen.agreement.AgreementEndpoint;
import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.plan.Plan;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** A run in its own thread, with its printed lines, summary and shipped rows. */
final class TestRun {
  private final Plan plan;
  private final FakeCollector sink;
  private final Path summaryFile;
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final Run run;
  private final CompletableFuture<Integer> result = new CompletableFuture<>();

  TestRun(Plan plan, FakeCollector sink, Path folder) {
    this(plan, sink, folder, null, null);
  }

  /**
   * One of several workers.
   *
   * @param startAt when all of them begin
   * @param agreement where they agree
   */
  TestRun(
      Plan plan, FakeCollector sink, Path folder, Instant startAt, AgreementEndpoint agreement) {
    this.plan = plan;
    this.sink = sink;
    this.summaryFile = folder.resolve(plan.runId()).resolve("summary-" + plan.worker() + ".json");
    this.run =
        new Run(
            plan,
            new RunOptions(
                sink.endpoint(),
                new PrintStream(printed, true, StandardCharsets.UTF_8),
                new RunOptions.LocalFiles(summaryFile, null, 0, null, List.of()),
                new RunOptions.HostTime(startAt, ""),
                true,
                agreement));
  }

  TestRun start() {
    new Thread(
            () -> {
              try {
                result.complete(run.execute());
              } catch (InterruptedException | RuntimeException e) {
                result.completeExceptionally(e);
              }
            })
        .start();
    return this;
  }

  Plan plan() {
    return plan;
  }

  void stop() {
    run.stop();
  }

  /** Exit code, at most 60 s from now; rows are then those of all workers that have ended. */
  int exitCode() throws Exception {
    return result.get(60, TimeUnit.SECONDS);
  }

  /** Waits until a printed line matches, at most 30 s. */
  void awaitLine(String regex) throws InterruptedException {
    Pattern pattern = Pattern.compile("^" + regex, Pattern.MULTILINE);
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (!pattern.matcher(printed()).find()) {
      if (System.nanoTime() - deadline >= 0 || result.isDone()) {
        throw new AssertionError("no line " + regex + " in:\n" + printed());
      }
      Thread.sleep(20);
    }
  }

  String printed() {
    return printed.toString(StandardCharsets.UTF_8);
  }

  JsonNode summary() throws IOException {
    return new ObjectMapper().readTree(summaryFile.toFile());
  }

  List<Map<String, Object>> rows(String stream) {
    return sink.rows(plan.runId(), stream);
  }

  /** Names of the phase events, in the order they were recorded. */
  List<Object> phases() {
    return rows("run_events").stream()
        .filter(row -> row.get("kind").equals("phase"))
        .map(row -> row.get("name"))
        .toList();
  }

  /** A number of the ledger. */
  long counted(String stream, String kind) {
    return rows("ledger").stream()
        .filter(row -> row.get("stream").equals(stream) && row.get("kind").equals(kind))
        .mapToLong(row -> (Long) row.get("events"))
        .sum();
  }
}
