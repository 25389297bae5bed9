// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsServer;
import io.tailrace.loadgen.block.NativeReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/**
 * An OTLP/HTTP server that keeps blocks by their token, as ClickHouse does, and answers as each
 * test wants. Remembers every complaint about what it was sent.
 */
final class FakeCollector implements AutoCloseable {
  /** What to do with one request. */
  enum Act {
    COMMIT,
    COMMIT_THEN_503,
    COMMIT_THEN_CLOSE,
    ANSWER_503,
    ANSWER_429,
    CLOSE,
    HANG,
    REFUSE_400
  }

  /**
   * A block as received; {@code firstSeq} is the number that the first worker to come began with.
   */
  record Received(Map<String, Object> attributes, byte[] body, long firstSeq) {
    String stream() {
      return (String) attributes.get("tailrace.stream");
    }

    /** Number of the block, from 0. */
    long seq() {
      return (long) attributes.get("tailrace.block.seq") - firstSeq;
    }

    String token() {
      return attributes.get("tailrace.run.id")
          + "/"
          + attributes.get("tailrace.worker.id")
          + "/"
          + stream()
          + "/"
          + seq();
    }
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Map<String, byte[]> firstBytes = new LinkedHashMap<>();
  private final Map<String, Received> committed = new LinkedHashMap<>();
  private final List<String> requests = new ArrayList<>();
  private final List<String> complaints = new ArrayList<>();
  private final List<byte[]> metricRequests = new ArrayList<>();
  private final Set<String> checkedStreams = new HashSet<>();
  private volatile int metricStatus = 200;
  private Long firstSeq;

  /** Decides what happens to a block; called for every attempt, one at a time. */
  volatile Function<Received, Act> behaviour = block -> Act.COMMIT;

  FakeCollector() throws IOException {
    this(0);
  }

  FakeCollector(int port) throws IOException {
    this(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0));
  }

  FakeCollector(HttpServer server) {
    this.server = server;
    server.setExecutor(threads);
    server.createContext("/v1/logs", this::logs);
    server.createContext("/v1/metrics", this::metrics);
    server.start();
  }

  URI endpoint() {
    String scheme = server instanceof HttpsServer ? "https" : "http";
    return URI.create(scheme + "://127.0.0.1:" + server.getAddress().getPort());
  }

  void answerMetricsWith(int status) {
    metricStatus = status;
  }

  private void logs(HttpExchange exchange) throws IOException {
    byte[] request = exchange.getRequestBody().readAllBytes();
    Act act;
    synchronized (this) {
      Received block = received(request);
      requests.add(block.token());
      byte[] before = firstBytes.putIfAbsent(block.token(), block.body);
      if (before != null && !Arrays.equals(before, block.body)) {
        complaints.add("other bytes under the token " + block.token());
      }
      act = behaviour.apply(block);
      if (act.name().startsWith("COMMIT")) {
        committed.putIfAbsent(block.token(), block);
      }
    }
    switch (act) {
      case COMMIT -> answer(exchange, 200);
      case ANSWER_503, COMMIT_THEN_503 -> answer(exchange, 503);
      case ANSWER_429 -> answer(exchange, 429);
      case REFUSE_400 -> answer(exchange, 400);
      case HANG -> {
        await(closed);
        exchange.close();
      }
      default -> exchange.close();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void answer(HttpExchange exchange, int status) throws IOException {
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  /** ExportLogsServiceRequest → ResourceLogs → ScopeLogs → LogRecord. */
  private Received received(byte[] request) {
    List<Proto> records = new Proto(request).one(1).one(2).all(2);
    if (records.size() != 1) {
      complaints.add(records.size() + " log records in a request");
    }
    Map<String, Object> attributes = records.get(0).attributes(6);
    byte[] body = records.get(0).one(5).bytes(7);
    if (!attributes.get("tailrace.block.encoding").equals("native+zstd")) {
      complaints.add("encoding " + attributes);
    }
    if ((long) attributes.get("tailrace.block.rows") != NativeReader.rowCount(body)) {
      complaints.add("rows " + attributes);
    }
    String stream = (String) attributes.get("tailrace.stream");
    // Large blocks are many: the first of a stream tells.
    if (checkedStreams.add(stream)
        && !NativeReader.columnsText(body).equals(attributes.get("tailrace.block.columns"))) {
      complaints.add("columns " + attributes);
    }
    if (firstSeq == null) {
      firstSeq = (long) attributes.get("tailrace.block.seq");
    }
    return new Received(attributes, body, firstSeq);
  }

  private void metrics(HttpExchange exchange) throws IOException {
    byte[] request = exchange.getRequestBody().readAllBytes();
    synchronized (this) {
      metricRequests.add(request);
    }
    answer(exchange, metricStatus);
  }

  /** Blocks kept, in the order of their commits. */
  synchronized List<Received> committed() {
    return List.copyOf(committed.values());
  }

  /** Tokens of all attempts, in order. */
  synchronized List<String> requests() {
    return List.copyOf(requests);
  }

  synchronized List<String> complaints() {
    return List.copyOf(complaints);
  }

  synchronized List<byte[]> metricRequests() {
    return List.copyOf(metricRequests);
  }

  /** Number of rows kept of a stream. */
  long rowCount(String stream) {
    return committed().stream()
        .filter(block -> block.stream().equals(stream))
        .mapToLong(block -> NativeReader.rowCount(block.body))
        .sum();
  }

  /** All values kept of one column of a stream. */
  List<Object> column(String stream, String column) {
    return committed().stream()
        .filter(block -> block.stream().equals(stream))
        .flatMap(block -> NativeReader.column(block.body, column).stream())
        .toList();
  }

  /** All rows kept of a stream. */
  List<Map<String, Object>> rows(String stream) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (Received block : committed()) {
      if (block.stream().equals(stream)) {
        rows.addAll(NativeReader.rows(block.body));
      }
    }
    return rows;
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
