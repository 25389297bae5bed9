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
import io.tailrace.loadgen.workload.Problems.Problem;
import io.tailrace.loadgen.workload.Vary.DriverChanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The JSON Schema for editors accepts and refuses what the reader does. */
class SchemaTest {
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final Path ROOM = Path.of("..", "workloads");
  private static final Path TESTDATA = Path.of("..", "testdata", "workloads");

  /** Run with this property to write the files instead of comparing them: make schema. */
  private static final boolean WRITE = Boolean.getBoolean("tailrace.schema.write");

  private static final String BEGIN = "<!-- begin workload keys: written by make schema -->\n";
  private static final String END = "<!-- end workload keys -->\n";

  @TempDir Path folder;

  @Test
  void theSchemasFollowFromTheDeclaredKeys() throws IOException {
    isCurrent(ROOM.resolve("schema/workload.json"), SchemaFiles.workload());
    isCurrent(ROOM.resolve("schema/driver.json"), SchemaFiles.driver());
  }

  @Test
  void theTableOfKeysFollowsFromTheDeclaredKeys() throws IOException {
    Path readme = ROOM.resolve("README.md");
    String text = Files.readString(readme);
    assertThat(text).contains(BEGIN, END);
    String before = text.substring(0, text.indexOf(BEGIN));
    String after = text.substring(text.indexOf(END));
    isCurrent(readme, before + BEGIN + "\n" + SchemaFiles.table() + "\n" + after);
  }

  private static void isCurrent(Path file, String expected) throws IOException {
    if (WRITE) {
      Files.writeString(file, expected);
    }
    assertThat(Files.readString(file)).as(file + ", written by make schema").isEqualTo(expected);
  }

  @Test
  void everyKeyIsDeclaredOnce() {
    List<String> names = Workload.KEYS.stream().map(Key::name).toList();
    assertThat(names).doesNotHaveDuplicates();
    assertThat(Workload.KEYS).allSatisfy(key -> assertThat(key.dialects()).isNotEmpty());
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
      campaign.workload(point, Dialect.Hint.NONE, problems);
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
    Driver.read(file, DriverChanges.NONE, true, new KafkaConfigNames(), problems);
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
        "audit: all",
        "audit: {}",
        "durability: sometimes",
        "audit: {reread: some}",
        "audit: {reread: 0}",
        "audit: {reread: all, again: 1}",
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
    Campaign.read(file, problems).orElseThrow().workload(0, Dialect.Hint.NONE, problems);
    assertThat(problems.all()).isNotEmpty();
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
