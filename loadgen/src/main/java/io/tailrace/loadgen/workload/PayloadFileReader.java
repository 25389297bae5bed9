// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/** Finds and checks the payload file of a workload. */
final class PayloadFileReader {
  private final Path workloadFile;
  private final Fields fields;

  PayloadFileReader(Path workloadFile, Fields fields) {
    this.workloadFile = workloadFile;
    this.fields = fields;
  }

  /**
   * The file that {@code key} names: beside the workload file first, then, as in OMB, from the
   * current folder.
   */
  Optional<Workload.PayloadFile> read(String key, int messageSize) {
    String named = fields.text(key).orElse(null);
    if (named == null) {
      return Optional.empty();
    }
    try {
      Path beside = workloadFile.resolveSibling(named);
      Path path = Files.exists(beside) ? beside : Path.of(named);
      if (!Files.exists(path)) {
        String folder =
            Optional.ofNullable(workloadFile.getParent()).map(Path::toString).orElse(".");
        String remedy = "put it in " + folder + " or the current folder, or remove the key";
        fields.add(key, "no file " + named, remedy);
      } else if (Files.isDirectory(path)) {
        fields.add(key, path + " is a folder, which is not supported yet", "name one file");
      } else if (fields.isBad("messageSize")) {
        return Optional.empty(); // no size to compare with
      } else if (Files.size(path) != messageSize) {
        String what =
            path + " has " + Files.size(path) + " bytes but messageSize is " + messageSize;
        fields.add(key, what, "make the two equal");
      } else {
        return Optional.of(new Workload.PayloadFile(path, Files.readAllBytes(path)));
      }
    } catch (IOException | InvalidPathException e) {
      fields.add(key, named + " cannot be read", "name a readable file");
    }
    return Optional.empty();
  }
}
