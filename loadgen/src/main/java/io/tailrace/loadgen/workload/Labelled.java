// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.Locale;
import java.util.regex.Pattern;

/** An enum whose constants have names in files and reports. */
public interface Labelled {
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
