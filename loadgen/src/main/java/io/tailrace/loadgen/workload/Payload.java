// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.Messages.SizeSpec;
import io.tailrace.loadgen.workload.Payload.PayloadSpec.PayloadFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What message values are made of: a generated text, a pool of random values, or files. */
public final class Payload {
  /** What message values are made of, behind the header of each. */
  public sealed interface PayloadSpec {
    /** One text, made from the random seed, in every message. */
    record Generated() implements PayloadSpec {}

    /**
     * A pool of values made from the random seed, one of which each message carries.
     *
     * @param values how many, 1 or more
     * @param randomRatio share of each value's bytes that is random, 0 to 1; the rest is zero bytes
     */
    record RandomPool(int values, double randomRatio) implements PayloadSpec {}

    /** Values as one or more files hold them, one of which each message carries. */
    record Files(List<PayloadFile> files) implements PayloadSpec {
      public Files {
        files = List.copyOf(files);
      }
    }

    /**
     * A payload file.
     *
     * @param path where it is, or would be when it was made
     * @param made whether there was no such file, so that its content was made from its name
     */
    record PayloadFile(Path path, byte[] content, boolean made) {}
  }

  private static final long MOST_BYTES = 1L << 30;

  static final Key<String> FILE =
      Key.omb("payloadFile", Kind.TEXT_OR_EMPTY)
          .means("a file, or a folder whose files are drawn from");
  private static final Key<Boolean> RANDOM =
      Key.omb("useRandomizedPayloads", Kind.FLAG)
          .means("whether values come from a pool of random values");
  private static final Key<Integer> POOL =
      Key.omb("randomizedPayloadPoolSize", Kind.count(0, 1_000_000)).means("values in the pool");
  private static final Key<Double> RATIO =
      Key.omb("randomBytesRatio", Kind.number(0, 1)).means("share of each value that is random");

  static final List<Key<?>> KEYS = List.of(FILE, RANDOM, POOL, RATIO);
  private static final Pattern OMB_FILE = Pattern.compile("payload-(\\d{1,5})(b|Kb)\\.data");
  private static final String[] MESSAGE_KINDS = {"view", "search", "cart", "order", "refund"};

  private final Path workloadFile;
  private final Fields fields;

  private Payload(Path workloadFile, Fields fields) {
    this.workloadFile = workloadFile;
    this.fields = fields;
  }

  /** Searches payload files beside the workload file, then, as in OMB, from the current folder. */
  static Optional<PayloadSpec> read(
      Path workloadFile, Fields fields, Optional<SizeSpec> size, List<String> notes) {
    boolean random = fields.read(RANDOM).orElse(false);
    int pool = fields.read(POOL).orElse(0);
    double ratio = fields.read(RATIO).orElse(0.0);
    Optional<String> name = fields.read(FILE);
    if (random) {
      if (name.isPresent()) {
        notes.add(FILE.name() + " is not used: " + RANDOM.name() + " is true, as in OMB");
      }
      checkPool(fields, pool, size);
      return Optional.of(new PayloadSpec.RandomPool(pool, ratio));
    }
    if (name.isEmpty()) {
      return Optional.of(new PayloadSpec.Generated());
    }
    List<PayloadFile> files = new Payload(workloadFile, fields).files(name.get());
    if (files.isEmpty()) {
      return Optional.empty();
    }
    if (files.get(0).made()) {
      notes.add("payload " + files.get(0).path() + ": no such file, made from its name");
    }
    return Optional.of(new PayloadSpec.Files(files));
  }

  private static void checkPool(Fields fields, int values, Optional<SizeSpec> size) {
    if (values == 0) {
      String what = "must be 1 or more with " + RANDOM.name() + ": true";
      fields.addUnlessBad(POOL, what, "add " + POOL.name() + ": 1000");
    }
    long bytes = (long) values * size.map(SizeSpec::most).orElse(0);
    if (bytes > MOST_BYTES) {
      fields.add(POOL, "makes a pool of " + bytes + " bytes", "stay within 1 GiB");
    }
  }

  /** The file, or all files of the folder by name; empty after adding a problem. */
  private List<PayloadFile> files(String name) {
    try {
      Path beside = workloadFile.toAbsolutePath().resolveSibling(name);
      Path path = Files.exists(beside) ? workloadFile.resolveSibling(name) : Path.of(name);
      if (Files.isDirectory(path)) {
        return folder(path);
      }
      if (Files.exists(path)) {
        return contents(List.of(path));
      }
      Optional<byte[]> made = made(name);
      if (made.isPresent()) {
        return List.of(new PayloadFile(Path.of(name), made.get(), true));
      }
      String folder = Optional.ofNullable(workloadFile.getParent()).map(Path::toString).orElse(".");
      String remedy = "put it in " + folder + " or the current folder, or remove the key";
      fields.add(FILE, "no file " + name, remedy);
    } catch (IOException | InvalidPathException e) {
      fields.add(FILE, name + " cannot be read", "name a readable file");
    }
    return List.of();
  }

  private List<PayloadFile> folder(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      List<Path> files = entries.filter(Files::isRegularFile).sorted().toList();
      if (files.isEmpty()) {
        fields.add(FILE, folder + " is a folder without files", "put payload files into it");
      }
      return contents(files);
    }
  }

  private List<PayloadFile> contents(List<Path> paths) throws IOException {
    List<PayloadFile> files = new ArrayList<>();
    long bytes = 0;
    for (Path path : paths) {
      bytes += Files.size(path);
      if (bytes > MOST_BYTES) {
        String what = path + " brings the payload files above 1 GiB";
        fields.add(FILE, what, "use fewer or smaller ones");
        return List.of();
      }
      files.add(new PayloadFile(path, Files.readAllBytes(path), false));
    }
    for (PayloadFile file : files) {
      if (file.content().length < Messages.LEAST_BYTES) {
        String what = file.path() + " has " + file.content().length + " bytes";
        fields.add(FILE, what, "make it at least " + Messages.LEAST_BYTES);
        return List.of();
      }
    }
    return files;
  }

  /**
   * The content of one of OMB's files, {@code payload-100b.data}, {@code payload-1Kb.data} and the
   * like, where the file is missing. The bytes are ours: JSON lines as services send each other,
   * the same on every machine. Empty for any other name.
   */
  private static Optional<byte[]> made(String name) {
    Matcher matcher = OMB_FILE.matcher(Path.of(name).getFileName().toString());
    if (!matcher.matches()) {
      return Optional.empty();
    }
    int bytes = Integer.parseInt(matcher.group(1)) * (matcher.group(2).equals("b") ? 1 : 1024);
    return bytes < Messages.LEAST_BYTES || bytes > Messages.MOST_BYTES
        ? Optional.empty()
        : Optional.of(jsonLines(bytes));
  }

  private static byte[] jsonLines(int bytes) {
    SplittableRandom random = new SplittableRandom(bytes);
    StringBuilder text = new StringBuilder(bytes + 200);
    while (text.length() < bytes) {
      text.append(
          String.format(
              Locale.ROOT,
              "{\"kind\":\"%s\",\"user\":%09d,\"session\":\"%016x%016x\",\"cents\":%d}\n",
              MESSAGE_KINDS[random.nextInt(MESSAGE_KINDS.length)],
              random.nextInt(1_000_000_000),
              random.nextLong(),
              random.nextLong(),
              random.nextInt(100_000)));
    }
    return text.substring(0, bytes).getBytes(StandardCharsets.US_ASCII);
  }
}
