// SPDX-License-Identifier: Apache-2.0

/**
 * Computes what each worker does, as a {@link io.tailrace.loadgen.plan.Plan}, from the files that
 * {@code workload} has read; {@code run} carries the plan out.
 */
package io.tailrace.loadgen.plan;
