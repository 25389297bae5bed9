// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.List;

/** Whether a run's events survive a power loss; docs/contracts/spool.md has the whole promise. */
public enum Durability implements Kind.Labelled {
  /** The spool survives the death of the load generator. */
  NONE,
  /** The spool is flushed to its drive before a block is sent, so it survives a power loss too. */
  FSYNC;

  private static final Key<Durability> DURABILITY =
      Key.own("durability", Kind.choice(Durability.values()))
          .means("whether events in the spool survive a power loss; default none");

  static final List<Key<?>> KEYS = List.of(DURABILITY);

  static Durability read(Fields fields) {
    return fields.read(DURABILITY).orElse(NONE);
  }
}
