// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.Vary.DriverChanges;
import io.tailrace.loadgen.workload.Vary.Setting;
import java.nio.file.Path;
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
  private final Path file;
  private final YamlNode.Mapping root;
  private final List<List<Setting>> points;

  private Campaign(Path file, YamlNode.Mapping root, List<List<Setting>> points) {
    this.file = file;
    this.root = root;
    this.points = points;
  }

  /** Reads a workload file; empty when it is not YAML. */
  public static Optional<Campaign> read(Path file, Problems problems) {
    return YamlNode.read(file, problems)
        .map(
            root ->
                new Campaign(
                    file,
                    new YamlNode.Mapping(
                        root.line(),
                        root.entries().stream()
                            .filter(e -> !e.key().equals(Vary.VARY.name()))
                            .toList()),
                    Vary.points(file.toString(), root, problems)));
  }

  /** The number of points, 1 or more. */
  public int size() {
    return points.size();
  }

  /** The values of {@code point} by field path, as text, in file order. */
  public Map<String, String> values(int point) {
    Map<String, String> values = new LinkedHashMap<>();
    points.get(point).forEach(setting -> values.put(setting.path(), setting.value().text()));
    return values;
  }

  /** The workload at a point; not to be used when it got any problem. */
  public Workload workload(int point, Dialect.Hint hint, Problems problems) {
    return Workload.read(file, mapping(point, problems), hint, problems);
  }

  /** Reports what a point's workload asks for and its driver makes impossible. */
  public void checkDriver(
      int point, Workload workload, Driver driver, ClientConfig.Names names, Problems problems) {
    boolean sound = problems.all().isEmpty();
    YamlNode.Mapping mapping = mapping(point, problems);
    Fields fields = new Fields(file.toString(), mapping, Set.of(), problems);
    workload.checkDriver(driver, fields, names, sound);
  }

  private YamlNode.Mapping mapping(int point, Problems problems) {
    return Vary.in(root, points.get(point), file.toString(), problems);
  }

  public DriverChanges driverChanges(int point) {
    return Vary.driverChanges(file.toString(), points.get(point));
  }
}
