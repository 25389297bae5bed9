// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.PayloadSpec.PayloadFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds payload files, and makes those that OMB ships by name when they are missing. */
final class PayloadFiles {
  private static final long MOST_BYTES_IN_ALL = 1L << 30;

  private final Path workloadFile;
  private final Fields fields;
  private final String key;

  /**
   * @param workloadFile payload files are looked for beside it first, then, as in OMB, from the
   *     current folder
   * @param key the key that names the file
   */
  PayloadFiles(Path workloadFile, Fields fields, String key) {
    this.workloadFile = workloadFile;
    this.fields = fields;
    this.key = key;
  }

  /** The file, or all files of the folder by name; empty after adding a problem. */
  List<PayloadFile> named(String name) {
    try {
      Path beside = workloadFile.toAbsolutePath().resolveSibling(name);
      Path path = Files.exists(beside) ? workloadFile.resolveSibling(name) : Path.of(name);
      if (Files.isDirectory(path)) {
        return folder(path);
      }
      if (Files.exists(path)) {
        return read(List.of(path));
      }
      Optional<byte[]> made = NamedPayload.of(name);
      if (made.isPresent()) {
        return List.of(new PayloadFile(Path.of(name), made.get(), true));
      }
      String folder = Optional.ofNullable(workloadFile.getParent()).map(Path::toString).orElse(".");
      String remedy = "put it in " + folder + " or the current folder, or remove the key";
      fields.add(key, "no file " + name, remedy);
    } catch (IOException | InvalidPathException e) {
      fields.add(key, name + " cannot be read", "name a readable file");
    }
    return List.of();
  }

  private List<PayloadFile> folder(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      List<Path> files = entries.filter(Files::isRegularFile).sorted().toList();
      if (files.isEmpty()) {
        fields.add(key, folder + " is a folder without files", "put payload files into it");
      }
      return read(files);
    }
  }

  private List<PayloadFile> read(List<Path> paths) throws IOException {
    List<PayloadFile> files = new ArrayList<>();
    long bytes = 0;
    for (Path path : paths) {
      bytes += Files.size(path);
      if (bytes > MOST_BYTES_IN_ALL) {
        fields.add(
            key, path + " brings the payload files above 1 GiB", "use fewer or smaller ones");
        return List.of();
      }
      files.add(new PayloadFile(path, Files.readAllBytes(path), false));
    }
    for (PayloadFile file : files) {
      if (file.content().length < MessageSpec.LEAST_BYTES) {
        String what = file.path() + " has " + file.content().length + " bytes";
        fields.add(key, what, "make it at least " + MessageSpec.LEAST_BYTES);
        return List.of();
      }
    }
    return files;
  }
}
