// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import io.tailrace.loadgen.kafka.KafkaConfigNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What editors are told and what the reader does are the same. */
class SchemaTest {
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final Path ROOM = Path.of("..", "workloads");
  private static final Path TESTDATA = Path.of("..", "testdata", "workloads");

  /** Where the schema keeps the keys of each mapping that the reader knows. */
  private static final Map<String, Set<String>> BELOW =
      Map.ofEntries(
          Map.entry("/properties/topics/oneOf/1/items", TopicsReader.KEYS),
          Map.entry("/properties/keys/oneOf/1", KeysReader.KEYS),
          Map.entry("/properties/rateCurve/items", RateReader.POINT_KEYS),
          Map.entry("/properties/arrivals/oneOf/1", BehaviourReader.BURST_KEYS),
          Map.entry("/properties/arrivals/oneOf/1/properties/bursts", BehaviourReader.BURSTS_KEYS),
          Map.entry("/properties/consumerThreads/oneOf/1", BehaviourReader.POOL_KEYS),
          Map.entry("/properties/processingTime/oneOf/1", BehaviourReader.PROCESSING_KEYS),
          Map.entry("/properties/transactions", BehaviourReader.TRANSACTION_KEYS),
          Map.entry("/properties/abortWhen", BehaviourReader.ABORT_KEYS),
          Map.entry("/properties/retentionFill", PhasesReader.FILL_KEYS),
          Map.entry("/properties/backlog", PhasesReader.BACKLOG_KEYS),
          Map.entry("/properties/slo", SloReader.keys()));

  @TempDir Path folder;

  @Test
  void bothKnowTheSameKeys() throws IOException {
    JsonNode schema = tree("workload");
    assertThat(keys(schema)).isEqualTo(WorkloadKeys.ALL);
    BELOW.forEach((where, known) -> assertThat(keys(schema.at(where))).as(where).isEqualTo(known));
    assertThat(keys(tree("driver"))).isEqualTo(DriverReader.KEYS);
  }

  @Test
  void theSchemaHasNoMappingThatThisTestForgets() throws IOException {
    Set<String> found = new HashSet<>();
    collect(tree("workload").path("properties"), "/properties", found);
    assertThat(found).isEqualTo(BELOW.keySet());
  }

  static List<Path> samples() throws IOException {
    return Stream.of(files(ROOM, 1), files(TESTDATA, 2)).flatMap(List::stream).toList();
  }

  @ParameterizedTest
  @MethodSource("samples")
  void aGoodFileIsGoodToBoth(Path file) throws IOException {
    assertThat(schema("workload").validate(YAML.readTree(file.toFile()))).isEmpty();
    Problems problems = new Problems();
    Campaign campaign = Campaign.read(file, problems).orElseThrow();
    for (int point = 0; point < campaign.size(); point++) {
      campaign.workload(point, problems);
    }
    assertThat(problems.all()).extracting(Problem::text).isEqualTo(List.of());
  }

  static List<Path> drivers() throws IOException {
    return files(ROOM.resolve("drivers"), 1);
  }

  @ParameterizedTest
  @MethodSource("drivers")
  void aGoodDriverIsGoodToBoth(Path file) throws IOException {
    assertThat(schema("driver").validate(YAML.readTree(file.toFile()))).isEmpty();
    Problems problems = new Problems();
    DriverReader.read(file, DriverChanges.NONE, true, new KafkaConfigNames(), problems);
    assertThat(problems.all()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "name: 7",
        "colour: red",
        "dialect: kafka",
        "repeat: 0",
        "keys: zip",
        "keys: {count: 5}",
        "keys: {choice: zipf, colour: red}",
        "headers: {a: 1}",
        "arrivals: often",
        "arrivals: {bursts: {every: 1s}}",
        "rateCurve: [{at: 5s}]",
        "messages: 0",
        "bytes: 1 elephant",
        "readToEnd: 1",
        "warmupReads: -1",
        "consumerType: mob",
        "consumerThreads: {pool: 0}",
        "processingTime: 5",
        "transactions: {}",
        "abortWhen: {}",
        "slo: {endToEnd.p98: 5ms}",
        "slo: {endToEnd.p99: 5}",
        "backlog: {drainRatio: 1}",
        "measureAfter: lunch",
        "randomBytesRatio: 2",
        "vary: {producerRate: [1]}",
        "vary: []",
        "sampleRateMillis: 0",
      })
  void aBadLineIsBadToBoth(String line) throws IOException {
    String text =
        """
        topics: 1
        partitionsPerTopic: 4
        messageSize: 100
        subscriptionsPerTopic: 1
        producersPerTopic: 1
        consumerPerSubscription: 1
        testDuration: 8s
        producerRate: 10
        """
            + line
            + "\n";
    Path file = Files.writeString(folder.resolve("w.yaml"), text);
    assertThat(schema("workload").validate(YAML.readTree(text))).isNotEmpty();
    Problems problems = new Problems();
    Campaign.read(file, problems).orElseThrow().workload(0, problems);
    assertThat(problems.all()).isNotEmpty();
  }

  private static void collect(JsonNode node, String where, Set<String> found) {
    node.properties()
        .forEach(
            entry -> {
              String below = where + "/" + entry.getKey();
              if (entry.getValue().path("properties").isObject()) {
                found.add(below);
              }
              collect(entry.getValue(), below, found);
            });
    for (int i = 0; node.isArray() && i < node.size(); i++) {
      if (node.get(i).path("properties").isObject()) {
        found.add(where + "/" + i);
      }
      collect(node.get(i), where + "/" + i, found);
    }
  }

  private static Set<String> keys(JsonNode mapping) {
    Set<String> keys = new HashSet<>();
    mapping.path("properties").fieldNames().forEachRemaining(keys::add);
    return keys;
  }

  private static JsonNode tree(String name) throws IOException {
    return YAML.readTree(ROOM.resolve("schema/" + name + ".json").toFile());
  }

  private static JsonSchema schema(String name) throws IOException {
    return JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(tree(name));
  }

  private static List<Path> files(Path folder, int depth) throws IOException {
    try (Stream<Path> files = Files.walk(folder, depth)) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList();
    }
  }
}
