// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.agreement;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;

/** Requests of one worker to the leader. For one thread at a time. */
final class AgreementClient {
  static final Duration REQUEST = Duration.ofSeconds(5);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final URI url;
  private final String authorization;
  private final int worker;
  private final HttpClient http;

  AgreementClient(AgreementEndpoint endpoint, int worker) {
    this.url = endpoint.url();
    this.authorization = "Bearer " + endpoint.token();
    this.worker = worker;
    HttpClient.Builder builder =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(REQUEST);
    endpoint.tls().ifPresent(builder::sslContext);
    this.http = builder.build();
  }

  URI url() {
    return url;
  }

  Optional<Decision> decision() throws IOException, InterruptedException {
    HttpResponse<byte[]> answer = send(request(AgreementServer.DECISION).GET().build());
    return answer.statusCode() == 204
        ? Optional.empty()
        : Optional.of(JSON.readValue(answer.body(), Decision.class));
  }

  /** Returns the read positions of all workers. */
  Positions report(WorkerReport report) throws IOException, InterruptedException {
    byte[] body = JSON.writeValueAsBytes(report);
    HttpRequest put =
        request(AgreementServer.WORKERS + worker).PUT(BodyPublishers.ofByteArray(body)).build();
    return JSON.readValue(send(put).body(), Positions.class);
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(url.resolve(path))
        .timeout(REQUEST)
        .header("Authorization", authorization);
  }

  private HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException {
    HttpResponse<byte[]> answer = http.send(request, BodyHandlers.ofByteArray());
    if (answer.statusCode() / 100 != 2) {
      throw new IOException("HTTP status " + answer.statusCode());
    }
    return answer;
  }
}
