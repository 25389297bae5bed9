// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.record.TransactionSpan;
import io.tailrace.loadgen.record.TransactionSpan.Times;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Producers that take over from an older one with the same transactional id, in the middle of its
 * transaction. The older one, a zombie, writes once more, waits until the newer one has committed a
 * transaction, and then tries to commit its own. Brokers must refuse that.
 *
 * <p>Only the sending thread calls it, but for {@link #close}.
 */
final class Takeovers {
  private final Supplier<Producer<byte[], byte[]>> maker;
  private volatile Producer<byte[], byte[]> newer;
  private volatile Producer<byte[], byte[]> zombie;
  private Left left;

  /** A zombie's transaction when its producer was left, and what was acknowledged in it. */
  record Left(TransactionSpan span, OpenTransaction.Acked acked) {}

  /**
   * Makes it for one producer.
   *
   * @param maker makes a client with the producer's transactional id
   */
  Takeovers(Supplier<Producer<byte[], byte[]>> maker) {
    this.maker = maker;
  }

  /** A newer producer begins, which ends the transaction of the older one at the brokers. */
  void begin(BooleanSupplier givenUp) {
    newer = maker.get();
    while (true) {
      try {
        newer.initTransactions();
        return;
      } catch (TimeoutException e) {
        if (givenUp.getAsBoolean()) {
          throw e;
        }
      }
    }
  }

  /** The producer that began last. */
  Producer<byte[], byte[]> newer() {
    return newer;
  }

  /** The older producer is a zombie from now on. */
  void leave(Producer<byte[], byte[]> older, Left transaction) {
    zombie = older;
    left = transaction;
  }

  /** Whether a zombie has yet to try its commit. */
  boolean pending() {
    return left != null;
  }

  /** The zombie, if there is one, tries to commit. */
  void settle(TransactionOutcomes outcomes, BooleanSupplier givenUp, NanoClock clock) {
    if (left == null) {
      return;
    }
    long requested = clock.epochMicros();
    boolean couldCommit = false;
    String errorClass = "";
    try {
      commit(givenUp);
      couldCommit = true;
    } catch (RuntimeException e) {
      errorClass = ClientErrors.errorClass(e);
    }
    record(outcomes, couldCommit, errorClass, requested, clock.epochMicros());
    zombie.close(Duration.ZERO);
  }

  private void commit(BooleanSupplier givenUp) {
    while (true) {
      try {
        zombie.commitTransaction();
        return;
      } catch (TimeoutException e) {
        if (givenUp.getAsBoolean()) {
          throw e;
        }
      }
    }
  }

  private void record(
      TransactionOutcomes outcomes,
      boolean couldCommit,
      String errorClass,
      long requested,
      long ended) {
    TransactionSpan span = left.span();
    Times times = new Times(span.times().begin(), span.times().begun(), requested, ended);
    outcomes.zombie(
        new TransactionSpan(span.number(), span.firstSequence(), span.messages(), times),
        left.acked(),
        couldCommit,
        errorClass,
        span.number() + 1);
    left = null;
  }

  /** All producers are closed: a zombie that could not try any more has not committed. */
  void closed(TransactionOutcomes outcomes) {
    if (left != null) {
      long end = left.span().times().end();
      record(outcomes, false, "", end, end);
    }
  }

  /** Any thread may call it. */
  void close(Duration within) {
    if (zombie != null) {
      zombie.close(Duration.ZERO);
    }
    if (newer != null) {
      newer.close(within);
    }
  }
}
