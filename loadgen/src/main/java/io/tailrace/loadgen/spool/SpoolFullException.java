// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import java.io.IOException;

/** The spool has reached its size limit, or its file system has too little free space. */
public final class SpoolFullException extends IOException {
  private static final long serialVersionUID = 1L;

  SpoolFullException(String why) {
    super(why);
  }
}
