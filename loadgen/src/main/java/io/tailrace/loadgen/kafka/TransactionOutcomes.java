// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.contract.EventKinds;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.EventRecorder;
import io.tailrace.loadgen.record.TransactionOutcome;
import io.tailrace.loadgen.record.TransactionRecorder;
import io.tailrace.loadgen.record.TransactionSpan;
import java.util.Locale;

/**
 * Counts and records every transaction of one producer: a row each, and an event of kind {@code
 * transaction} for those that did not commit, with the offsets of the messages that the broker had
 * acknowledged. One thread at a time.
 */
final class TransactionOutcomes {
  private final int producer;
  private final String topic;
  private final OpenTransaction open;
  private final TransactionRecorder rows;
  private final EventRecorder events;
  private final EventCounter begun = new EventCounter();
  private final EventCounter ended = new EventCounter();
  private final EventCounter aborted = new EventCounter();
  private final EventCounter inDoubt = new EventCounter();

  TransactionOutcomes(Plan.ProducerPlan self, OpenTransaction open, ClientContext context) {
    this.producer = self.producer();
    this.topic = self.topic();
    this.open = open;
    this.rows = context.recorders().transactions();
    this.events = context.events();
  }

  /** A transaction begins: acknowledgements are counted for it from now on. */
  void begun(long micros) {
    open.clear();
    begun.add(micros);
  }

  void committed(TransactionSpan span) {
    record(span, open.acked(), TransactionOutcome.COMMITTED, "");
  }

  /** The reason is for people; the error class is empty for an abort on purpose. */
  void aborted(TransactionSpan span, String errorClass, String reason) {
    notCommitted(span, open.acked(), TransactionOutcome.ABORTED, errorClass, reason);
  }

  void inDoubt(TransactionSpan span, String errorClass, String reason) {
    notCommitted(span, open.acked(), TransactionOutcome.IN_DOUBT, errorClass, reason);
  }

  /** What is acknowledged in the open transaction, to keep while another one begins. */
  OpenTransaction.Acked acked() {
    return open.acked();
  }

  /**
   * A transaction that a newer producer has ended, which counts as aborted, unless its producer
   * could commit it all the same.
   *
   * @param newer number of the first transaction of the newer producer
   */
  void zombie(
      TransactionSpan span,
      OpenTransaction.Acked acked,
      boolean couldCommit,
      String errorClass,
      long newer) {
    events.event(
        span.times().end(),
        EventKinds.TRANSACTION,
        "zombie",
        String.format(
            Locale.ROOT,
            "{\"producer\":%d,\"topic\":\"%s\",\"number\":%d,\"newer\":%d,\"error\":\"%s\"}",
            producer,
            topic,
            span.number(),
            newer,
            errorClass));
    if (couldCommit) {
      record(span, acked, TransactionOutcome.COMMITTED, "");
    } else {
      String reason = "a newer producer with its transactional id began";
      notCommitted(span, acked, TransactionOutcome.ABORTED, errorClass, reason);
    }
  }

  private void notCommitted(
      TransactionSpan span,
      OpenTransaction.Acked acked,
      TransactionOutcome outcome,
      String errorClass,
      String reason) {
    long now = span.times().end();
    if (acked.messages() > 0) {
      (outcome == TransactionOutcome.ABORTED ? aborted : inDoubt).add(acked.messages(), now);
    }
    events.event(
        now,
        EventKinds.TRANSACTION,
        outcome.text(),
        String.format(
            Locale.ROOT,
            "{\"producer\":%d,\"topic\":\"%s\",\"number\":%d,\"reason\":\"%s\",\"messages\":%d,"
                + "\"offsets\":%s}",
            producer,
            topic,
            span.number(),
            reason.replace('\\', '/').replace('"', '\''),
            acked.messages(),
            acked.ranges()));
    record(span, acked, outcome, errorClass);
  }

  private void record(
      TransactionSpan span,
      OpenTransaction.Acked acked,
      TransactionOutcome outcome,
      String errorClass) {
    rows.ended(producer, topic, span, (int) acked.messages(), outcome, errorClass);
    ended.add(span.times().end());
  }

  /** Transactions that the producer began. */
  EventCounter begun() {
    return begun;
  }

  /** Of those, transactions whose outcome is recorded. */
  EventCounter ended() {
    return ended;
  }

  /** Acknowledged messages in aborted transactions. */
  EventCounter aborted() {
    return aborted;
  }

  /** Acknowledged messages in transactions that were neither confirmed as committed nor aborted. */
  EventCounter inDoubt() {
    return inDoubt;
  }
}
