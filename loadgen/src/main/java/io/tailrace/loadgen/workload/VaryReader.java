// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.Campaign.Setting;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads {@code vary}: a list whose entries are crossed, each a mapping of fields that step
 * together.
 */
final class VaryReader {
  private static final String VARY = "vary";
  private static final int MOST_POINTS = 10_000;

  private final String file;
  private final Problems problems;
  private final Set<String> seen = new HashSet<>();

  private VaryReader(String file, Problems problems) {
    this.file = file;
    this.problems = problems;
  }

  /** The points of a file: one without settings where nothing varies, or after a problem. */
  static List<List<Setting>> points(String file, YamlNode.Mapping root, Problems problems) {
    List<List<Setting>> points = List.of(List.of());
    VaryReader reader = new VaryReader(file, problems);
    for (YamlNode.Entry entry : root.entries()) {
      if (entry.key().equals(VARY)) {
        points = reader.points(entry);
      }
    }
    return points;
  }

  private List<List<Setting>> points(YamlNode.Entry vary) {
    List<List<Setting>> points = List.of(List.of());
    if (!(vary.value() instanceof YamlNode.Sequence entries) || entries.items().isEmpty()) {
      String what = "must be a list of dimensions, not " + vary.value().kind();
      add(vary.line(), "", what, "write - producerRate: [10k/s, 20k/s] under it");
      return points;
    }
    for (YamlNode item : entries.items()) {
      List<List<Setting>> steps = steps(item);
      if ((long) points.size() * steps.size() > MOST_POINTS) {
        add(vary.line(), "", "makes more than " + MOST_POINTS + " points", "vary less");
        return List.of(List.of());
      }
      points = crossed(points, steps);
    }
    return points;
  }

  /** The steps of one dimension; one without settings after a problem. */
  private List<List<Setting>> steps(YamlNode item) {
    if (!(item instanceof YamlNode.Mapping dimension) || dimension.entries().isEmpty()) {
      add(item.line(), "", "no dimension: " + item.kind(), "write - producerRate: [10k/s, 20k/s]");
      return List.of(List.of());
    }
    List<List<Setting>> steps = new ArrayList<>();
    for (YamlNode.Entry field : dimension.entries()) {
      List<YamlNode> values = values(field);
      check(field);
      if (!steps.isEmpty() && values.size() != steps.size() && !values.isEmpty()) {
        String what = "has " + values.size() + " values beside a field with " + steps.size();
        add(field.line(), field.key(), what, "give fields that step together equally many");
        continue;
      }
      for (int i = 0; i < values.size(); i++) {
        if (steps.size() == i) {
          steps.add(new ArrayList<>());
        }
        steps.get(i).add(new Setting(field.key(), values.get(i).line(), values.get(i)));
      }
    }
    return steps.isEmpty() ? List.of(List.of()) : steps;
  }

  private List<YamlNode> values(YamlNode.Entry field) {
    if (field.value() instanceof YamlNode.Sequence list && !list.items().isEmpty()) {
      return list.items();
    }
    String kind =
        field.value() instanceof YamlNode.Sequence ? "an empty one" : field.value().kind();
    String what = "must be a list of values, not " + kind;
    add(field.line(), field.key(), what, "write " + field.key() + ": [first, second]");
    return List.of();
  }

  private void check(YamlNode.Entry field) {
    String path = field.key();
    if (!seen.add(path)) {
      add(field.line(), path, "varied twice", "keep one of the two");
    }
    boolean driver = path.startsWith(DriverChanges.PREFIX);
    Set<String> known = driver ? DriverReader.KEYS : WorkloadKeys.ALL;
    String key = driver ? path.substring(DriverChanges.PREFIX.length()) : path;
    String top = key.contains(".") ? key.substring(0, key.indexOf('.')) : key;
    if (!known.contains(top) || top.equals(VARY)) {
      Set<String> others = new LinkedHashSet<>(known);
      others.remove(VARY);
      String nearest = NearestName.of(top, others);
      add(field.line(), path, "unknown field", "the nearest known one is " + nearest);
    }
  }

  private static List<List<Setting>> crossed(
      List<List<Setting>> points, List<List<Setting>> steps) {
    List<List<Setting>> crossed = new ArrayList<>();
    for (List<Setting> point : points) {
      for (List<Setting> step : steps) {
        List<Setting> both = new ArrayList<>(point);
        both.addAll(step);
        crossed.add(both);
      }
    }
    return crossed;
  }

  private void add(int line, String field, String what, String remedy) {
    String path = field.isEmpty() ? VARY : VARY + "." + field;
    problems.add(new Problem(file, line, path, what, remedy));
  }
}
