// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** What the instances of a {@link TransformHop} did. */
public final class HopCounts {
  private final Map<String, Long> resets = new TreeMap<>();
  private long messages;
  private long transactions;
  private long aborted;
  private long assignments;
  private long fenced;
  private long zombieCommits;
  private long lastNanoTime;

  synchronized void addCommitted(int copied) {
    transactions++;
    messages += copied;
    lastNanoTime = System.nanoTime();
  }

  synchronized void addAborted(String errorClass) {
    aborted++;
    resets.merge(errorClass, 1L, Long::sum);
  }

  /** Its clients were closed and made again. */
  synchronized void addReset(String errorClass) {
    resets.merge(errorClass, 1L, Long::sum);
  }

  synchronized void addAssignment() {
    assignments++;
  }

  /** An instance that was replaced could not commit. */
  synchronized void addFenced() {
    fenced++;
  }

  /** An instance that was replaced could commit. */
  synchronized void addZombieCommit() {
    zombieCommits++;
  }

  synchronized boolean idleFor(Duration time) {
    return messages > 0 && System.nanoTime() - lastNanoTime > time.toNanos();
  }

  public synchronized long messages() {
    return messages;
  }

  public synchronized long aborted() {
    return aborted;
  }

  public synchronized long assignments() {
    return assignments;
  }

  public synchronized long fenced() {
    return fenced;
  }

  public synchronized long zombieCommits() {
    return zombieCommits;
  }

  /** One line: counts, then the errors by class. */
  @Override
  public synchronized String toString() {
    return "copied=%d transactions=%d aborted=%d fenced=%d zombie_commits=%d assignments=%d errors=%s"
        .formatted(messages, transactions, aborted, fenced, zombieCommits, assignments, resets);
  }
}
