// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.Campaign.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Puts a point's value into a file's mapping, as if it stood there. */
final class Substitution {
  /** Under these, what follows is one key, dots and all. */
  private static final Set<String> DOTTED = Set.of("slo", "headers");

  private Substitution() {}

  /**
   * A copy of {@code mapping} in which {@code setting} holds.
   *
   * @param file the file that {@code setting} stands in
   */
  static YamlNode.Mapping in(
      YamlNode.Mapping mapping, Setting setting, String file, Problems problems) {
    return put(mapping, setting.path(), setting, file, problems);
  }

  private static YamlNode.Mapping put(
      YamlNode.Mapping mapping, String path, Setting setting, String file, Problems problems) {
    int dot = path.indexOf('.');
    String key = dot < 0 ? path : path.substring(0, dot);
    YamlNode.Entry old = find(mapping, key);
    YamlNode value = setting.value();
    if (dot >= 0) {
      String rest = path.substring(dot + 1);
      YamlNode below = old == null ? new YamlNode.Mapping(setting.line(), List.of()) : old.value();
      if (!(below instanceof YamlNode.Mapping inner)) {
        String what = key + " is " + below.kind() + " here, so there is nothing below it to vary";
        String remedy = "write " + key + " as a mapping";
        problems.add(new Problem(file, setting.line(), "vary." + setting.path(), what, remedy));
        return mapping;
      }
      value =
          DOTTED.contains(key)
              ? replaced(inner, rest, setting.value(), setting, file)
              : put(inner, rest, setting, file, problems);
    }
    return replaced(mapping, key, value, setting, file);
  }

  private static YamlNode.Mapping replaced(
      YamlNode.Mapping mapping, String key, YamlNode value, Setting setting, String file) {
    List<YamlNode.Entry> entries = new ArrayList<>();
    boolean found = false;
    for (YamlNode.Entry entry : mapping.entries()) {
      boolean here = entry.key().equals(key) && !found;
      found |= here;
      entries.add(here ? new YamlNode.Entry(key, setting.line(), value, file) : entry);
    }
    if (!found) {
      entries.add(new YamlNode.Entry(key, setting.line(), value, file));
    }
    return new YamlNode.Mapping(mapping.line(), entries);
  }

  private static YamlNode.Entry find(YamlNode.Mapping mapping, String key) {
    return mapping.entries().stream().filter(e -> e.key().equals(key)).findFirst().orElse(null);
  }
}
