// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tailrace.loadgen.block.NativeReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.GZIPInputStream;

/** An OTLP/HTTP receiver that stores and acknowledges every block. */
final class BlockSinkServer implements AutoCloseable {
  /** A sequence begins with the µs since 1970. */
  private static final int SEQ_BITS = 56;

  private final HttpServer server;
  private final ExecutorService threads = Executors.newFixedThreadPool(4);
  private final Map<String, NavigableMap<Long, byte[]>> blocks = new ConcurrentHashMap<>();
  private final List<Span> spans = new CopyOnWriteArrayList<>();

  BlockSinkServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/v1/logs", this::logs);
    server.createContext("/v1/traces", this::traces);
    server.createContext("/v1/metrics", exchange -> answer(exchange, 200));
    server.setExecutor(threads);
    server.start();
  }

  URI endpoint() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** All rows of a stream of a run, worker by worker, in the order of its blocks. */
  List<Map<String, Object>> rows(String runId, String stream) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (byte[] block : blocks.getOrDefault(runId + "/" + stream, new TreeMap<>()).values()) {
      rows.addAll(NativeReader.rows(block));
    }
    return rows;
  }

  /** A span that was sent here; ids in hexadecimal digits, {@code parent} empty for none. */
  record Span(String trace, String id, String parent, String name) {}

  /** All spans whose name ends with a topic. */
  List<Span> spans(String topic) {
    return spans.stream().filter(span -> span.name().endsWith(" " + topic)).toList();
  }

  private void traces(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      // ExportTraceServiceRequest.resource_spans.scope_spans.spans
      for (ByteBuffer span : ProtobufFields.at(ByteBuffer.wrap(body), 1, 2, 2)) {
        List<ByteBuffer> parent = ProtobufFields.at(span, 4);
        spans.add(
            new Span(
                hex(ProtobufFields.at(span, 1).get(0)),
                hex(ProtobufFields.at(span, 2).get(0)),
                parent.isEmpty() ? "" : hex(parent.get(0)),
                text(ProtobufFields.at(span, 5).get(0))));
      }
      answer(exchange, 200);
    }
  }

  private static String hex(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    return HexFormat.of().formatHex(copy);
  }

  private void logs(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      if ("gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"))) {
        body = new GZIPInputStream(new ByteArrayInputStream(body)).readAllBytes();
      }
      // ExportLogsServiceRequest.resource_logs.scope_logs.log_records
      for (ByteBuffer record : ProtobufFields.at(ByteBuffer.wrap(body), 1, 2, 2)) {
        store(record);
      }
      answer(exchange, 200);
    } catch (RuntimeException e) {
      answer(exchange, 400);
    }
  }

  private void store(ByteBuffer record) {
    String runId = "";
    String stream = "";
    long seq = -1;
    long worker = 0;
    for (ByteBuffer attribute : ProtobufFields.at(record, 6)) {
      ByteBuffer value = ProtobufFields.at(attribute, 2).get(0);
      switch (text(ProtobufFields.at(attribute, 1).get(0))) {
        case "tailrace.run.id" -> runId = text(ProtobufFields.at(value, 1).get(0));
        case "tailrace.stream" -> stream = text(ProtobufFields.at(value, 1).get(0));
        case "tailrace.worker.id" -> worker = ProtobufFields.firstNumber(value);
        case "tailrace.block.seq" -> seq = ProtobufFields.firstNumber(value);
        default -> {}
      }
    }
    ByteBuffer body = ProtobufFields.at(record, 5, 7).get(0);
    byte[] block = new byte[body.remaining()];
    body.get(block);
    blocks
        .computeIfAbsent(runId + "/" + stream, key -> new ConcurrentSkipListMap<>())
        .put(worker << SEQ_BITS | seq, block);
  }

  private static String text(ByteBuffer bytes) {
    return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
  }

  private static void answer(HttpExchange exchange, int status) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
