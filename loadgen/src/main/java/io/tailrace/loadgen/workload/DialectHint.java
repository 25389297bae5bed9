// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What is known of a workload file's dialect from outside of it. The file's own {@code dialect}
 * comes first, then {@code named}, then {@code likely}.
 *
 * @param named what the user says it is
 * @param likely whose benchmark the driver file is written for; only where its fields allow it
 */
public record DialectHint(Optional<Dialect> named, Optional<Dialect> likely) {
  /** Nothing is known. */
  public static final DialectHint NONE = new DialectHint(Optional.empty(), Optional.empty());

  /** A hint from a user's option, which may be null, and a driver file, which may be unreadable. */
  public static DialectHint of(Dialect named, Path driverFile) {
    Optional<Dialect> likely =
        YamlFile.read(driverFile, new Problems()).stream()
            .flatMap(root -> root.entries().stream())
            .filter(entry -> entry.key().equals(DriverReader.DRIVER_CLASS))
            .map(entry -> entry.value().text())
            .filter(name -> name.startsWith(DriverReader.REDPANDA_PACKAGE))
            .map(name -> Dialect.REDPANDA)
            .findFirst();
    return new DialectHint(Optional.ofNullable(named), likely);
  }
}
