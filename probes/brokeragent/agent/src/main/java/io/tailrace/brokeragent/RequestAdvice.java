// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent;

import net.bytebuddy.asm.Advice;

/** Woven into the methods of {@code org.apache.kafka.network.Request}. */
final class RequestAdvice {
  private RequestAdvice() {}

  static final class Dequeued {
    private Dequeued() {}

    @Advice.OnMethodExit(suppress = Throwable.class)
    static void exit(@Advice.This Object request) {
      RequestHooks.dequeued(request);
    }
  }

  static final class Continued {
    private Continued() {}

    @Advice.OnMethodExit(suppress = Throwable.class)
    static void exit(@Advice.This Object request) {
      RequestHooks.continued(request);
    }
  }

  static final class Answered {
    private Answered() {}

    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void enter(
        @Advice.This Object request,
        @Advice.Argument(0) Object response,
        @Advice.FieldValue("apiLocalCompleteTimeNanos") long localDone) {
      RequestHooks.answered(request, response, localDone < 0);
    }
  }

  static final class Sent {
    private Sent() {}

    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void enter(
        @Advice.This Object request,
        @Advice.FieldValue("responseCompleteTimeNanos") long responseReady,
        @Advice.FieldValue("responseDequeueTimeNanos") long responseDequeued,
        @Advice.FieldValue("apiThrottleTimeMs") long throttleMillis) {
      RequestHooks.sent(request, responseReady, responseDequeued, throttleMillis);
    }
  }

  /** Woven into {@code ReplicaManager.fetchMessages}. */
  static final class Fetches {
    private Fetches() {}

    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void enter(@Advice.Argument(1) Object partitions) {
      RequestHooks.fetches(partitions);
    }
  }
}
