// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.nio.file.Path;

/** The name of a file that gives none in itself. */
final class FileStem {
  private FileStem() {}

  /** File name without folder and extension. */
  static String of(Path file) {
    String name = file.getFileName().toString();
    int dot = name.lastIndexOf('.');
    return dot > 0 ? name.substring(0, dot) : name;
  }
}
