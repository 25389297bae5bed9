// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.agreement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.BindException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The leader's real endpoint, asked by real followers and by hand. */
class AgreementTest {
  private static final String TOKEN = "0123456789abcdef";
  private static final int WORKERS = 3;
  private static final Decision FIRST = new Decision(1, 2, 1_700_000_000_000_000L, true, 0, 0);

  private final HttpClient http = HttpClient.newHttpClient();
  private Leader leader;
  private URI url;

  @BeforeEach
  void startLeader() throws IOException {
    URI anyPort = URI.create("http://127.0.0.1:0");
    leader = new Leader(new AgreementEndpoint(anyPort, anyPort, TOKEN, Optional.empty()), WORKERS);
    url = URI.create("http://127.0.0.1:" + leader.port());
  }

  @AfterEach
  void stopLeader() {
    leader.close();
  }

  private AgreementEndpoint endpoint(String token) {
    return new AgreementEndpoint(url, url, token, Optional.empty());
  }

  private Follower follower(int worker) {
    return Follower.start(endpoint(TOKEN), worker);
  }

  private HttpResponse<String> request(String method, String path, String token, String body)
      throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(url.resolve(path))
            .header("Authorization", "Bearer " + token)
            .method(method, BodyPublishers.ofString(body))
            .build();
    return http.send(request, BodyHandlers.ofString());
  }

  private int status(String method, String path, String body) throws Exception {
    return request(method, path, TOKEN, body).statusCode();
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.sleep(10);
    }
  }

  @Test
  void aFollowerLearnsTheDecisionsOfTheLeader() throws Exception {
    try (Follower follower = follower(1)) {
      await(follower::met);
      assertThat(follower.decision()).isEmpty();
      leader.announce(FIRST);
      await(() -> follower.decision().isPresent());
      assertThat(follower.decision()).contains(FIRST);
      Decision second = new Decision(2, 2, 1_700_000_003_000_000L, false, 12_345.678_9, 10_000);
      leader.announce(second);
      await(() -> follower.decision().filter(second::equals).isPresent());
    }
  }

  @Test
  void everyWorkerLearnsHowFarTheOthersHaveRead() throws Exception {
    try (Follower one = follower(1);
        Follower two = follower(2)) {
      one.report("g", Map.of(0, 10L));
      two.report("g", Map.of(1, 20L));
      leader.report("g", Map.of(2, 30L));
      Map<Integer, Long> all = Map.of(0, 10L, 1, 20L, 2, 30L);
      await(() -> one.positions("g").equals(all));
      await(() -> two.positions("g").equals(all));
      assertThat(leader.positions("g")).isEqualTo(all);
      // The partition has moved to a worker that has not read as far yet.
      two.report("g", Map.of(0, 7L));
      await(() -> one.positions("g").get(0) == 7L);
    }
  }

  @Test
  void theOthersHaveFinishedWhenAllOfThemReportedIt() throws Exception {
    try (Follower one = follower(1);
        Follower two = follower(2)) {
      await(() -> one.met() && two.met());
      await(leader::othersActive);
      one.finish();
      assertThat(leader.othersFinished()).isFalse();
      two.finish();
      assertThat(leader.othersFinished()).isTrue();
      assertThat(leader.othersActive()).isFalse();
      assertThat(one.leaderLost()).isEmpty();
    }
  }

  @Test
  void aWrongTokenIsRefused() throws Exception {
    String report = "{\"number\":1,\"finished\":true,\"positions\":{}}";
    assertThat(request("GET", "/v1/decision", "wrong", "").statusCode()).isEqualTo(401);
    assertThat(request("PUT", "/v1/workers/1", "", report).statusCode()).isEqualTo(401);
    HttpRequest without = HttpRequest.newBuilder(url.resolve("/v1/decision")).build();
    assertThat(http.send(without, BodyHandlers.ofString()).statusCode()).isEqualTo(401);
    assertThat(leader.othersActive()).isFalse();

    try (Follower outsider = Follower.start(endpoint("fedcba9876543210"), 1)) {
      await(() -> outsider.leaderLost().orElse("").contains("401"));
      assertThat(outsider.met()).isFalse();
    }
  }

  @Test
  void repeatedRequestsChangeNothing() throws Exception {
    String newer = "{\"number\":2,\"finished\":false,\"positions\":{\"g\":{\"0\":20}}}";
    String older = "{\"number\":1,\"finished\":false,\"positions\":{\"g\":{\"0\":10}}}";
    JsonNode positions = null;
    for (int i = 0; i < 3; i++) {
      HttpResponse<String> answer = request("PUT", "/v1/workers/1", TOKEN, newer);
      assertThat(answer.statusCode()).isEqualTo(200);
      positions = new ObjectMapper().readTree(answer.body());
      assertThat(positions.at("/positions/g/0").asLong()).isEqualTo(20);
    }
    assertThat(request("PUT", "/v1/workers/1", TOKEN, older).body())
        .isEqualTo(positions.toString());

    assertThat(status("GET", "/v1/decision", "")).isEqualTo(204);
    leader.announce(FIRST);
    String first = request("GET", "/v1/decision", TOKEN, "").body();
    assertThat(request("GET", "/v1/decision", TOKEN, "").body()).isEqualTo(first);
    assertThat(new ObjectMapper().readValue(first, Decision.class)).isEqualTo(FIRST);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "{",
        "{\"number\":1}",
        "{\"number\":\"x\",\"positions\":{}}",
        "{\"number\":1,\"positions\":{},\"other\":1}",
        "{\"number\":1,\"positions\":{\"g\":{\"a\":1}}}",
        "{\"number\":1,\"positions\":{\"g\":{\"0\":null}}}",
        "{\"number\":1,\"positions\":{\"g\":null}}",
      })
  void aMalformedReportIsRefused(String body) throws Exception {
    assertThat(status("PUT", "/v1/workers/1", body)).isEqualTo(400);
    assertThat(leader.othersActive()).isFalse();
    assertThat(leader.positions("g")).isEmpty();
  }

  @Test
  void otherPathsAndMethodsAreRefused() throws Exception {
    String report = "{\"number\":1,\"finished\":false,\"positions\":{}}";
    for (String path : new String[] {"/", "/v1/workers/0", "/v1/workers/3", "/v1/workers/x"}) {
      assertThat(status("PUT", path, report)).as(path).isEqualTo(404);
    }
    assertThat(status("POST", "/v1/decision", "")).isEqualTo(405);
    assertThat(status("GET", "/v1/workers/1", "")).isEqualTo(405);
  }

  @Test
  void aLeaderWhoseProcessEndedIsLostWithinSeconds() throws Exception {
    try (Follower follower = follower(1)) {
      leader.announce(FIRST);
      await(() -> follower.decision().isPresent());
      assertThat(follower.leaderLost()).isEmpty();
      final long closed = System.nanoTime();
      leader.close();
      await(() -> follower.leaderLost().isPresent());
      assertThat(System.nanoTime() - closed).isLessThan(10_000_000_000L);
      assertThat(follower.leaderLost())
          .contains("worker 0 does not answer at " + url + ": the connection was refused");
      // What it decided before still counts.
      assertThat(follower.decision()).contains(FIRST);
      follower.finish();
      assertThat(follower.leaderLost()).isPresent();
    }
  }

  @Test
  void anAddressInUseIsAnError() {
    assertThatThrownBy(() -> endpoint(TOKEN).start(0, WORKERS)).isInstanceOf(BindException.class);
  }

  @Test
  void aTokenIsNotPrinted() {
    assertThat(endpoint(TOKEN).toString()).contains(url.toString()).doesNotContain(TOKEN);
  }
}
