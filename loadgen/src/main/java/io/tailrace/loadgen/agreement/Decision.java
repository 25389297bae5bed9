// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.agreement;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * What the leader has decided for all workers.
 *
 * @param number counts up over the run, from 1
 * @param phase number of the phase that it is about, from 0
 * @param timeMicros when it takes effect, µs since 1970 UTC
 * @param reached whether the phase has reached its goal
 * @param rate rate from then on where one is searched for, messages per second; else 0
 * @param found highest sustained rate found so far, messages per second; else 0
 */
public record Decision(
    long number,
    int phase,
    @JsonProperty("time_us") long timeMicros,
    boolean reached,
    double rate,
    double found) {}
