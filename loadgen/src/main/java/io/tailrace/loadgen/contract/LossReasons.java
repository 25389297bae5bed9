// SPDX-License-Identifier: Apache-2.0
// Generated from contracts/ledger.yaml by make contracts. Do not edit.
package io.tailrace.loadgen.contract;

/** Why a recorded row was not stored. */
public final class LossReasons {
  /** The encoder was so far behind that no memory was left to record into. */
  public static final String RECORDER_FULL = "recorder_full";

  /** Without a spool: blocks could not be delivered and filled their share of memory. */
  public static final String MEMORY_FULL = "memory_full";

  /** With a spool: it had reached its limit, or its drive was full or failed, and memory was full too. */
  public static final String SPOOL_FULL = "spool_full";

  /** The drive did not return what was written to the spool; an earlier process may have stored these rows. */
  public static final String SPOOL_DAMAGED = "spool_damaged";

  /** The collector refused the block for good. */
  public static final String REFUSED = "refused";

  /** A block could not be encoded; a defect of the load generator. */
  public static final String NOT_ENCODED = "not_encoded";

  /** The run ended without an answer, and the block was not in the spool; these rows may be stored nevertheless. */
  public static final String UNSHIPPED_AT_DEADLINE = "unshipped_at_deadline";

  /** The load generator died; its last checkpoint, at to_time, had counted these rows, and they had not reached the spool. */
  public static final String KILLED = "killed";

  /** The reason of a count that no checkpoint has. */
  public static final String UNKNOWN = "unknown";

  private LossReasons() {}
}
