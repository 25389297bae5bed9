// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.DriverConfig.Property;
import io.tailrace.loadgen.workload.DriverConfig.Section;
import io.tailrace.loadgen.workload.Problems.Problem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads {@code vary}, a list whose entries are crossed, each a mapping of fields that step
 * together, and puts a point's values into a file's mapping.
 */
public final class Vary {
  /** One value of one field, with the line of the value. */
  record Setting(String path, int line, YamlNode value) {}

  /** What a campaign's point changes in a driver file: keys, and properties of its sections. */
  public static final class DriverChanges {
    public static final DriverChanges NONE = new DriverChanges("", List.of());

    private final String file;
    private final List<Setting> settings;

    private DriverChanges(String file, List<Setting> settings) {
      this.file = file;
      this.settings = List.copyOf(settings);
    }

    String file() {
      return file;
    }

    /** The driver file's mapping with the keys that are not of a section. */
    YamlNode.Mapping in(YamlNode.Mapping root, Problems problems) {
      YamlNode.Mapping changed = root;
      for (Setting setting : settings) {
        if (Arrays.stream(Section.values()).noneMatch(section -> isOf(setting, section))) {
          changed = put(changed, setting, file, problems);
        }
      }
      return changed;
    }

    /** The properties that are set in {@code section}. */
    List<Property> properties(Section section) {
      return settings.stream()
          .filter(setting -> isOf(setting, section))
          .map(setting -> property(setting, section))
          .toList();
    }

    private static boolean isOf(Setting setting, Section section) {
      return setting.path().startsWith(section.key().name() + ".");
    }

    private static Property property(Setting setting, Section section) {
      String name = setting.path().substring(section.key().name().length() + 1);
      return new Property(setting.line(), name, setting.value().text(), false);
    }
  }

  static final Key<List<YamlNode>> VARY =
      Key.own(
              "vary",
              Kind.listOf(
                  Kind.anyKeys(
                      1, Key.json("type", "array", "minItems", 1), "{field: [value, …], …}")))
          .means(
              "dimensions of a campaign: entries are crossed, fields of one entry step together;"
                  + " fields of the driver file begin with driver.");

  static final List<Key<?>> KEYS = List.of(VARY);

  private static final int MOST_POINTS = 10_000;
  private static final String DRIVER_PREFIX = "driver.";

  /** The whole path below these keys is one key, with its dots. */
  private static final Set<String> DOTTED = Set.of("slo", "headers");

  private final String file;
  private final Problems problems;
  private final Set<String> seen = new HashSet<>();

  private Vary(String file, Problems problems) {
    this.file = file;
    this.problems = problems;
  }

  /** The points of a file: one without settings where nothing varies, or after a problem. */
  static List<List<Setting>> points(String file, YamlNode.Mapping root, Problems problems) {
    List<List<Setting>> points = List.of(List.of());
    Vary vary = new Vary(file, problems);
    for (YamlNode.Entry entry : root.entries()) {
      if (entry.key().equals(VARY.name())) {
        points = vary.points(entry);
      }
    }
    return points;
  }

  private List<List<Setting>> points(YamlNode.Entry vary) {
    List<List<Setting>> points = List.of(List.of());
    if (!(vary.value() instanceof YamlNode.Sequence entries) || entries.items().isEmpty()) {
      String what = "must be a list of dimensions, not " + vary.value().describe();
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
      String what = "not a dimension: " + item.describe();
      add(item.line(), "", what, "write - producerRate: [10k/s, 20k/s]");
      return List.of(List.of());
    }
    List<List<Setting>> steps = new ArrayList<>();
    for (YamlNode.Entry field : dimension.entries()) {
      List<YamlNode> values = values(field);
      check(field);
      if (!steps.isEmpty() && values.size() != steps.size() && !values.isEmpty()) {
        String what = "has " + values.size() + " values, but a field before it has " + steps.size();
        add(field.line(), field.key(), what, "give all fields of an entry equally many");
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
    boolean list = field.value() instanceof YamlNode.Sequence;
    String what = "must be a list of values, not ";
    String remedy = "write " + field.key() + ": [first, second]";
    add(
        field.line(),
        field.key(),
        what + (list ? "an empty one" : field.value().describe()),
        remedy);
    return List.of();
  }

  private void check(YamlNode.Entry field) {
    String path = field.key();
    if (!seen.add(path)) {
      add(field.line(), path, "varied twice", "keep one of the two");
    }
    boolean driver = path.startsWith(DRIVER_PREFIX);
    String key = driver ? path.substring(DRIVER_PREFIX.length()) : path;
    String top = key.contains(".") ? key.substring(0, key.indexOf('.')) : key;
    Set<String> known = new LinkedHashSet<>(Key.names(driver ? Driver.KEYS : Workload.KEYS));
    known.remove(VARY.name());
    if (!known.contains(top)) {
      String remedy = "the nearest known one is " + Problems.nearest(top, known);
      add(field.line(), path, "unknown field", remedy);
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
    String path = field.isEmpty() ? VARY.name() : VARY.name() + "." + field;
    problems.add(new Problem(file, line, path, what, remedy));
  }

  static DriverChanges driverChanges(String file, List<Setting> point) {
    int prefix = DRIVER_PREFIX.length();
    return new DriverChanges(
        file,
        point.stream()
            .filter(setting -> setting.path().startsWith(DRIVER_PREFIX))
            .map(s -> new Setting(s.path().substring(prefix), s.line(), s.value()))
            .toList());
  }

  /** The workload file's mapping with the values of {@code point}. */
  static YamlNode.Mapping in(
      YamlNode.Mapping root, List<Setting> point, String file, Problems problems) {
    YamlNode.Mapping mapping = root;
    for (Setting setting : point) {
      if (!setting.path().startsWith(DRIVER_PREFIX)) {
        mapping = put(mapping, setting, file, problems);
      }
    }
    return mapping;
  }

  /** A copy of a mapping with the value of a setting, which comes from {@code file}. */
  private static YamlNode.Mapping put(
      YamlNode.Mapping mapping, Setting setting, String file, Problems problems) {
    return put(mapping, setting.path(), setting, file, problems);
  }

  private static YamlNode.Mapping put(
      YamlNode.Mapping mapping, String path, Setting setting, String file, Problems problems) {
    int dot = path.indexOf('.');
    String key = dot < 0 ? path : path.substring(0, dot);
    if (dot < 0) {
      return replaced(mapping, key, setting.value(), setting, file);
    }
    String rest = path.substring(dot + 1);
    YamlNode below =
        mapping.entries().stream()
            .filter(entry -> entry.key().equals(key))
            .findFirst()
            .map(YamlNode.Entry::value)
            .orElseGet(() -> new YamlNode.Mapping(setting.line(), List.of()));
    if (!(below instanceof YamlNode.Mapping inner)) {
      String what = key + " is " + below.describe() + " here, so there is nothing below it to vary";
      String keyPath = VARY.name() + "." + setting.path();
      String remedy = "write " + key + " as a mapping";
      problems.add(new Problem(file, setting.line(), keyPath, what, remedy));
      return mapping;
    }
    YamlNode value =
        DOTTED.contains(key)
            ? replaced(inner, rest, setting.value(), setting, file)
            : put(inner, rest, setting, file, problems);
    return replaced(mapping, key, value, setting, file);
  }

  private static YamlNode.Mapping replaced(
      YamlNode.Mapping mapping, String key, YamlNode value, Setting setting, String file) {
    YamlNode.Entry changed = new YamlNode.Entry(key, setting.line(), value, file);
    List<YamlNode.Entry> entries = new ArrayList<>(mapping.entries());
    for (int i = 0; i < entries.size(); i++) {
      if (entries.get(i).key().equals(key)) {
        entries.set(i, changed);
        return new YamlNode.Mapping(mapping.line(), entries);
      }
    }
    entries.add(changed);
    return new YamlNode.Mapping(mapping.line(), entries);
  }
}
