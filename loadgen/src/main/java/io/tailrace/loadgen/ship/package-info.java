// SPDX-License-Identifier: Apache-2.0

/**
 * Sends the blocks of {@code block} and {@code spool} to the collector, by OTLP, until each is
 * stored or counted as lost; the last package of the data flow.
 */
package io.tailrace.loadgen.ship;
