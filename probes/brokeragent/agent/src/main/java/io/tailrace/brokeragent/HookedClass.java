// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.returns;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import java.util.List;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.matcher.ElementMatcher;

/** A class of the broker, the fields that the advice reads, and its methods that get advice. */
record HookedClass(String name, List<String> fields, List<Hook> hooks) {
  private static final String LOG = "org.apache.kafka.storage.internals.log.";

  /** Kafka 4.4. */
  static final List<HookedClass> ALL =
      List.of(
          new HookedClass(
              "org.apache.kafka.network.Request",
              List.of(
                  "apiLocalCompleteTimeNanos",
                  "responseCompleteTimeNanos",
                  "responseDequeueTimeNanos",
                  "apiThrottleTimeMs"),
              List.of(
                  hook("requestDequeueTimeNanos", "void", 1, RequestAdvice.Dequeued.class),
                  hook("callbackRequestDequeueTimeNanos", "void", 1, RequestAdvice.Continued.class),
                  hook(
                      "buildResponseSend",
                      "org.apache.kafka.common.network.Send",
                      1,
                      RequestAdvice.Answered.class),
                  hook("updateRequestMetrics", "void", 2, RequestAdvice.Sent.class))),
          new HookedClass(
              "kafka.server.ReplicaManager",
              List.of(),
              List.of(hook("fetchMessages", "void", 4, RequestAdvice.Fetches.class))),
          new HookedClass(
              LOG + "UnifiedLog",
              List.of(),
              List.of(
                  hook("append", LOG + "LogAppendInfo", 9, LogAdvice.Append.class),
                  hook(
                      "trimInvalidBytes",
                      "org.apache.kafka.common.record.internal.MemoryRecords",
                      2,
                      LogAdvice.BeforeLock.class),
                  hook("roll", LOG + "LogSegment", 1, LogAdvice.Roll.class),
                  hook("flush", "void", 2, LogAdvice.Flush.class))),
          new HookedClass(
              LOG + "LocalLog",
              List.of(),
              List.of(hook("checkIfClosed", "void", 0, LogAdvice.WithLock.class))));

  /** One method and its advice. */
  record Hook(String method, String returned, int arguments, Class<?> advice) {
    ElementMatcher.Junction<MethodDescription> matcher() {
      return named(method).and(takesArguments(arguments)).and(returns(named(returned)));
    }
  }

  private static Hook hook(String method, String returned, int arguments, Class<?> advice) {
    return new Hook(method, returned, arguments, advice);
  }

  /** What the class does not have; empty if the agent knows it. */
  List<String> missing(TypeDescription type) {
    List<String> missing =
        new java.util.ArrayList<>(
            fields.stream()
                .filter(field -> type.getDeclaredFields().filter(named(field)).size() != 1)
                .toList());
    for (Hook hook : hooks) {
      if (type.getDeclaredMethods().filter(hook.matcher()).size() != 1) {
        missing.add(hook.method() + "()");
      }
    }
    return missing;
  }

  DynamicType.Builder<?> woven(DynamicType.Builder<?> builder) {
    DynamicType.Builder<?> woven = builder;
    for (Hook hook : hooks) {
      woven = woven.visit(Advice.to(hook.advice()).on(hook.matcher()));
    }
    return woven;
  }
}
