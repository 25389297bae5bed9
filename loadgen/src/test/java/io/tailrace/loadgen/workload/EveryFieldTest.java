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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every field of both schemas with values of wrong types and out of range. */
class EveryFieldTest {
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final Path SCHEMAS = Path.of("..", "workloads", "schema");

  /** No field takes it: texts for its type, numbers for its size. */
  private static final String HUGE = "1" + "0".repeat(30);

  private static final List<String> PROBES =
      List.of("{zz: 1}", "[[zz]]", "\"no such thing!\"", "-7", "0.123", "true", HUGE);

  /** Fields that lie below others: the line that puts a value there. */
  private static final Map<String, String> BELOW =
      Map.ofEntries(
          Map.entry("topics.", "topics: [{name: a, %s}]"),
          Map.entry("keys.", "keys: {choice: zipf, %s}"),
          Map.entry("rateCurve.", "rateCurve: [{at: 1s, rate: 5, %s}]"),
          Map.entry("arrivals.", "arrivals: {%s}"),
          Map.entry("arrivals.bursts.", "arrivals: {bursts: {every: 1s, lasting: 1s, %s}}"),
          Map.entry("consumerThreads.", "consumerThreads: {%s}"),
          Map.entry("processingTime.", "processingTime: {mean: 1s, %s}"),
          Map.entry("transactions.", "transactions: {messages: 1, %s}"),
          Map.entry("retentionFill.", "retentionFill: {%s}"),
          Map.entry("backlog.", "backlog: {lasting: 1s, %s}"),
          Map.entry("abortWhen.", "abortWhen: {behind: 1s, %s}"),
          Map.entry("audit.", "audit: {%s}"),
          Map.entry("slo.", "slo: {%s}"));

  @TempDir Path folder;

  static Stream<String> workloadFields() throws IOException {
    Set<String> fields = new TreeSet<>();
    collect(tree("workload"), "", fields);
    return fields.stream();
  }

  static Stream<String> driverFields() throws IOException {
    Set<String> fields = new TreeSet<>();
    collect(tree("driver"), "", fields);
    return fields.stream();
  }

  @ParameterizedTest
  @MethodSource("workloadFields")
  void whatTheSchemaRefusesIsAProblemOnItsLine(String field) throws IOException {
    int refused = 0;
    for (String probe : PROBES) {
      Map<String, String> lines = valid();
      String top = field.replaceAll("\\..*", "");
      lines.remove(top);
      String line = line(field, probe);
      String text = String.join("\n", lines.values()) + "\n" + line + "\n";
      if (!probe.equals(HUGE) && schema("workload").validate(YAML.readTree(text)).isEmpty()) {
        continue; // valid
      }
      refused++;
      String at = ":" + (lines.size() + 1) + ": " + top;
      assertThat(workloadProblems(text)).as(line).anySatisfy(p -> assertThat(p).contains(at));
    }
    assertThat(refused).as("wrong values tried on " + field).isGreaterThanOrEqualTo(4);
  }

  @ParameterizedTest
  @MethodSource("driverFields")
  void whatADriversSchemaRefusesIsAProblemOnItsLine(String field) throws IOException {
    int refused = 0;
    for (String probe : PROBES) {
      Map<String, String> lines = new LinkedHashMap<>();
      lines.put("replicationFactor", "replicationFactor: 1");
      lines.put("commonConfig", "commonConfig: \"bootstrap.servers=localhost:9092\"");
      lines.remove(field);
      String text = String.join("\n", lines.values()) + "\n" + field + ": " + probe + "\n";
      if (schema("driver").validate(YAML.readTree(text)).isEmpty()) {
        continue;
      }
      refused++;
      Path file = Files.writeString(folder.resolve("d.yaml"), text);
      Problems problems = new Problems();
      Driver.read(file, DriverChanges.NONE, true, new KafkaConfigNames(), problems);
      String at = ":" + (lines.size() + 1) + ": " + field;
      assertThat(texts(problems)).as(probe).anySatisfy(p -> assertThat(p).contains(at));
    }
    assertThat(refused).as("wrong values tried on " + field).isGreaterThanOrEqualTo(4);
  }

  @Test
  void allWrongFieldsOfAFileAreReportedAtOnceInTheOrderOfTheirLines() throws IOException {
    List<String> fields = new ArrayList<>(tops());
    fields.remove("vary"); // taken out of the file before it is read
    Map<Integer, String> expected = new TreeMap<>();
    StringBuilder text = new StringBuilder();
    for (String field : fields) {
      text.append(field).append(": [[zz]]\n");
      expected.put(expected.size() + 1, field);
    }
    List<String> problems = workloadProblems(text.toString());
    expected.forEach(
        (line, field) ->
            assertThat(problems).anySatisfy(p -> assertThat(p).contains(line + ": " + field)));
    List<Integer> lines =
        problems.stream().map(p -> Integer.valueOf(p.replaceAll("^FILE:(\\d+):.*", "$1"))).toList();
    assertThat(lines).isSorted();
  }

  private static Map<String, String> valid() {
    Map<String, String> lines = new LinkedHashMap<>();
    for (String line :
        List.of(
            "topics: 1",
            "partitionsPerTopic: 4",
            "messageSize: 100",
            "subscriptionsPerTopic: 1",
            "producersPerTopic: 1",
            "consumerPerSubscription: 1",
            "testDuration: 8s",
            "producerRate: 10")) {
      lines.put(line.replaceAll(":.*", ""), line);
    }
    return lines;
  }

  private static String line(String field, String value) {
    String prefix = field.substring(0, field.lastIndexOf('.', nameAt(field)) + 1);
    String own = field.substring(prefix.length()) + ": " + value;
    if (prefix.isEmpty()) {
      return own;
    }
    String frame = BELOW.get(prefix);
    assertThat(frame).as("a line with " + field).isNotNull();
    // A key that the frame has already gives way.
    String name = field.substring(prefix.length());
    return frame.replaceAll("\\b" + name + ": \\w+, ", "").formatted(own);
  }

  /** Bounds have a dot in their name. */
  private static int nameAt(String field) {
    return field.startsWith("slo.") ? "slo.".length() - 1 : field.length();
  }

  private static Set<String> tops() throws IOException {
    Set<String> tops = new TreeSet<>();
    tree("workload").path("properties").fieldNames().forEachRemaining(tops::add);
    return tops;
  }

  private static void collect(JsonNode node, String prefix, Set<String> fields) {
    node.path("properties")
        .properties()
        .forEach(
            entry -> {
              fields.add(prefix + entry.getKey());
              collect(entry.getValue(), prefix + entry.getKey() + ".", fields);
              entry.getValue().path("oneOf").forEach(one -> below(one, prefix, entry, fields));
              below(entry.getValue(), prefix, entry, fields);
            });
  }

  private static void below(
      JsonNode one, String prefix, Map.Entry<String, JsonNode> entry, Set<String> fields) {
    collect(one, prefix + entry.getKey() + ".", fields);
    collect(one.path("items"), prefix + entry.getKey() + ".", fields);
  }

  private List<String> workloadProblems(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("w.yaml"), text);
    Problems problems = new Problems();
    Campaign.read(file, problems)
        .ifPresent(campaign -> campaign.workload(0, Dialect.Hint.NONE, problems));
    return texts(problems);
  }

  private List<String> texts(Problems problems) {
    return problems.all().stream()
        .map(Problem::text)
        .map(line -> line.replaceAll("^[^:]*\\.yaml", "FILE"))
        .toList();
  }

  private static JsonNode tree(String name) throws IOException {
    return YAML.readTree(SCHEMAS.resolve(name + ".json").toFile());
  }

  private static JsonSchema schema(String name) throws IOException {
    return JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(tree(name));
  }
}
