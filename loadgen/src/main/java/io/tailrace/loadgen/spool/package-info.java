// SPDX-License-Identifier: Apache-2.0

/**
 * Keeps the blocks of {@code block} on disk until {@code ship} has delivered them to the collector.
 */
package io.tailrace.loadgen.spool;
