// SPDX-License-Identifier: Apache-2.0

/**
 * Makes keys, values and headers of messages, as {@code plan} describes them, for the producers in
 * {@code kafka}, whose consumers read the header of each value.
 */
package io.tailrace.loadgen.payload;
