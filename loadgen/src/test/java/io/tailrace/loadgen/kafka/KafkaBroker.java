// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntUnaryOperator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A real one-node Kafka in a process of its own, on free ports, with its data in a folder given to
 * it.
 */
public final class KafkaBroker implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(90);

  private final Path folder;
  private final int port;
  private final Process process;

  private KafkaBroker(Path folder, int port, Process process) {
    this.folder = folder;
    this.port = port;
    this.process = process;
  }

  /**
   * Formats and starts a broker and waits until it answers.
   *
   * @param folder empty folder for its data and logs
   */
  public static KafkaBroker start(Path folder) throws IOException, InterruptedException {
    return start(folder, port -> port);
  }

  /**
   * The same behind a proxy.
   *
   * @param advertised from the port on which the broker listens to the port that its clients
   *     connect to
   */
  public static KafkaBroker start(Path folder, IntUnaryOperator advertised)
      throws IOException, InterruptedException {
    Path libs = libs();
    int listens = freePort();
    int port = advertised.applyAsInt(listens);
    int controllerPort = freePort();
    Path properties = folder.resolve("server.properties");
    Files.write(
        properties,
        List.of(
            "process.roles=broker,controller",
            "node.id=1",
            "listeners=PLAINTEXT://127.0.0.1:"
                + listens
                + ",CONTROLLER://127.0.0.1:"
                + controllerPort,
            "advertised.listeners=PLAINTEXT://127.0.0.1:" + port,
            "controller.listener.names=CONTROLLER",
            "controller.quorum.voters=1@127.0.0.1:" + controllerPort,
            "log.dirs=" + folder.resolve("data"),
            "auto.create.topics.enable=false",
            "offsets.topic.num.partitions=1",
            "offsets.topic.replication.factor=1",
            "transaction.state.log.replication.factor=1",
            "transaction.state.log.min.isr=1",
            "transaction.abort.timed.out.transaction.cleanup.interval.ms=500",
            "share.coordinator.state.topic.replication.factor=1",
            "share.coordinator.state.topic.min.isr=1",
            // The default, 128 MiB in one piece, is half of the heap and is not always to be had.
            "log.cleaner.dedupe.buffer.size=4194304",
            "log.retention.check.interval.ms=1000",
            "log.initial.task.delay.ms=1000",
            "group.initial.rebalance.delay.ms=0"));
    Process format =
        java(
            folder,
            libs,
            "kafka.tools.StorageTool",
            "format",
            "-t",
            "dGFpbHJhY2UtdGVzdC1pZA",
            "-c",
            properties.toString());
    if (!format.waitFor(START.toSeconds(), TimeUnit.SECONDS) || format.exitValue() != 0) {
      format.destroyForcibly();
      throw new IllegalStateException("kafka storage format failed:\n" + log(folder));
    }
    KafkaBroker broker =
        new KafkaBroker(folder, port, java(folder, libs, "kafka.Kafka", properties.toString()));
    try {
      broker.awaitAnswer();
      return broker;
    } catch (RuntimeException | InterruptedException e) {
      broker.close();
      throw e;
    }
  }

  public String bootstrapServers() {
    return "127.0.0.1:" + port;
  }

  /** Names of the topics that exist, internal ones left out. */
  public Set<String> topics() throws InterruptedException {
    try (Admin admin = admin()) {
      return new TreeSet<>(admin.listTopics().names().get(30, TimeUnit.SECONDS));
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("topics cannot be listed", e);
    }
  }

  /** An admin client of this broker, for the caller to close. */
  public Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", bootstrapServers()));
  }

  /** A producer of this broker, for the caller to close. */
  public KafkaProducer<byte[], byte[]> producer() {
    return new KafkaProducer<>(
        Map.of("bootstrap.servers", bootstrapServers()),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }

  /** Ends the process at once, as a crash would. */
  public void kill() {
    process.destroyForcibly().onExit().join();
  }

  @Override
  public void close() {
    kill();
  }

  private void awaitAnswer() throws InterruptedException {
    long deadline = System.nanoTime() + START.toNanos();
    while (System.nanoTime() - deadline < 0 && process.isAlive()) {
      try (Admin admin = admin()) {
        admin.describeCluster().nodes().get(2, TimeUnit.SECONDS);
        return;
      } catch (ExecutionException | TimeoutException e) {
        Thread.sleep(100);
      }
    }
    throw new IllegalStateException("the broker did not answer:\n" + log(folder));
  }

  private static Process java(Path folder, Path libs, String... mainAndArguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // The interpreter and the first compiler are enough for a test and start in half the time.
    command.addAll(
        List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp", libs.resolve("*").toString()));
    command.addAll(List.of(mainAndArguments));
    return new ProcessBuilder(command)
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("broker.log").toFile()))
        .start();
  }

  private static Path libs() {
    for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
      if (Files.exists(folder.resolve("loadgen/pom.xml"))) {
        Path libs = folder.resolve(".tailrace/kafka/libs");
        if (Files.isDirectory(libs)) {
          return libs;
        }
        throw new IllegalStateException(libs + " is missing: run `make setup` first");
      }
    }
    throw new IllegalStateException(
        "not inside a Tailrace checkout: " + Path.of("").toAbsolutePath());
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static String log(Path folder) {
    try {
      List<String> lines = Files.readAllLines(folder.resolve("broker.log"));
      return String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
