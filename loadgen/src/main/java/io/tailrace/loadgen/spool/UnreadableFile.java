// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs once per file why a file of the spool cannot be read and what follows from it. A file that
 * does not exist is no failure.
 */
final class UnreadableFile {
  private static final Logger LOG = LoggerFactory.getLogger(UnreadableFile.class);
  private static final Set<Path> LOGGED = ConcurrentHashMap.newKeySet();

  private UnreadableFile() {}

  static void log(Path file, Exception failure, String consequence) {
    if (!Files.notExists(file) && LOGGED.add(file.toAbsolutePath())) {
      LOG.warn("{} cannot be read: {}; {}", file, failure.toString(), consequence);
    }
  }
}
