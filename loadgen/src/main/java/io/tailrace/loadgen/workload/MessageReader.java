// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.PayloadSpec.PayloadFile;
import io.tailrace.loadgen.workload.SizeSpec.Bucket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Reads what message values are: their size and what they are made of. */
final class MessageReader {
  private static final int LEAST = MessageSpec.LEAST_BYTES;
  private static final int MOST = 128 << 20;
  private static final long MOST_POOL_BYTES = 1L << 30;
  private static final int MOST_POOL = 1_000_000;
  private static final String SIZE = "messageSize";
  private static final String SIZES = "messageSizeDistribution";
  private static final String FILE = "payloadFile";
  private static final String POOL = "randomizedPayloadPoolSize";
  private static final String RATIO = "randomBytesRatio";
  private static final String RANDOM = "useRandomizedPayloads";

  private final Path file;
  private final Fields fields;
  private final List<String> notes;

  MessageReader(Path file, Fields fields, List<String> notes) {
    this.file = file;
    this.fields = fields;
    this.notes = notes;
  }

  /**
   * @param produces whether any message is sent, so that there must be a size
   */
  MessageSpec read(boolean produces) {
    Optional<SizeSpec> size = size();
    boolean random = fields.flag(RANDOM).orElse(false);
    OptionalLong pool = fields.whole(POOL, 0, MOST_POOL);
    double ratio = fields.number(RATIO, 0, 1).orElse(0);
    Optional<String> named = fields.text(FILE);
    if (random) {
      named.ifPresent(name -> notes.add(FILE + " is not used: " + RANDOM + " is true, as in OMB"));
      return new MessageSpec(required(size, produces), randomPool(size, pool, ratio));
    }
    if (named.isEmpty()) {
      return new MessageSpec(required(size, produces), new PayloadSpec.Generated());
    }
    List<PayloadFile> files = new PayloadFiles(file, fields, FILE).named(named.get());
    if (files.isEmpty()) {
      return new MessageSpec(SizeSpec.of(LEAST), new PayloadSpec.Generated());
    }
    return ofFiles(files, size);
  }

  private MessageSpec ofFiles(List<PayloadFile> files, Optional<SizeSpec> size) {
    PayloadFile first = files.get(0);
    if (fields.has(SIZES)) {
      fields.add(SIZES, "given beside " + FILE, "keep one: files have sizes of their own");
    } else if (files.size() == 1
        && size.isPresent()
        && size.get().most() != first.content().length) {
      String what =
          first.path()
              + " has "
              + first.content().length
              + " bytes but messageSize is "
              + size.get().most();
      fields.add(FILE, what, "make the two equal");
    }
    if (first.made()) {
      notes.add("payload " + first.path() + ": no such file, made from its name");
    }
    List<Bucket> buckets = new ArrayList<>();
    files.forEach(f -> buckets.add(new Bucket(f.content().length, f.content().length, 1)));
    return new MessageSpec(new SizeSpec(buckets), new PayloadSpec.Files(files));
  }

  private PayloadSpec randomPool(Optional<SizeSpec> size, OptionalLong pool, double ratio) {
    int values = Math.toIntExact(pool.orElse(0));
    if (values == 0 && !fields.isBad(POOL)) {
      fields.add(POOL, "must be 1 or more with " + RANDOM + ": true", "add " + POOL + ": 1000");
    }
    long bytes = (long) values * size.map(SizeSpec::most).orElse(0);
    if (bytes > MOST_POOL_BYTES) {
      fields.add(POOL, "makes a pool of " + bytes + " bytes", "stay within 1 GiB");
    }
    return new PayloadSpec.RandomPool(values, ratio);
  }

  private SizeSpec required(Optional<SizeSpec> size, boolean produces) {
    if (size.isEmpty() && produces && !fields.has(SIZE) && !fields.has(SIZES)) {
      fields.required(SIZE, LEAST, MOST);
    }
    return size.orElseGet(() -> SizeSpec.of(LEAST));
  }

  /** Empty when there is none, or none that will do. OMB's 0 is none. */
  private Optional<SizeSpec> size() {
    OptionalLong bytes = Quantities.bytes(fields, SIZE, LEAST, MOST);
    if (fields.has(SIZES)) {
      return distribution();
    }
    return bytes.isPresent()
        ? Optional.of(SizeSpec.of(Math.toIntExact(bytes.getAsLong())))
        : Optional.empty();
  }

  private Optional<SizeSpec> distribution() {
    if (!(fields.value(SIZES).orElseThrow() instanceof YamlNode.Mapping mapping)
        || mapping.entries().isEmpty()) {
      String kind = fields.value(SIZES).orElseThrow().kind();
      fields.add(
          SIZES, "must be a mapping of sizes, not " + kind, "write \"100-1000\": 5 under it");
      return Optional.empty();
    }
    Fields sizes = fields.section(SIZES, Set.of()).orElseThrow();
    List<Bucket> buckets = new ArrayList<>();
    for (String range : sizes.keys()) {
      sizes.number(range, 0, 1e15).ifPresent(weight -> bucket(sizes, range, weight, buckets));
    }
    return buckets.isEmpty() ? Optional.empty() : Optional.of(new SizeSpec(buckets));
  }

  private void bucket(Fields sizes, String range, double weight, List<Bucket> buckets) {
    String[] ends = range.split("-", 2);
    Optional<Long> least = end(ends[0]);
    Optional<Long> most = end(ends[ends.length - 1]);
    if (least.isEmpty() || most.isEmpty() || least.get() > most.get()) {
      sizes.add(range, "not a range of sizes", "write it as \"100-1000\" or \"1KiB-4KiB\"");
    } else if (most.get() < LEAST || most.get() > MOST) {
      String what = "must end from " + LEAST + " to " + MOST + " bytes";
      sizes.add(range, what, "every message begins with a header of " + LEAST + " bytes");
    } else if (weight > 0) {
      if (least.get() < LEAST) {
        notes.add(SIZES + " " + range + ": begins at " + LEAST + " bytes, the smallest size");
      }
      buckets.add(new Bucket((int) Math.max(LEAST, least.get()), most.get().intValue(), weight));
    } else {
      sizes.add(range, "must be above 0", "remove the range");
    }
  }

  private static Optional<Long> end(String text) {
    String end = text.strip();
    return end.matches("\\d{1,12}") ? Optional.of(Long.parseLong(end)) : BytesText.parse(end);
  }
}
