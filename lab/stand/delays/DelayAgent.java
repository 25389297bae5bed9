// SPDX-License-Identifier: Apache-2.0

import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * Delays a broker at one place. A file names it: {@code append}, {@code request_queue}, {@code
 * client} (before the broker reads from a client's socket) or anything else for none; the delay is
 * the file's second word, in ms. The file is read again every 50 ms. Argument: the file.
 */
public final class DelayAgent {
  private static volatile String place = "";
  private static volatile long nanos;

  private DelayAgent() {}

  /** Called by the virtual machine before {@code main}. */
  public static void premain(String file, Instrumentation instrumentation) {
    Thread reader = new Thread(() -> follow(Path.of(file)), "delays");
    reader.setDaemon(true);
    reader.start();
    new AgentBuilder.Default()
        .disableClassFormatChanges()
        .type(ElementMatchers.named("org.apache.kafka.storage.internals.log.LocalLog"))
        .transform((b, t, l, m, d) -> b.visit(Advice.to(Append.class).on(ElementMatchers.named("append"))))
        .type(ElementMatchers.named("kafka.network.RequestChannel"))
        .transform((b, t, l, m, d) -> b.visit(Advice.to(Taken.class).on(ElementMatchers.named("receiveRequest"))))
        .type(ElementMatchers.named("org.apache.kafka.common.network.NetworkReceive"))
        .transform((b, t, l, m, d) -> b.visit(Advice.to(Read.class).on(ElementMatchers.named("readFrom"))))
        .installOn(instrumentation);
  }

  private static void follow(Path file) {
    while (true) {
      try {
        String[] words = Files.readString(file).trim().split(" ");
        if (words.length == 2) {
          nanos = Long.parseLong(words[1]) * 1_000_000;
          place = words[0];
        }
        Thread.sleep(50);
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Sleeps if this is the place. */
  public static void at(String here) {
    if (here.equals(place)) {
      long end = System.nanoTime() + nanos;
      for (long left = nanos; left > 0; left = end - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
    }
  }

  /** Within the append to a log. */
  static final class Append {
    private Append() {}

    @Advice.OnMethodEnter
    static void enter() {
      DelayAgent.at("append");
    }
  }

  /** A request handler has a request, and Kafka has not read the clock yet. */
  static final class Taken {
    private Taken() {}

    @Advice.OnMethodExit
    static void exit(@Advice.Return Object request) {
      if (request != null) {
        DelayAgent.at("request_queue");
      }
    }
  }

  /** Bytes of a request are in the socket. */
  static final class Read {
    private Read() {}

    @Advice.OnMethodEnter
    static void enter() {
      DelayAgent.at("client");
    }
  }
}
