// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The files and folders of a durable spool that have changed since their last flush. Not
 * thread-safe.
 */
final class UnflushedFiles {
  private final boolean durable;
  private final Set<Path> changed = new LinkedHashSet<>();

  UnflushedFiles(boolean durable) {
    this.durable = durable;
  }

  void add(Path path) {
    if (durable) {
      changed.add(path);
    }
  }

  void addAll(Collection<Path> paths) {
    changed.addAll(paths);
  }

  /** A new folder is found after a power loss only if each folder above it is flushed too. */
  void addWithParents(Path folder) {
    for (Path path = folder.toAbsolutePath(); path != null; path = path.getParent()) {
      add(path);
    }
  }

  /** Those that changed before this call; later changes need another flush. */
  List<Path> take() {
    List<Path> taken = List.copyOf(changed);
    changed.clear();
    return taken;
  }

  static void flush(List<Path> paths) throws IOException {
    for (Path path : paths) {
      flush(path);
    }
  }

  /**
   * Returns once the file or the folder's entries are on the drive. The file is opened for this, so
   * that another thread may close or delete it meanwhile.
   */
  private static void flush(Path path) throws IOException {
    boolean folder = Files.isDirectory(path);
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(folder);
    } catch (NoSuchFileException e) {
      // A segment without unsettled blocks was deleted.
    } catch (AccessDeniedException e) {
      if (!folder) {
        throw e;
      }
      // A folder that this user may not read was not created by this process.
    }
  }
}
