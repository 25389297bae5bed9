// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.agreement;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * The leader's HTTP endpoint, docs/contracts/agreement.md. Every request may be repeated: it
 * replaces or reads a value.
 */
final class AgreementServer implements AutoCloseable {
  static final String DECISION = "/v1/decision";
  static final String WORKERS = "/v1/workers/";

  private static final Pattern WORKER = Pattern.compile(WORKERS + "(\\d{1,5})");
  private static final int MOST_BYTES = 64 << 20;
  private static final int THREADS = 4;
  private static final ObjectMapper JSON = new ObjectMapper();

  private record Answer(int status, Object body) {
    static Answer problem(int status, String line) {
      return new Answer(status, Map.of("error", line));
    }
  }

  private final HttpServer server;
  private final ExecutorService threads;
  private final byte[] authorization;
  private final Leader leader;

  private AgreementServer(HttpServer server, String token, Leader leader) {
    this.server = server;
    this.leader = leader;
    this.authorization = ("Bearer " + token).getBytes(StandardCharsets.UTF_8);
    this.threads =
        Executors.newFixedThreadPool(
            THREADS,
            task -> {
              Thread thread = new Thread(task, "tailrace-agreement");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Listens, without TLS in plain HTTP; every request has to present the token. */
  static AgreementServer start(
      InetSocketAddress address, Optional<SSLContext> tls, String token, Leader leader)
      throws IOException {
    HttpServer server;
    if (tls.isPresent()) {
      HttpsServer https = HttpsServer.create(address, 0);
      https.setHttpsConfigurator(clientsIdentified(tls.get()));
      server = https;
    } else {
      server = HttpServer.create(address, 0);
    }
    AgreementServer started = new AgreementServer(server, token, leader);
    server.createContext("/", started::handle);
    server.setExecutor(started.threads);
    server.start();
    return started;
  }

  private static HttpsConfigurator clientsIdentified(SSLContext context) {
    return new HttpsConfigurator(context) {
      @Override
      public void configure(HttpsParameters parameters) {
        SSLParameters required = context.getDefaultSSLParameters();
        required.setNeedClientAuth(true);
        parameters.setSSLParameters(required);
      }
    };
  }

  int port() {
    return server.getAddress().getPort();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Answer answer = answer(exchange);
      byte[] body = answer.body() == null ? new byte[0] : JSON.writeValueAsBytes(answer.body());
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
      if (body.length > 0) {
        exchange.getResponseBody().write(body);
      }
    }
  }

  private Answer answer(HttpExchange exchange) throws IOException {
    if (!authorized(exchange)) {
      return Answer.problem(401, "the bearer token is missing or wrong");
    }
    String path = exchange.getRequestURI().getPath();
    Matcher worker = WORKER.matcher(path);
    if (path.equals(DECISION)) {
      return exchange.getRequestMethod().equals("GET") ? decision() : wrongMethod("GET");
    }
    if (!worker.matches() || !leader.isFollower(Integer.parseInt(worker.group(1)))) {
      return Answer.problem(404, "there is no " + path);
    }
    if (!exchange.getRequestMethod().equals("PUT")) {
      return wrongMethod("PUT");
    }
    byte[] body = exchange.getRequestBody().readNBytes(MOST_BYTES + 1);
    return body.length > MOST_BYTES
        ? Answer.problem(413, "a report has at most " + MOST_BYTES + " bytes")
        : report(Integer.parseInt(worker.group(1)), body);
  }

  private boolean authorized(HttpExchange exchange) {
    String given = exchange.getRequestHeaders().getFirst("Authorization");
    return given != null
        && MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), authorization);
  }

  private Answer decision() {
    return leader.decision().map(found -> new Answer(200, found)).orElse(new Answer(204, null));
  }

  private Answer report(int worker, byte[] body) throws IOException {
    try {
      WorkerReport report = JSON.readValue(body, WorkerReport.class);
      if (report != null) {
        leader.report(worker, report);
        return new Answer(200, leader.positions());
      }
    } catch (JacksonException e) {
      // Answered below.
    }
    return Answer.problem(400, "the body is not a worker's report");
  }

  private static Answer wrongMethod(String allowed) {
    return Answer.problem(405, "only " + allowed + " is allowed");
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
