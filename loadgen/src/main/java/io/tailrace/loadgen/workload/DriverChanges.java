// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.Campaign.Setting;
import io.tailrace.loadgen.workload.PropertiesSection.Property;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What a campaign's point changes in a driver file: keys, and properties of its sections. */
public final class DriverChanges {
  /** No changes. */
  public static final DriverChanges NONE = new DriverChanges("", List.of());

  static final String PREFIX = "driver.";

  private final String file;
  private final List<Setting> settings;

  /**
   * @param file the file that the settings stand in
   */
  DriverChanges(String file, List<Setting> settings) {
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
      if (!ofSection(setting)) {
        Setting bare = new Setting(path(setting), setting.line(), setting.value());
        changed = Substitution.in(changed, bare, file, problems);
      }
    }
    return changed;
  }

  /** The properties that are set in {@code section}. */
  List<Property> of(Section section) {
    List<Property> properties = new ArrayList<>();
    for (Setting setting : settings) {
      String prefix = section.key() + ".";
      if (path(setting).startsWith(prefix)) {
        String name = path(setting).substring(prefix.length());
        properties.add(new Property(setting.line(), name, setting.value().text(), false));
      }
    }
    return properties;
  }

  private static boolean ofSection(Setting setting) {
    return Arrays.stream(Section.values()).anyMatch(s -> path(setting).startsWith(s.key() + "."));
  }

  private static String path(Setting setting) {
    return setting.path().substring(PREFIX.length());
  }
}
