// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The files that follow from the declared keys: JSON Schemas for editors, a table for people. */
final class SchemaFiles {
  private SchemaFiles() {}

  /** The JSON Schema of workload files. */
  static String workload() {
    Map<String, Object> document =
        document(
            "Tailrace workload",
            "OMB's workload files, its forks' and Tailrace's own keys",
            Workload.KEYS);
    document.put("$defs", Quantities.definitions());
    return text(document);
  }

  /** The JSON Schema of driver files. */
  static String driver() {
    return text(
        document("Tailrace driver", "OMB's driver files for the Kafka protocol", Driver.KEYS));
  }

  /** A Markdown table of all keys of workload files. */
  static String table() {
    String head = "| key | whose | value | meaning |\n|---|---|---|---|\n";
    return Workload.KEYS.stream()
        .map(SchemaFiles::row)
        .collect(Collectors.joining("\n", head, "\n"));
  }

  private static String row(Key<?> key) {
    String whose = key.dialects().containsAll(List.of(Dialect.values())) ? "all" : whose(key);
    String form = key.values().form().replace("|", "\\|");
    return "| `" + key.name() + "` | " + whose + " | " + form + " | " + key.meaning() + " |";
  }

  private static String whose(Key<?> key) {
    return key.isOwn() ? "Tailrace" : Dialect.benchmarks(key).replace(" or ", ", ");
  }

  private static Map<String, Object> document(String title, String description, List<Key<?>> keys) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put(
        "$comment",
        "SPDX-License-Identifier: Apache-2.0. Generated from the load generator's declared keys"
            + " by: make schema");
    document.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    document.put("title", title);
    document.put("description", description);
    document.putAll(Key.schemaOf(keys));
    return document;
  }

  private static String text(Map<String, Object> document) {
    DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
    Separators separators =
        Separators.createDefaultInstance().withObjectFieldValueSpacing(Separators.Spacing.AFTER);
    DefaultPrettyPrinter printer =
        new DefaultPrettyPrinter(separators)
            .withArrayIndenter(indenter)
            .withObjectIndenter(indenter);
    try {
      return new ObjectMapper().writer(printer).writeValueAsString(document) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("maps and texts become JSON", e);
    }
  }
}
