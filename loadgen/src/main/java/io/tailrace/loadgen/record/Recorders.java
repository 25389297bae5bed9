// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * All recorders of one worker, and the logs that the encoder reads them from. Recorders may be made
 * by any thread at any time; each of them says who may write to it.
 */
public final class Recorders {
  /** Why a row that found no room is counted as lost. */
  public static final String LOST_RECORDER_FULL = "recorder_full";

  /**
   * Events have room of their own, so a backlog of messages cannot push out the phases of the run.
   */
  private static final long EVENT_BUDGET_BYTES = 16 << 20;

  /**
   * Failures too, about 280,000: chunks of messages stay with the messages, so after a backlog
   * nothing of their budget would be left.
   */
  private static final long FAILURE_BUDGET_BYTES = 16 << 20;

  private final ChunkPool messagePool;
  private final ChunkPool failurePool = new ChunkPool(FAILURE_BUDGET_BYTES);
  private final ChunkPool eventPool = new ChunkPool(EVENT_BUDGET_BYTES);
  private final List<RowLog> publishLogs = new CopyOnWriteArrayList<>();
  private final List<RowLog> deliveryLogs = new CopyOnWriteArrayList<>();
  private final RowLog failureLog;
  private final boolean keepsMessages;
  private final RowLog eventLog = new RowLog(eventPool, true, null);
  private final RowLog leaderLog = new RowLog(eventPool, true, null);
  private final RowLog ledgerLog = new RowLog(eventPool, true, null);
  private final FailureRecorder failures;
  private final EventRecorder events = new EventRecorder(eventLog, leaderLog);
  private final LedgerRecorder ledger = new LedgerRecorder(ledgerLog);
  private final SpanRecorder spans;

  /**
   * @param budgetBytes memory for messages recorded and not yet encoded: 44 bytes each, 44 KiB per
   *     recorder at least. Beyond it they are counted as lost, reason {@code recorder_full}. Memory
   *     is taken as it is needed. Messages that failed have 16 MiB of their own.
   */
  public Recorders(long budgetBytes) {
    this(budgetBytes, 0);
  }

  /**
   * As the other one.
   *
   * @param traceOneIn one message in this many is sampled for traces; 0 for none
   */
  public Recorders(long budgetBytes, int traceOneIn) {
    this(budgetBytes, traceOneIn, true);
  }

  /**
   * As the other one.
   *
   * @param keepsMessages false for recorders of messages that keep nothing: for measuring what
   *     recording costs
   */
  public Recorders(long budgetBytes, int traceOneIn, boolean keepsMessages) {
    this.keepsMessages = keepsMessages;
    spans = new SpanRecorder(traceOneIn);
    messagePool = new ChunkPool(budgetBytes);
    failureLog = new RowLog(failurePool, true, null);
    failures = new FailureRecorder(failureLog);
  }

  /** A recorder for one producer of a topic. */
  public PublishRecorder publishes(int producer, String topic) {
    RowLog log = new RowLog(keepsMessages ? messagePool : null, false, topic, producer);
    publishLogs.add(log);
    return new PublishRecorder(log);
  }

  /** A recorder for one consumer of a topic. */
  public DeliveryRecorder deliveries(int subscription, int consumer, String topic) {
    RowLog log =
        new RowLog(keepsMessages ? messagePool : null, false, topic, subscription, consumer);
    deliveryLogs.add(log);
    return new DeliveryRecorder(log);
  }

  /** The one recorder for messages that failed. */
  public FailureRecorder failures() {
    return failures;
  }

  /** The one recorder for events and partition leaders. */
  public EventRecorder events() {
    return events;
  }

  /** The one recorder for the spans of sampled messages. */
  public SpanRecorder spans() {
    return spans;
  }

  /** The one recorder for the ledger. */
  public LedgerRecorder ledger() {
    return ledger;
  }

  /** Logs of all publish recorders, in order of their making. Grows while recorders are made. */
  public List<RowLog> publishLogs() {
    return publishLogs;
  }

  /** Logs of all delivery recorders, in order of their making. Grows while recorders are made. */
  public List<RowLog> deliveryLogs() {
    return deliveryLogs;
  }

  /** Log of the failure recorder. */
  public List<RowLog> failureLogs() {
    return List.of(failureLog);
  }

  /** Log of the events. */
  public List<RowLog> eventLogs() {
    return List.of(eventLog);
  }

  /** Log of the partition leaders. */
  public List<RowLog> leaderLogs() {
    return List.of(leaderLog);
  }

  /** Log of the ledger. */
  public List<RowLog> ledgerLogs() {
    return List.of(ledgerLog);
  }
}
