// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import io.tailrace.loadgen.block.BlockHead;

/**
 * Position of a block's record in a spool, in bytes of its segment; {@code bytes} is the size of
 * the block without the record's head.
 */
public record BlockRef(int segment, long offset, BlockHead head, int bytes) {}
