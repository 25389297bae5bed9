// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * All recorders of one worker, and the logs through which the encoder reads them. Any thread may
 * make recorders at any time; each recorder documents which threads may write to it.
 */
public final class Recorders {
  /** Separate, so that a backlog of messages cannot displace the phases of the run. */
  private static final long EVENT_BUDGET_BYTES = 16 << 20;

  /**
   * Failures have a separate budget too, for about 280,000 rows: after a backlog, the pool of
   * messages keeps all its chunks and would have none left for failures.
   */
  private static final long FAILURE_BUDGET_BYTES = 24 << 20;

  /** For about as many transactions. */
  private static final long TRANSACTION_BUDGET_BYTES = 24 << 20;

  private final ChunkPool messagePool;
  private final ChunkPool failurePool = new ChunkPool(FAILURE_BUDGET_BYTES);
  private final ChunkPool eventPool = new ChunkPool(EVENT_BUDGET_BYTES);
  private final List<RowLog> publishLogs = new CopyOnWriteArrayList<>();
  private final List<RowLog> deliveryLogs = new CopyOnWriteArrayList<>();
  private final List<RowLog> requestLogs = new CopyOnWriteArrayList<>();
  private final RowLog failureLog;
  private final boolean keepsMessages;
  private final RowLog transactionLog =
      new RowLog(new ChunkPool(TRANSACTION_BUDGET_BYTES), RowChunk.Shape.TEXTS, null);
  private final RowLog eventLog = new RowLog(eventPool, RowChunk.Shape.TEXTS, null);
  private final RowLog leaderLog = new RowLog(eventPool, RowChunk.Shape.TEXTS, null);
  private final RowLog ledgerLog = new RowLog(eventPool, RowChunk.Shape.TEXTS, null);
  private final FailureRecorder failures;
  private final EventRecorder events = new EventRecorder(eventLog, leaderLog);
  private final TransactionRecorder transactions = new TransactionRecorder(transactionLog);
  private final LedgerRecorder ledger = new LedgerRecorder(ledgerLog);
  private final SpanRecorder spans;

  /**
   * @param budgetBytes memory for messages that are recorded and not encoded yet: 48 bytes each, at
   *     least 48 KiB per recorder, allocated when needed. Further messages are counted as lost with
   *     reason {@code recorder_full}. Failed messages and transactions have a separate 24 MiB each.
   */
  public Recorders(long budgetBytes) {
    this(budgetBytes, 0, true);
  }

  /** Traces one in {@code traceOneIn} messages; may keep none, to measure what recording costs. */
  public Recorders(long budgetBytes, int traceOneIn, boolean keepsMessages) {
    this.keepsMessages = keepsMessages;
    spans = new SpanRecorder(traceOneIn);
    messagePool = new ChunkPool(budgetBytes);
    failureLog = new RowLog(failurePool, RowChunk.Shape.TEXTS, null);
    failures = new FailureRecorder(failureLog);
  }

  public PublishRecorder publishes(int producer, String topic) {
    RowLog log =
        new RowLog(keepsMessages ? messagePool : null, RowChunk.Shape.NUMBERS, topic, producer);
    publishLogs.add(log);
    return new PublishRecorder(log);
  }

  public DeliveryRecorder deliveries(int subscription, int consumer, String topic) {
    RowLog log =
        new RowLog(
            keepsMessages ? messagePool : null,
            RowChunk.Shape.NUMBERS,
            topic,
            subscription,
            consumer);
    deliveryLogs.add(log);
    return new DeliveryRecorder(log);
  }

  /** Of the requests of one network thread of a broker, which alone may write to it. */
  public BrokerRequestRecorder requests(int broker) {
    RowLog log = new RowLog(messagePool, RowChunk.Shape.REQUESTS, null, broker);
    requestLogs.add(log);
    return new BrokerRequestRecorder(log);
  }

  /** Whether these are a broker's: it records requests and nothing else. */
  public boolean ofBroker() {
    return !requestLogs.isEmpty();
  }

  public FailureRecorder failures() {
    return failures;
  }

  public TransactionRecorder transactions() {
    return transactions;
  }

  public EventRecorder events() {
    return events;
  }

  public SpanRecorder spans() {
    return spans;
  }

  public LedgerRecorder ledger() {
    return ledger;
  }

  /** Logs of all publish recorders, in order of creation. Grows as recorders are made. */
  public List<RowLog> publishLogs() {
    return publishLogs;
  }

  /** Logs of all delivery recorders, in order of creation. Grows as recorders are made. */
  public List<RowLog> deliveryLogs() {
    return deliveryLogs;
  }

  /** Logs of all request recorders; none in a load generator. Grows as recorders are made. */
  public List<RowLog> requestLogs() {
    return requestLogs;
  }

  public List<RowLog> failureLogs() {
    return List.of(failureLog);
  }

  public List<RowLog> transactionLogs() {
    return List.of(transactionLog);
  }

  public List<RowLog> eventLogs() {
    return List.of(eventLog);
  }

  public List<RowLog> leaderLogs() {
    return List.of(leaderLog);
  }

  public List<RowLog> ledgerLogs() {
    return List.of(ledgerLog);
  }
}
