// SPDX-License-Identifier: Apache-2.0

/**
 * Keeps what the producers and consumers in {@code kafka} observe, as rows in memory, until {@code
 * block} encodes them.
 */
package io.tailrace.loadgen.record;
