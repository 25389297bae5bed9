// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One key of a file, declared once: reading, JSON Schema and the table of keys all follow from it.
 *
 * @param values the values that the key takes
 * @param dialects the dialects that know a key at the top of a workload file; Tailrace's always
 *     does. Empty for keys elsewhere
 * @param demanded whether the JSON Schema demands it in its mapping
 * @param meaning what it means, in one line
 */
record Key<T>(
    String name, Kind<T> values, Set<Dialect> dialects, boolean demanded, String meaning) {

  /** A key of OMB that all forks know too. */
  static <T> Key<T> omb(String name, Kind<T> values, String meaning) {
    return new Key<>(name, values, EnumSet.allOf(Dialect.class), false, meaning);
  }

  /** A key that only {@code dialect} and perhaps {@code others} know beside Tailrace. */
  static <T> Key<T> of(
      String name, Kind<T> values, String meaning, Dialect dialect, Dialect... others) {
    Set<Dialect> dialects = EnumSet.of(Dialect.TAILRACE, others);
    dialects.add(dialect);
    return new Key<>(name, values, dialects, false, meaning);
  }

  /** A key of Tailrace's own at the top of a workload file. */
  static <T> Key<T> own(String name, Kind<T> values, String meaning) {
    return new Key<>(name, values, EnumSet.of(Dialect.TAILRACE), false, meaning);
  }

  /** A key of a driver file, or below another key. */
  static <T> Key<T> below(String name, Kind<T> values, String meaning) {
    return new Key<>(name, values, Set.of(), false, meaning);
  }

  /** The same, demanded by the JSON Schema. */
  Key<T> demand() {
    return new Key<>(name, values, dialects, true, meaning);
  }

  /** Whether only Tailrace knows it. */
  boolean isOwn() {
    return dialects.equals(EnumSet.of(Dialect.TAILRACE));
  }

  /** The names of {@code keys}, in their order. */
  static Set<String> names(List<Key<?>> keys) {
    return keys.stream().map(Key::name).collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** All keys of several sections, in their order. */
  @SafeVarargs
  static List<Key<?>> all(List<Key<?>>... sections) {
    List<Key<?>> keys = new ArrayList<>();
    for (List<Key<?>> section : sections) {
      keys.addAll(section);
    }
    return List.copyOf(keys);
  }

  /** JSON Schema of a mapping with {@code keys} and no others. */
  static Map<String, Object> schemaOf(List<Key<?>> keys) {
    Map<String, Object> properties = new LinkedHashMap<>();
    for (Key<?> key : keys) {
      Map<String, Object> property = new LinkedHashMap<>(key.values().schema());
      property.put("description", key.meaning());
      properties.put(key.name(), property);
    }
    Map<String, Object> mapping =
        json("type", "object", "additionalProperties", false, "properties", properties);
    List<String> required = keys.stream().filter(Key::demanded).map(Key::name).toList();
    if (!required.isEmpty()) {
      mapping.put("required", required);
    }
    return mapping;
  }

  /** A JSON object, from names and values in turn. */
  static Map<String, Object> json(Object... namesAndValues) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      object.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return object;
  }
}
