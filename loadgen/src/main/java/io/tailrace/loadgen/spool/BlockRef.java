// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import io.tailrace.loadgen.block.BlockHead;

/**
 * Position of a block in a spool.
 *
 * @param segment number of its segment
 * @param offset byte offset of its record
 * @param head head of the block
 * @param bytes size of the block without the record's head
 */
public record BlockRef(int segment, long offset, BlockHead head, int bytes) {}
