// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

/**
 * Transactions of producers.
 *
 * @param messages messages in each, 1 or more
 * @param abortRatio share of transactions, chosen from the seed, that are aborted, 0 to 1
 */
public record TransactionSpec(int messages, double abortRatio) {}
