// SPDX-License-Identifier: Apache-2.0
// Generated from contracts/ledger.yaml by make contracts. Do not edit.
package io.tailrace.loadgen.contract;

import java.util.List;
import java.util.Map;

/** What a worker counts, separately from its rows. */
public final class LedgerKinds {
  /** Calls of send. */
  public static final String SENT = "sent";

  /** Messages that the broker acknowledged; with acks=0, messages that were handed to the socket. */
  public static final String ACKED = "acked";

  /** Messages whose send failed. */
  public static final String FAILED = "failed";

  /** Of those acked, messages in aborted transactions. */
  public static final String ABORTED = "aborted";

  /** Of those acked, messages in transactions in doubt: the broker confirmed neither commit nor abort. */
  public static final String IN_DOUBT = "in_doubt";

  /** Messages whose intended send had passed and that were never sent, as their producer was still behind when it gave up; one entry per reason: the error class of its last message, or late where the broker had acknowledged that; the times are the first and the last intended send. */
  public static final String UNSENT = "unsent";

  /** Messages that came back, over all consumers. */
  public static final String RECEIVED = "received";

  /** Of those, messages that a share group had handed out before. */
  public static final String REDELIVERED = "redelivered";

  /** Messages without the load generator's header; recorded in topics that existed before the run. */
  public static final String FOREIGN = "foreign";

  /** Messages that another run of the load generator sent, or an older version of it; recorded, without a producer, only in topics that the run does not write to. */
  public static final String OTHER_RUN = "other_run";

  /** Of those received, messages that differ from what was sent by at least one byte. */
  public static final String CORRUPT = "corrupt";

  /** Messages that were read again after the run (audit: {reread: …}). */
  public static final String REREAD = "reread";

  /** Of those read again, messages that differ from what was sent by at least one byte. */
  public static final String REREAD_CORRUPT = "reread_corrupt";

  /** Transactions that a producer began. */
  public static final String BEGUN = "begun";

  /** Of those begun, transactions whose outcome is known: committed, aborted or in doubt. */
  public static final String ENDED = "ended";

  /** Rows that should be stored: stored or lost. */
  public static final String RECORDED = "recorded";

  /** Of those, rows that were lost; one entry per reason. */
  public static final String LOST = "lost";

  /** The kind that a stream's recorded rows must equal. */
  public static final Map<String, String> ROWS = Map.of("publishes", ACKED, "publish_failures", FAILED, "deliveries", RECEIVED, "transactions", ENDED);

  /** The stream under which the ledger counts a kind, if not the stream of its rows. */
  public static final Map<String, String> COUNTED_IN = Map.of(FAILED, "publishes");

  /** Kinds without rows of their own: only a checkpoint can restore them. */
  public static final Map<String, List<String>> SEPARATE = Map.of("publishes", List.of(ABORTED, IN_DOUBT, UNSENT), "deliveries", List.of(REDELIVERED, FOREIGN, OTHER_RUN, CORRUPT), "transactions", List.of(BEGUN));

  private LedgerKinds() {}
}
