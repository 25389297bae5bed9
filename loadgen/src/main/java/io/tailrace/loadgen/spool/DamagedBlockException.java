// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import java.io.IOException;

/** A block's bytes on disk differ from those that were written. */
public final class DamagedBlockException extends IOException {
  private static final long serialVersionUID = 1L;

  DamagedBlockException(String what) {
    super(what);
  }
}
