// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent;

import java.lang.instrument.Instrumentation;
import java.util.List;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.utility.JavaModule;

/**
 * Records where each produce and fetch request spends its time in a Kafka broker.
 *
 * <p>{@code java -javaagent:brokeragent.jar=broker=1,collector=URL,shipping=FOLDER … kafka.Kafka}
 *
 * <p>The broker always starts: what the agent cannot do, it states in one line on stderr.
 */
public final class BrokerAgent {
  /** Where Kafka before 4.4 has its requests. */
  private static final String EARLIER = "kafka.network.RequestChannel$Request";

  private BrokerAgent() {}

  /** Called by the virtual machine before {@code main}. */
  public static void premain(String argument, Instrumentation instrumentation) {
    try {
      AgentOptions options = AgentOptions.of(argument);
      hook(instrumentation);
      // Beside the broker's start, which it must not delay.
      Thread start = new Thread(() -> start(options), "tailrace-agent-start");
      start.setDaemon(true);
      start.start();
    } catch (Throwable e) {
      RequestHooks.refuse(String.valueOf(e.getMessage()));
    }
  }

  private static void start(AgentOptions options) {
    try {
      RequestHooks.recordInto(ShippingLoader.start(options));
    } catch (Throwable e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      RequestHooks.refuse("rows cannot be shipped: " + cause);
    }
  }

  static void hook(Instrumentation instrumentation) {
    AgentBuilder builder =
        new AgentBuilder.Default()
            .disableClassFormatChanges()
            .with(new Failures())
            .type(ElementMatchers.named(EARLIER))
            .transform(
                (woven, type, loader, module, domain) -> {
                  RequestHooks.refuse("Kafka before 4.4 is not supported");
                  return woven;
                });
    for (HookedClass hooked : HookedClass.ALL) {
      builder =
          builder
              .type(ElementMatchers.named(hooked.name()))
              .transform((woven, type, loader, module, domain) -> transform(hooked, woven, type));
    }
    builder.installOn(instrumentation);
  }

  private static DynamicType.Builder<?> transform(
      HookedClass hooked, DynamicType.Builder<?> builder, TypeDescription type) {
    List<String> missing = hooked.missing(type);
    if (missing.isEmpty()) {
      return hooked.woven(builder);
    }
    RequestHooks.refuse(
        "this Kafka is not supported: " + hooked.name() + " has no " + String.join(", ", missing));
    return builder;
  }

  /** A class that cannot be woven stays as it is. */
  private static final class Failures extends AgentBuilder.Listener.Adapter {
    @Override
    public void onError(
        String type, ClassLoader loader, JavaModule module, boolean loaded, Throwable failure) {
      RequestHooks.refuse(type + " cannot be read: " + failure);
    }
  }
}
