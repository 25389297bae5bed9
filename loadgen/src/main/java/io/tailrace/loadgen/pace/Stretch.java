// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

/**
 * A stretch of load between two moments, the second of which may be decided while it lasts. The
 * run's controller writes, producers read.
 */
public final class Stretch {
  static final long OPEN = Long.MAX_VALUE;

  private final Flow flow;
  private final boolean bounded;
  private final long startNanoTime;
  private volatile long endNanoTime = OPEN;
  private volatile Stretch next;

  /**
   * @param flow its flow; null for no schedule: a message is due whenever its producer can send it
   * @param bounded whether each producer stops when it has sent its volume
   */
  Stretch(long startNanoTime, Flow flow, boolean bounded) {
    this.startNanoTime = startNanoTime;
    this.flow = flow;
    this.bounded = bounded;
  }

  boolean scheduled() {
    return flow != null;
  }

  Flow flow() {
    return flow;
  }

  boolean bounded() {
    return bounded;
  }

  long startNanoTime() {
    return startNanoTime;
  }

  long endNanoTime() {
    return endNanoTime;
  }

  void end(long nanoTime) {
    endNanoTime = nanoTime;
  }

  Stretch next() {
    return next;
  }

  void follow(Stretch stretch) {
    next = stretch;
  }
}
