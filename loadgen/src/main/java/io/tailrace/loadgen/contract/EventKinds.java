// SPDX-License-Identifier: Apache-2.0
// Generated from contracts/events.yaml by make contracts. Do not edit.
package io.tailrace.loadgen.contract;

/** Kinds of run events. */
public final class EventKinds {
  /** Written by the load generator. */
  public static final String PHASE = "phase";

  /** Written by the load generator. */
  public static final String PHASE_END = "phase_end";

  /** Written by the load generator. */
  public static final String CONSUMERS = "consumers";

  /** Written by the load generator. */
  public static final String TRANSACTION = "transaction";

  /** Written by the load generator. */
  public static final String RATE = "rate";

  /** Written by the load generator. */
  public static final String REBALANCE = "rebalance";

  /** Written by the load generator. */
  public static final String TOPIC = "topic";

  /** Written by the load generator, command. */
  public static final String CLOCK = "clock";

  /** Written by the load generator. */
  public static final String CLOCK_STEP = "clock_step";

  /** Written by the load generator. */
  public static final String CORRUPTION = "corruption";

  /** Written by the load generator. */
  public static final String LEADER_CHANGE = "leader_change";

  /** Written by the load generator. */
  public static final String TRACES = "traces";

  /** Written by the load generator. */
  public static final String ERROR = "error";

  /** Written by the load generator, command. */
  public static final String ALERT = "alert";

  /** Written by the command. */
  public static final String MARK = "mark";

  /** Written by the command. */
  public static final String IMPORT = "import";

  private EventKinds() {}
}
