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
 * @param required whether the JSON Schema requires it in its mapping
 * @param meaning what it means, in one line
 */
record Key<T>(
    String name, Kind<T> values, Set<Dialect> dialects, boolean required, String meaning) {

  /** A key of OMB that all forks know too. */
  static <T> Key<T> omb(String name, Kind<T> values) {
    return new Key<>(name, values, EnumSet.allOf(Dialect.class), false, "");
  }

  /** A key that only {@code dialects} know beside Tailrace. */
  static <T> Key<T> of(String name, Kind<T> values, Dialect... dialects) {
    return new Key<>(name, values, EnumSet.of(Dialect.TAILRACE, dialects), false, "");
  }

  /** A key of Tailrace's own at the top of a workload file. */
  static <T> Key<T> own(String name, Kind<T> values) {
    return of(name, values);
  }

  /** A key of a driver file, or below another key. */
  static <T> Key<T> below(String name, Kind<T> values) {
    return new Key<>(name, values, Set.of(), false, "");
  }

  /** The same with its meaning, which the JSON Schema and the table of keys show. */
  Key<T> means(String text) {
    return new Key<>(name, values, dialects, required, text);
  }

  /** The same, required by the JSON Schema. */
  Key<T> asRequired() {
    return new Key<>(name, values, dialects, true, meaning);
  }

  /** Whether only Tailrace knows it. */
  boolean isOwn() {
    return dialects.equals(EnumSet.of(Dialect.TAILRACE));
  }

  static Set<String> names(List<Key<?>> keys) {
    return keys.stream().map(Key::name).collect(Collectors.toCollection(LinkedHashSet::new));
  }

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
    List<String> required = keys.stream().filter(Key::required).map(Key::name).toList();
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
