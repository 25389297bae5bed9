// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import io.tailrace.loadgen.block.BlockHead;

/**
 * Where a block lies in a spool.
 *
 * @param segment number of its segment
 * @param offset where its record begins, bytes
 * @param head what the block holds
 * @param bytes size of the block without the record's head
 */
public record BlockRef(int segment, long offset, BlockHead head, int bytes) {}
