// SPDX-License-Identifier: Apache-2.0

/**
 * Encodes the rows of {@code record} as blocks, the unit that {@code spool} stores and {@code ship}
 * sends.
 */
package io.tailrace.loadgen.block;
