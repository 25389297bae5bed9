// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.List;
import java.util.Optional;

/** What a run does for its audit beyond recording. */
public final class Audit {
  /**
   * What is read again from the logs after the run.
   *
   * @param share share of all offsets, 0 to 1
   * @param messages number of offsets instead; 0 where the share decides
   */
  public record RereadSpec(double share, long messages) {
    public static final RereadSpec ALL = new RereadSpec(1, 0);

    /** The share of the offsets of logs that hold so many. */
    public double shareOf(long offsets) {
      return messages == 0 ? share : offsets == 0 ? 1 : Math.min(1, (double) messages / offsets);
    }
  }

  private static final long MOST_MESSAGES = 1L << 53;
  private static final Kind<Long> COUNT = Kind.whole(1, MOST_MESSAGES);
  private static final Kind<RereadSpec> AMOUNT =
      new Kind<>(
          Audit::amount,
          Key.json(
              "oneOf",
              List.of(
                  COUNT.schema(),
                  Key.json(
                      "type",
                      "string",
                      "pattern",
                      "^\\s*(?:all|" + Quantities.PERCENT + ")\\s*$"))),
          "`all`, `5%` or a number of messages",
          "all");

  private static final Key<RereadSpec> REREAD =
      Key.below("reread", AMOUNT)
          .means("what is read again from the logs after the run, to find what was lost since")
          .asRequired();
  private static final Key<Fields> AUDIT =
      Key.own("audit", Kind.mapping(List.of(REREAD)))
          .means("what a run does for its audit beyond recording; default nothing");

  static final List<Key<?>> KEYS = List.of(AUDIT);

  private Audit() {}

  private static Optional<RereadSpec> amount(Fields fields, String key, YamlNode node) {
    if (!(node instanceof YamlNode.Text text)) {
      return COUNT.read(fields, key, node).map(messages -> new RereadSpec(0, messages));
    }
    Optional<RereadSpec> spec =
        text.value().strip().equals("all")
            ? Optional.of(RereadSpec.ALL)
            : Quantities.percent(text.value())
                .filter(share -> share > 0)
                .map(share -> new RereadSpec(share, 0));
    if (spec.isEmpty()) {
      String what = "must be all, a share or a number of messages, not " + node.describe();
      fields.add(key, what, "write it as all, 5% or 100000");
    }
    return spec;
  }

  /** What is to be read again; empty for nothing. */
  static Optional<RereadSpec> reread(Fields fields) {
    return fields.read(AUDIT).flatMap(keys -> keys.required(REREAD));
  }
}
