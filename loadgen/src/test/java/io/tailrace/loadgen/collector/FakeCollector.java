// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.collector;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsServer;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.tailrace.loadgen.block.NativeReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * An OTLP/HTTP server that keeps each block once by its token, as ClickHouse does, and answers as
 * the test decides. It lists every fault in what it receives as a complaint.
 */
public final class FakeCollector implements AutoCloseable {
  /** What to do with one request. */
  public enum Reaction {
    COMMIT,
    COMMIT_THEN_503,
    COMMIT_THEN_CLOSE,
    ANSWER_503,
    ANSWER_429,
    CLOSE,
    HANG,
    REFUSE_400
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Map<String, byte[]> firstBytes = new LinkedHashMap<>();
  private final Map<String, ReceivedBlock> committed = new LinkedHashMap<>();
  private final List<String> requests = new ArrayList<>();
  private final List<String> complaints = new ArrayList<>();
  private final List<ExportMetricsServiceRequest> metricRequests = new ArrayList<>();
  private final List<ReceivedSpan> spans = new ArrayList<>();
  private final Set<String> checkedStreams = new HashSet<>();
  private volatile Function<ReceivedBlock, Reaction> reactions = block -> Reaction.COMMIT;
  private volatile int metricStatus = 200;
  private Long firstSeq;

  public FakeCollector() throws IOException {
    this(0);
  }

  public FakeCollector(int port) throws IOException {
    this(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0));
  }

  public FakeCollector(HttpServer server) {
    this.server = server;
    server.setExecutor(threads);
    server.createContext("/v1/logs", this::logs);
    server.createContext("/v1/metrics", this::metrics);
    server.createContext("/v1/traces", this::traces);
    server.start();
  }

  public URI endpoint() {
    String scheme = server instanceof HttpsServer ? "https" : "http";
    return URI.create(scheme + "://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Decides what happens to each block; called for every attempt, one at a time. */
  public void reactWith(Function<ReceivedBlock, Reaction> reactions) {
    this.reactions = reactions;
  }

  public void answerMetricsWith(int status) {
    metricStatus = status;
  }

  private void logs(HttpExchange exchange) throws IOException {
    byte[] request = exchange.getRequestBody().readAllBytes();
    Reaction reaction;
    synchronized (this) {
      ReceivedBlock block;
      try {
        block = received(request);
      } catch (IOException | RuntimeException e) {
        complaints.add(e.toString());
        answer(exchange, 400);
        return;
      }
      requests.add(block.token());
      byte[] before = firstBytes.putIfAbsent(block.token(), block.body());
      if (before != null && !Arrays.equals(before, block.body())) {
        complaints.add("other bytes under the token " + block.token());
      }
      reaction = reactions.apply(block);
      if (reaction.name().startsWith("COMMIT")) {
        committed.putIfAbsent(block.token(), block);
      }
    }
    switch (reaction) {
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
    exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  private ReceivedBlock received(byte[] request) throws IOException {
    List<LogRecord> records =
        ExportLogsServiceRequest.parseFrom(request)
            .getResourceLogs(0)
            .getScopeLogs(0)
            .getLogRecordsList();
    if (records.size() != 1) {
      complaints.add(records.size() + " log records in a request");
    }
    if (firstSeq == null) {
      firstSeq = ReceivedBlock.of(records.get(0), 0).seq();
    }
    ReceivedBlock block = ReceivedBlock.of(records.get(0), firstSeq);
    Map<String, Object> attributes = block.attributes();
    if (!attributes.get("tailrace.block.encoding").equals("native+zstd")) {
      complaints.add("encoding " + attributes);
    }
    if ((long) attributes.get("tailrace.block.rows") != NativeReader.rowCount(block.body())) {
      complaints.add("rows " + attributes);
    }
    // Reading all columns of large blocks is slow, so only the first block of a stream is checked.
    if (checkedStreams.add(block.stream())
        && !NativeReader.columnsText(block.body())
            .equals(attributes.get("tailrace.block.columns"))) {
      complaints.add("columns " + attributes);
    }
    return block;
  }

  private void metrics(HttpExchange exchange) throws IOException {
    ExportMetricsServiceRequest request =
        ExportMetricsServiceRequest.parseFrom(exchange.getRequestBody().readAllBytes());
    synchronized (this) {
      metricRequests.add(request);
    }
    answer(exchange, metricStatus);
  }

  private void traces(HttpExchange exchange) throws IOException {
    ExportTraceServiceRequest request =
        ExportTraceServiceRequest.parseFrom(exchange.getRequestBody().readAllBytes());
    synchronized (this) {
      request.getResourceSpansList().stream()
          .flatMap(resource -> resource.getScopeSpansList().stream())
          .flatMap(scope -> scope.getSpansList().stream())
          .map(ReceivedSpan::of)
          .forEach(spans::add);
    }
    answer(exchange, 200);
  }

  /** Blocks kept, in the order of their commits. */
  public synchronized List<ReceivedBlock> committed() {
    return List.copyOf(committed.values());
  }

  /** Tokens of all attempts, in order. */
  public synchronized List<String> requests() {
    return List.copyOf(requests);
  }

  public synchronized List<String> complaints() {
    return List.copyOf(complaints);
  }

  public synchronized List<ExportMetricsServiceRequest> metricRequests() {
    return List.copyOf(metricRequests);
  }

  /** All spans whose name ends with a topic. */
  public synchronized List<ReceivedSpan> spans(String topic) {
    return spans.stream().filter(span -> span.name().endsWith(" " + topic)).toList();
  }

  private Stream<ReceivedBlock> blocks(String stream) {
    return committed().stream().filter(block -> block.stream().equals(stream));
  }

  /** Number of rows kept of a stream. */
  public long rowCount(String stream) {
    return blocks(stream).mapToLong(block -> NativeReader.rowCount(block.body())).sum();
  }

  /** All values kept of one column of a stream. */
  public List<Object> column(String stream, String column) {
    return blocks(stream)
        .flatMap(block -> NativeReader.column(block.body(), column).stream())
        .toList();
  }

  /** All rows kept of a stream, in the order of the blocks' commits. */
  public List<Map<String, Object>> rows(String stream) {
    return blocks(stream).flatMap(block -> NativeReader.rows(block.body()).stream()).toList();
  }

  /** All rows kept of a stream of a run: worker by worker, in the order of block numbers. */
  public List<Map<String, Object>> rows(String runId, String stream) {
    return blocks(stream)
        .filter(block -> block.runId().equals(runId))
        .sorted(Comparator.comparing(ReceivedBlock::worker).thenComparing(ReceivedBlock::seq))
        .flatMap(block -> NativeReader.rows(block.body()).stream())
        .toList();
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
