// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** Woven into the methods of {@code UnifiedLog} and {@code LocalLog}. */
final class LogAdvice {
  private LogAdvice() {}

  static final class Append {
    private Append() {}

    @Advice.OnMethodEnter(suppress = Throwable.class)
    static long enter() {
      return RequestHooks.appendBegins();
    }

    @Advice.OnMethodExit(suppress = Throwable.class, onThrowable = Throwable.class)
    static void exit(
        @Advice.This Object log,
        @Advice.Enter long since,
        @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object info) {
      RequestHooks.appended(log, info, since);
    }
  }

  /** The last that an append does before it takes the log's lock. */
  static final class BeforeLock {
    private BeforeLock() {}

    @Advice.OnMethodExit(suppress = Throwable.class)
    static void exit() {
      RequestHooks.waitsForLock();
    }
  }

  /** The first that an append does with the log's lock. */
  static final class WithLock {
    private WithLock() {}

    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void enter() {
      RequestHooks.hasLock();
    }
  }

  static final class Roll {
    private Roll() {}

    @Advice.OnMethodEnter(suppress = Throwable.class)
    static long enter() {
      return RequestHooks.partBegins();
    }

    @Advice.OnMethodExit(suppress = Throwable.class, onThrowable = Throwable.class)
    static void exit(@Advice.Enter long since) {
      RequestHooks.rolled(since);
    }
  }

  static final class Flush {
    private Flush() {}

    @Advice.OnMethodEnter(suppress = Throwable.class)
    static long enter() {
      return RequestHooks.partBegins();
    }

    @Advice.OnMethodExit(suppress = Throwable.class, onThrowable = Throwable.class)
    static void exit(@Advice.Enter long since) {
      RequestHooks.flushed(since);
    }
  }
}
