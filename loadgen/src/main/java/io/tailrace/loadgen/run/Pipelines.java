// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.ship.EventPipeline;
import io.tailrace.loadgen.ship.SpanPipeline;

/**
 * Where what a run records goes.
 *
 * @param events every message, and what happened to the run
 * @param spans sampled messages
 */
record Pipelines(EventPipeline events, SpanPipeline spans) {}
