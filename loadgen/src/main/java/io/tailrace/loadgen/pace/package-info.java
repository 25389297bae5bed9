// SPDX-License-Identifier: Apache-2.0

/**
 * Decides when each producer sends its next message, by the rates of the phases in {@code plan};
 * {@code kafka} waits for those times before it sends.
 */
package io.tailrace.loadgen.pace;
