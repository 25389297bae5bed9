// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A workload file as one or, with {@code vary}, several points: the cross product of its
 * dimensions, the last one changing fastest. A file without {@code vary} has one point without
 * values.
 */
public final class Campaign {
  /** One value of one field, from the line it stands on. */
  record Setting(String path, int line, YamlNode value) {}

  private static final String VARY = "vary";

  private final Path file;
  private final YamlNode.Mapping root;
  private final List<List<Setting>> points;

  private Campaign(Path file, YamlNode.Mapping root, List<List<Setting>> points) {
    this.file = file;
    this.root = root;
    this.points = points;
  }

  /**
   * Reads a workload file.
   *
   * @param problems takes what is wrong with the file as YAML or with {@code vary}
   * @return empty when the file could not be read as YAML
   */
  public static Optional<Campaign> read(Path file, Problems problems) {
    return YamlFile.read(file, problems)
        .map(
            root ->
                new Campaign(
                    file,
                    new YamlNode.Mapping(
                        root.line(),
                        root.entries().stream().filter(e -> !e.key().equals(VARY)).toList()),
                    VaryReader.points(file.toString(), root, problems)));
  }

  /** How many points it has, 1 or more. */
  public int size() {
    return points.size();
  }

  /** Whether it varies anything. */
  public boolean varies() {
    return !points.get(0).isEmpty();
  }

  /** What {@code point} sets: field path to value, as text, in file order. */
  public Map<String, String> values(int point) {
    Map<String, String> values = new LinkedHashMap<>();
    points.get(point).forEach(setting -> values.put(setting.path(), setting.value().text()));
    return values;
  }

  /**
   * The workload at a point.
   *
   * @param problems takes every problem; when it got any, the workload is not to be used
   */
  public Workload workload(int point, Problems problems) {
    return workload(point, DialectHint.NONE, problems);
  }

  /** The same with what is known of the file's dialect. */
  public Workload workload(int point, DialectHint hint, Problems problems) {
    return WorkloadReader.read(file, mapping(point, problems), hint, problems);
  }

  /**
   * What a point's workload asks for and its driver makes impossible.
   *
   * @param workload the point's
   * @param problems takes every problem
   */
  public void checkDriver(
      int point, Workload workload, Driver driver, ClientConfigNames names, Problems problems) {
    boolean sound = problems.all().isEmpty();
    YamlNode.Mapping mapping = mapping(point, problems);
    Fields fields = new Fields(file.toString(), mapping, Set.of(), problems);
    DriverConflicts.check(workload, driver, fields, names, sound);
  }

  private YamlNode.Mapping mapping(int point, Problems problems) {
    YamlNode.Mapping mapping = root;
    for (Setting setting : points.get(point)) {
      if (!setting.path().startsWith(DriverChanges.PREFIX)) {
        mapping = Substitution.in(mapping, setting, file.toString(), problems);
      }
    }
    return mapping;
  }

  /** What a point changes in the driver file. */
  public DriverChanges driverChanges(int point) {
    List<Setting> ofDriver = new ArrayList<>();
    for (Setting setting : points.get(point)) {
      if (setting.path().startsWith(DriverChanges.PREFIX)) {
        ofDriver.add(setting);
      }
    }
    return new DriverChanges(file.toString(), ofDriver);
  }
}
