// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.time.Duration;
import java.util.Optional;

/**
 * How consumers work.
 *
 * @param groups kind of group they are members of
 * @param threads who handles what a poll returned
 * @param threadCount threads of {@link Threads#POOL}, for each consumer; else 0
 * @param processing simulated work per message
 * @param delay when to hold consumption back, by how much; a proposal to OMB
 * @param warmupReads how often all is read to its end, unrecorded, before the run begins
 */
public record ConsumeSpec(
    Groups groups,
    Threads threads,
    int threadCount,
    Optional<Processing> processing,
    Duration delay,
    int warmupReads) {
  /** Kind of group. */
  public enum Groups {
    CONSUMER("consumer"),
    SHARE("share");

    private final String label;

    Groups(String label) {
      this.label = label;
    }

    /** As files write it. */
    public String label() {
      return label;
    }
  }

  /** Who handles what a poll returned: reading the header, recording, simulated work. */
  public enum Threads {
    /** The thread that polls. */
    ONE("one"),
    /** A thread of its own for each assigned partition. */
    PER_PARTITION("perPartition"),
    /** A fixed number of threads that compete for what comes. */
    POOL("pool");

    private final String label;

    Threads(String label) {
      this.label = label;
    }

    /** As files write it. */
    public String label() {
      return label;
    }
  }

  /**
   * Simulated work per message: the handling thread waits.
   *
   * @param mean mean time, above 0
   * @param exponential whether times are exponentially distributed, from the seed, rather than
   *     equal
   */
  public record Processing(Duration mean, boolean exponential) {}

  /** As OMB consumes: consumer groups, one thread each, no work. */
  public static final ConsumeSpec PLAIN =
      new ConsumeSpec(Groups.CONSUMER, Threads.ONE, 0, Optional.empty(), Duration.ZERO, 0);
}
