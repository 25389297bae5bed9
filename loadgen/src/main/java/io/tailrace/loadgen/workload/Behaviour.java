// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How clients behave, the same in every phase.
 *
 * @param rate the total rate of the measure phase; other phases take what is left open from it
 * @param arrivals how messages are spread around the rate
 * @param keys their keys
 * @param headers record headers of each message, value as UTF-8
 * @param messages messages to send in the measure phase, over all producers of all workers; empty
 *     for as many as fall due
 * @param readToEnd whether the run ends when every group has read up to the end offsets there were
 *     when the measure phase began
 * @param consume how consumers work
 * @param transactions transactions of producers
 * @param abortWhen when to give up
 * @param traceOneIn one message in this many carries a trace context; 0 for none
 * @param sampleEvery period of printed progress and of exported period statistics
 */
public record Behaviour(
    RateSpec rate,
    ArrivalSpec arrivals,
    KeySpec keys,
    Map<String, String> headers,
    OptionalLong messages,
    boolean readToEnd,
    ConsumeSpec consume,
    Optional<TransactionSpec> transactions,
    Optional<AbortSpec> abortWhen,
    int traceOneIn,
    Duration sampleEvery) {
  /** Nothing special at a constant rate. */
  public static Behaviour plain(double messagesPerSecond) {
    return new Behaviour(
        RateSpec.constant(messagesPerSecond),
        ArrivalSpec.EVEN,
        KeySpec.NO_KEYS,
        Map.of(),
        OptionalLong.empty(),
        false,
        ConsumeSpec.PLAIN,
        Optional.empty(),
        Optional.empty(),
        0,
        Duration.ofSeconds(10));
  }

  /** The same with transactions. */
  public Behaviour withTransactions(TransactionSpec spec) {
    return new Behaviour(
        rate,
        arrivals,
        keys,
        headers,
        messages,
        readToEnd,
        consume,
        Optional.of(spec),
        abortWhen,
        traceOneIn,
        sampleEvery);
  }
}
