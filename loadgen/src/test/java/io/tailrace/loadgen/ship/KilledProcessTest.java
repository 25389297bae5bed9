// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import static io.tailrace.loadgen.ship.PipelineFixture.ledger;
import static io.tailrace.loadgen.ship.PipelineFixture.waitUntil;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.collector.FakeCollector.Reaction;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Kills a real process (SIGKILL) while it records, and replays its spool. */
class KilledProcessTest {
  private static final Duration MINUTES = Duration.ofMinutes(3);

  /** What the collector does while the process lives. */
  enum Weather {
    FAIR(random -> Reaction.COMMIT),
    CHANGEABLE(random -> random.nextBoolean() ? Reaction.COMMIT : Reaction.COMMIT_THEN_503),
    AWAY(random -> Reaction.ANSWER_503);

    final Function<SplittableRandom, Reaction> acts;

    Weather(Function<SplittableRandom, Reaction> acts) {
      this.acts = acts;
    }
  }

  @TempDir Path parent;

  private final List<Process> processes = new ArrayList<>();
  private FakeCollector collector;
  private Path spool;

  @BeforeEach
  void open() throws Exception {
    collector = new FakeCollector();
    spool = parent.resolve("spool");
  }

  @AfterEach
  void close() {
    processes.forEach(Process::destroyForcibly);
    collector.close();
  }

  private Process start(String main, String... args) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "-cp", System.getProperty("java.class.path"), main));
    command.addAll(List.of(args));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(parent.resolve("output-" + processes.size()).toFile())
            .start();
    processes.add(process);
    return process;
  }

  private static void kill(Process process) throws InterruptedException {
    assertThat(process.isAlive()).isTrue();
    process.destroyForcibly();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(128 + 9);
  }

  @ParameterizedTest
  @EnumSource
  void everyRowThatReachedTheSpoolIsStoredOnceAndTheOthersAreCounted(Weather weather)
      throws Exception {
    SplittableRandom random = new SplittableRandom(weather.ordinal() + 42L);
    collector.reactWith(block -> weather.acts.apply(random));
    Path countFile = parent.resolve("counts");
    Process recording =
        start(
            SpoolingProgram.class.getName(),
            spool.toString(),
            collector.endpoint().toString(),
            countFile.toString());
    int enough = 250_000 + random.nextInt(100_000);
    MappedByteBuffer counts = SpoolingProgram.counts(countFile);
    waitUntil(
        "rows are recorded, some of each stream in a block",
        () ->
            counts.getLong(SpoolingProgram.RECEIVED_AT) > enough
                && inBlock("publishes")
                && inBlock("deliveries"));
    kill(recording);

    collector.reactWith(block -> Reaction.COMMIT);
    replayAndKill();
    Replay.run(
        spool, collector.endpoint(), MINUTES, new PrintStream(PrintStream.nullOutputStream()));

    assertThat(spool).doesNotExist();
    assertThat(collector.complaints()).isEmpty();
    assertRows("publishes", "ack_time", n -> SpoolingProgram.time(n) + 7);
    assertRows("deliveries", "receive_time", n -> SpoolingProgram.time(n) + 9);
    assertBooks("publishes", "acked", counts.getLong(SpoolingProgram.PUBLISHED_AT));
    assertBooks("deliveries", "received", counts.getLong(SpoolingProgram.RECEIVED_AT));
    // These counters have no rows: only the checkpoint has their values.
    assertThat(entries())
        .containsEntry("publishes aborted", 11L)
        .containsEntry("deliveries redelivered", 12L)
        .containsEntry("deliveries foreign", 13L)
        .containsEntry("deliveries other_run", 15L)
        .containsEntry("deliveries corrupt", 14L)
        .containsEntry("publishes unsent unknown", 0L);
    assertThat(entries().get("publishes sent")).isGreaterThan(entries().get("publishes acked") - 1);
  }

  /** Whether the spool has a block of the stream, or the collector received it. */
  private boolean inBlock(String stream) {
    if (!collector.column(stream, "offset").isEmpty()) {
      return true;
    }
    try (DirectoryStream<Path> segments = Files.newDirectoryStream(spool, "*.seg")) {
      for (Path segment : segments) {
        if (new String(Files.readAllBytes(segment), ISO_8859_1).contains(stream)) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Kills a replay unless it finishes before. */
  private void replayAndKill() throws Exception {
    int before = collector.requests().size();
    Process replay =
        start(
            "io.tailrace.loadgen.cli.Main",
            "ship",
            "--spool",
            spool.toString(),
            "--otlp-endpoint",
            collector.endpoint().toString());
    waitUntil("the replay sends", () -> collector.requests().size() > before || !replay.isAlive());
    replay.destroyForcibly();
    assertThat(replay.waitFor(30, TimeUnit.SECONDS)).isTrue();
  }

  /** The rows stored are the first ones recorded, each once, with all their values. */
  private void assertRows(String stream, String time, LongUnaryOperator expectedTime) {
    List<Object> offsets = collector.column(stream, "offset");
    List<Object> intended = collector.column(stream, "intended_time");
    List<Object> times = collector.column(stream, time);
    List<Object> sizes = collector.column(stream, "payload_bytes");
    long actual = 0;
    long expected = 0;
    for (int i = 0; i < offsets.size(); i++) {
      actual +=
          hash(
              (long) offsets.get(i),
              (long) intended.get(i),
              (long) times.get(i),
              (long) sizes.get(i));
      expected += hash(i, SpoolingProgram.time(i), expectedTime.applyAsLong(i), i % 1000);
    }
    assertThat(offsets).as(stream).isNotEmpty();
    assertThat(actual).as("sum of hashes of %s", stream).isEqualTo(expected);
  }

  private static long hash(long... values) {
    long hash = 17;
    for (long value : values) {
      hash = (hash ^ value) * 0x9E37_79B9_7F4A_7C15L;
      hash ^= hash >>> 29;
    }
    return hash;
  }

  private Map<String, Long> entries() {
    return ledger(collector).stream()
        .map(entry -> entry.split(" = "))
        .collect(Collectors.toMap(entry -> entry[0], entry -> Long.parseLong(entry[1])));
  }

  private void assertBooks(String stream, String counter, long truth) {
    Map<String, Long> ledger = entries();
    long recorded = ledger.get(stream + " recorded");
    long killed = ledger.getOrDefault(stream + " lost killed", 0L);
    assertThat(collector.rowCount(stream)).isEqualTo(recorded - killed);
    // The row being recorded at the kill may be counted before its counter is.
    assertThat(recorded)
        .isLessThanOrEqualTo(truth + 1)
        .isEqualTo(ledger.get(stream + " " + counter));
    assertThat(ledger.keySet())
        .filteredOn(key -> key.startsWith(stream + " lost"))
        .isSubsetOf(stream + " lost killed");
    assertThat(ledger).containsKey("publishes lost killed");
  }
}
