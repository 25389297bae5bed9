// SPDX-License-Identifier: Apache-2.0
package io.tailrace.chaos;

import java.lang.instrument.Instrumentation;
import java.nio.file.Path;
import java.util.Optional;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * Writes a hash of every row into files before the load generator's recorders see it, so that what
 * is stored can be compared with what was recorded, independently of blocks, spools and ledgers.
 * Topics are not deleted, so that an independent consumer can read them after the run. Argument:
 * the folder for the files.
 *
 * <p>{@code java -javaagent:row-journal.jar=FOLDER -jar loadgen.jar run …}
 */
public final class RowJournalAgent {
  private static final String PACKAGE = "io.tailrace.loadgen.record.";
  private static final ElementMatcher.Junction<MethodDescription> RECORDS =
      ElementMatchers.namedOneOf("acked", "received", "failed", "event", "leader");
  private static final ElementMatcher.Junction<MethodDescription> MAKES =
      ElementMatchers.namedOneOf("publishes", "deliveries");

  private static final ElementMatcher.Junction<MethodDescription> DELETES_TOPICS =
      ElementMatchers.<MethodDescription>named("delete")
          .and(ElementMatchers.takesArguments(1))
          .and(ElementMatchers.returns(Optional.class));

  private RowJournalAgent() {}

  /** Called by the virtual machine before {@code main}. */
  public static void premain(String folder, Instrumentation instrumentation) {
    RowJournals.into(Path.of(folder));
    new AgentBuilder.Default()
        .type(ElementMatchers.nameStartsWith(PACKAGE).and(ElementMatchers.nameEndsWith("Recorder")))
        .transform(
            (builder, type, loader, module, domain) ->
                builder.visit(
                    Advice.to(Recorded.class).on(ElementMatchers.isPublic().and(RECORDS))))
        .type(ElementMatchers.named(PACKAGE + "Recorders"))
        .transform(
            (builder, type, loader, module, domain) ->
                builder.visit(Advice.to(Made.class).on(ElementMatchers.isPublic().and(MAKES))))
        .type(ElementMatchers.named("io.tailrace.loadgen.kafka.RunTopics"))
        .transform(
            (builder, type, loader, module, domain) ->
                builder.visit(Advice.to(Kept.class).on(DELETES_TOPICS)))
        .installOn(instrumentation);
  }

  /** Woven into the beginning of the methods that record a row. */
  static final class Recorded {
    private Recorded() {}

    @Advice.OnMethodEnter
    static void enter(
        @Advice.This Object recorder,
        @Advice.Origin("#m") String method,
        @Advice.AllArguments Object[] values) {
      RowJournals.row(recorder, method, values);
    }
  }

  /** Woven into the end of the methods that make a recorder of a producer or consumer. */
  static final class Made {
    private Made() {}

    @Advice.OnMethodExit
    static void exit(@Advice.Return Object recorder, @Advice.AllArguments Object[] ids) {
      RowJournals.made(recorder, ids);
    }
  }

  /** Replaces the method that deletes topics: as if it had. */
  static final class Kept {
    private Kept() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean enter() {
      return true;
    }

    @Advice.OnMethodExit
    static void exit(@Advice.Return(readOnly = false) Optional<String> failure) {
      failure = Optional.empty();
    }
  }
}
