// SPDX-License-Identifier: Apache-2.0
// Generated from contracts/events.yaml by make contracts. Do not edit.
package io.tailrace.loadgen.contract;

/** Kinds of run events. */
public final class EventKinds {
  /** Names: probe warmup settle retention_fill measure backlog_build backlog_drain cooldown drain end; written by the load generator. */
  public static final String PHASE = "phase";

  /** Names: what a phase waited for, such as backlog_drained, with not_ before it when its limit came first; decided_alone where a worker got no decision from the leader; written by the load generator. */
  public static final String PHASE_END = "phase_end";

  /** Names: paused, resumed: all consumers of a worker; warmup_read: warm-up consumers have read all topics to their ends, unrecorded; written by the load generator. */
  public static final String CONSUMERS = "consumers";

  /** Names: aborted, or in_doubt when the broker confirmed neither commit nor abort; zombie: a newer producer with its transactional id took over; written by the load generator. */
  public static final String TRANSACTION = "transaction";

  /** Names: with releaseRatio, of one message of a share group: released, redelivered, or unconfirmed when the broker did not confirm its acknowledgement; written by the load generator. */
  public static final String SHARE = "share";

  /** Names: discover: a step of the search for the highest rate; found: its result; written by the load generator. */
  public static final String RATE = "rate";

  /** Names: assigned, revoked, lost; written by the load generator. */
  public static final String REBALANCE = "rebalance";

  /** Names: settings; written by the load generator. */
  public static final String TOPIC = "topic";

  /** Names: start: before a worker's first message; end: after the last one of all workers, and again after a re-read; written by the load generator. */
  public static final String LOG = "log";

  /** Names: range: what a re-read found at some offsets of a partition; incomplete: why it ended early; written by the load generator. */
  public static final String REREAD = "reread";

  /** Names: bound: what the host states about its clock; offsets between hosts; written by the load generator, command. */
  public static final String CLOCK = "clock";

  /** Names: realtime: the clock was set during the run; written by the load generator. */
  public static final String CLOCK_STEP = "clock_step";

  /** Names: topic and partition; written by the load generator. */
  public static final String CORRUPTION = "corruption";

  /** Names: topic and partition; written by the load generator. */
  public static final String LEADER_CHANGE = "leader_change";

  /** Names: spans: the sampled messages' spans at the end of a run; written by the load generator. */
  public static final String TRACES = "traces";

  /** Names: what went wrong; leader_lost: worker 0 answers no more; phases_skipped: a follower ended after its phase; written by the load generator. */
  public static final String ERROR = "error";

  /** Names: abort: a bound of abortWhen was reached; else the name of an alert rule that fired; written by the load generator, command. */
  public static final String ALERT = "alert";

  /** Names: the kind that the user gave; written by the command. */
  public static final String MARK = "mark";

  /** Names: without_messages: the run was exported without publishes and deliveries; written by the command. */
  public static final String IMPORT = "import";

  private EventKinds() {}
}
