// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.workload.DriverConfig.Property;
import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class DriverConfigTest {
  private static final String ALL_FORMS =
      """
      # comment that ends in a backslash \\
      acks=all
        linger.ms : 5

      ! another comment
      path=C:\\\\temp\\\\
      long.value=one,\\
          two,\\
          # not a comment
      with\\ space=\\u00e4
      no.value
      equals==a=b
      """;

  @Test
  void readsWhatPropertiesReads() throws IOException {
    Properties whole = new Properties();
    whole.load(new StringReader(ALL_FORMS));
    TreeMap<String, String> pieces = new TreeMap<>();
    DriverConfig.parse(ALL_FORMS, 1).forEach(p -> pieces.put(p.key(), p.value()));
    assertThat(pieces).hasSize(7).containsExactlyInAnyOrderEntriesOf(new TreeMap<>(asMap(whole)));
    assertThat(pieces)
        .containsEntry("with space", "ä")
        .containsEntry("path", "C:\\temp\\")
        .containsEntry("long.value", "one,two,# not a comment");
  }

  @Test
  void reportsTheLineOfEachProperty() {
    assertThat(DriverConfig.parse(ALL_FORMS, 11))
        .extracting(Property::line)
        .containsExactly(12, 13, 16, 17, 20, 21, 22);
  }

  @Test
  void goesOnAfterAMalformedEscape() {
    List<Property> properties = DriverConfig.parse("a=\\u12\nb=2\nc=\\uXYZW\n", 1);
    assertThat(properties)
        .containsExactly(
            new Property(1, "", "", true),
            new Property(2, "b", "2", false),
            new Property(3, "", "", true));
  }

  private static Map<String, String> asMap(Properties properties) {
    TreeMap<String, String> map = new TreeMap<>();
    properties.stringPropertyNames().forEach(key -> map.put(key, properties.getProperty(key)));
    return map;
  }
}
