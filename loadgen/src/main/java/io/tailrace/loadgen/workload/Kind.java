// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import static io.tailrace.loadgen.workload.Key.json;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The values that a key takes: how a YAML node is read as one, and how the JSON Schema and the
 * table of keys describe them.
 *
 * @param form the values in a few words
 * @param example what to write for a missing value
 */
record Kind<T>(Reader<T> reader, Map<String, Object> schema, String form, String example) {

  /** How a YAML node becomes a value. */
  interface Reader<T> {
    /** The value of a node at or below {@code key}; empty after adding a problem. */
    Optional<T> read(Fields fields, String key, YamlNode node);
  }

  static final Kind<Boolean> FLAG =
      new Kind<>(Kind::flag, json("type", "boolean"), "`true` or `false`", "true");

  /** A text; nothing after the colon counts as a missing key. */
  static final Kind<String> TEXT = new Kind<>(Kind::text, json("type", "string"), "text", "text");

  /** The same, where OMB's files leave the value empty. */
  static final Kind<String> TEXT_OR_EMPTY =
      new Kind<>(Kind::text, json("type", List.of("string", "null")), "text", "text");

  Optional<T> read(Fields fields, String key, YamlNode node) {
    return reader.read(fields, key, node);
  }

  <U> Kind<U> map(Function<T, U> function) {
    return new Kind<>(
        (fields, key, node) -> reader.read(fields, key, node).map(function), schema, form, example);
  }

  /** The same values, described by another JSON Schema. */
  Kind<T> withSchema(Map<String, Object> other) {
    return new Kind<>(reader, other, form, example);
  }

  static Kind<Long> whole(long least, long most) {
    Map<String, Object> schema = json("type", "integer");
    if (least != Long.MIN_VALUE) {
      schema.put("minimum", least);
    }
    if (most != Long.MAX_VALUE) {
      schema.put("maximum", most);
    }
    String form = "whole number" + (least == Long.MIN_VALUE ? "" : ", " + least + " or more");
    String example = "N, a whole number from " + least + " to " + most;
    return new Kind<>(
        (fields, key, node) -> whole(fields, key, node, least, most), schema, form, example);
  }

  /** Whole numbers that fit an {@code int}. */
  static Kind<Integer> count(int least, int most) {
    return whole(least, most).map(Math::toIntExact);
  }

  static Kind<Double> number(double least, double most) {
    String range = plain(BigDecimal.valueOf(least)) + " to " + plain(BigDecimal.valueOf(most));
    return new Kind<>(
        (fields, key, node) -> number(fields, key, node, least, most),
        json("type", "number", "minimum", least, "maximum", most),
        "number, " + range,
        range);
  }

  static <T> Kind<T> choice(String first, T firstValue, String second, T secondValue) {
    Map<String, T> words = new LinkedHashMap<>();
    words.put(first, firstValue);
    words.put(second, secondValue);
    return choice(words);
  }

  /** An enum whose constants have names in files and reports. */
  interface Labelled {
    String name();

    /** The name in files and reports: {@code perPartition} for {@code PER_PARTITION}. */
    default String label() {
      return camelCase(name());
    }

    /** {@code publishService} for {@code publish_service}. */
    static String camelCase(String name) {
      return Pattern.compile("_(.)")
          .matcher(name.toLowerCase(Locale.ROOT))
          .replaceAll(letter -> letter.group(1).toUpperCase(Locale.ROOT));
    }
  }

  @SafeVarargs
  static <T extends Labelled> Kind<T> choice(T... constants) {
    Map<String, T> words = new LinkedHashMap<>();
    for (T constant : constants) {
      words.put(constant.label(), constant);
    }
    return choice(words);
  }

  /** One of a few words, in their order. */
  static <T> Kind<T> choice(Map<String, T> words) {
    List<String> known = List.copyOf(words.keySet());
    return new Kind<>(
        (fields, key, node) -> choice(fields, key, node, words),
        json("enum", known),
        known.stream().map(word -> "`" + word + "`").collect(Collectors.joining(", ")),
        String.join(", ", known.subList(0, known.size() - 1))
            + " or "
            + known.get(known.size() - 1));
  }

  /** A list with at least one item; its reader reads each item in turn. */
  static Kind<List<YamlNode>> listOf(Kind<?> items) {
    return new Kind<>(
        Kind::items,
        json("type", "array", "minItems", 1, "items", items.schema),
        "[" + items.form + ", …]",
        "[first, second]");
  }

  /** The same, or nothing, which AutoMQ's files have. */
  static Kind<List<YamlNode>> listOrEmpty(Kind<?> items) {
    return new Kind<>(
        (fields, key, node) ->
            node instanceof YamlNode.Nothing ? Optional.empty() : items(fields, key, node),
        json("type", List.of("array", "null"), "items", items.schema),
        "[" + items.form + ", …]",
        "[first, second]");
  }

  static Kind<Fields> mapping(List<Key<?>> keys) {
    Set<String> known = Key.names(keys);
    String form = "{" + String.join(", ", known) + "}";
    return new Kind<>(
        (fields, key, node) -> fields.section(key, node, known), Key.schemaOf(keys), form, form);
  }

  /** The same, of which the JSON Schema requires at least one of {@code oneOf}. */
  static Kind<Fields> mapping(List<Key<?>> keys, Key<?>... oneOf) {
    Kind<Fields> plain = mapping(keys);
    plain.schema.put(
        "anyOf", Arrays.stream(oneOf).map(key -> json("required", List.of(key.name()))).toList());
    return plain;
  }

  /** The same mappings, of which the JSON Schema requires at least one key. */
  Kind<T> atLeastOneKey() {
    schema.put("minProperties", 1);
    return this;
  }

  /** A mapping whose keys the user chooses, at least {@code least} of them. */
  static Kind<Fields> anyKeys(int least, Map<String, Object> values, String form) {
    Map<String, Object> schema = json("type", "object", "additionalProperties", values);
    if (least > 0) {
      schema.put("minProperties", least);
    }
    return new Kind<>(
        (fields, key, node) -> fields.section(key, node, Set.of()), schema, form, form);
  }

  /** Two kinds of values: {@code second} for nodes of type {@code node}, else {@code first}. */
  static <T> Kind<T> either(Kind<T> first, Class<? extends YamlNode> type, Kind<T> second) {
    return new Kind<>(
        (fields, key, node) -> (type.isInstance(node) ? second : first).read(fields, key, node),
        json("oneOf", List.of(first.schema, second.schema)),
        first.form + " or " + second.form,
        first.example);
  }

  /** Two kinds of values that the section itself distinguishes. */
  static Kind<YamlNode> either(Kind<?> first, Kind<?> second) {
    return new Kind<>(
        (fields, key, node) -> Optional.of(node),
        json("oneOf", List.of(first.schema, second.schema)),
        first.form + " or " + second.form,
        first.example);
  }

  private static Optional<Boolean> flag(Fields fields, String key, YamlNode node) {
    if (node instanceof YamlNode.Flag flag) {
      return Optional.of(flag.value());
    }
    fields.add(key, "must be true or false, not " + node.describe(), "write true or false");
    return Optional.empty();
  }

  private static Optional<String> text(Fields fields, String key, YamlNode node) {
    if (node instanceof YamlNode.Text text) {
      return Optional.of(text.value());
    }
    if (!(node instanceof YamlNode.Nothing)) {
      fields.add(key, "must be a text, not " + node.describe(), "put it in quotes");
    }
    return Optional.empty();
  }

  private static <T> Optional<T> choice(
      Fields fields, String key, YamlNode node, Map<String, T> words) {
    Optional<String> text = text(fields, key, node);
    if (text.isPresent() && !words.containsKey(text.get())) {
      String nearest = Problems.nearest(text.get(), words.keySet());
      fields.add(key, "unknown value " + text.get(), "the nearest known one is " + nearest);
    }
    return text.map(words::get);
  }

  private static Optional<Long> whole(
      Fields fields, String key, YamlNode node, long least, long most) {
    if (!(node instanceof YamlNode.Number number && number.whole())) {
      String what = "must be a whole number, not " + node.describe();
      String example = Long.toString(Math.max(least, Math.min(most, 1)));
      String remedy = "write it as " + (fields.isValueOf(key, node) ? key + ": " : "");
      fields.addAt(key, node, what, remedy + example);
      return Optional.empty();
    }
    BigDecimal value = number.value();
    return inRange(fields, key, number, BigDecimal.valueOf(least), BigDecimal.valueOf(most))
        ? Optional.of(value.longValueExact())
        : Optional.empty();
  }

  private static Optional<Double> number(
      Fields fields, String key, YamlNode node, double least, double most) {
    if (!(node instanceof YamlNode.Number number)) {
      String what = "must be a number, not " + node.describe();
      fields.addAt(key, node, what, "write it as 0.5");
      return Optional.empty();
    }
    return inRange(fields, key, number, BigDecimal.valueOf(least), BigDecimal.valueOf(most))
        ? Optional.of(number.value().doubleValue())
        : Optional.empty();
  }

  private static boolean inRange(
      Fields fields, String key, YamlNode.Number number, BigDecimal least, BigDecimal most) {
    if (number.value().compareTo(least) >= 0 && number.value().compareTo(most) <= 0) {
      return true;
    }
    String what = "must be from " + plain(least) + " to " + plain(most) + ", not ";
    fields.addAt(key, number, what + number.describe(), "give a number in that range");
    return false;
  }

  private static Optional<List<YamlNode>> items(Fields fields, String key, YamlNode node) {
    if (node instanceof YamlNode.Sequence sequence && !sequence.items().isEmpty()) {
      return Optional.of(sequence.items());
    }
    String what = node instanceof YamlNode.Sequence ? "an empty one" : node.describe();
    fields.add(key, "must be a list, not " + what, "write it as [first, second]");
    return Optional.empty();
  }

  /** Without exponent or trailing zeros. */
  private static String plain(BigDecimal number) {
    return number.stripTrailingZeros().toPlainString();
  }
}
