// SPDX-License-Identifier: Apache-2.0

/**
 * The commands {@code plan}, {@code run} and {@code ship}: reads the options, has {@code workload}
 * read the files and starts {@code plan}, {@code run} or {@code ship}.
 */
package io.tailrace.loadgen.cli;
