// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.Topics.TopicSpec;
import java.util.List;
import java.util.Optional;

/** Topics whose messages another program copies from a topic of the same run. */
final class TopicCopies {
  private TopicCopies() {}

  static void check(List<TopicSpec> topics, Fields fields) {
    for (TopicSpec topic : topics) {
      topic
          .copyOf()
          .ifPresent(source -> problem(topic, source, topics).ifPresent(p -> p.add(fields)));
    }
  }

  /**
   * Refuses transactions of the run's own producers: the messages of an aborted one are
   * acknowledged and never copied.
   */
  static void refuse(Key<?> key, List<TopicSpec> topics, Fields fields) {
    topics.stream()
        .flatMap(topic -> topic.copyOf().stream())
        .findFirst()
        .ifPresent(
            source ->
                fields.add(
                    key,
                    "the messages of "
                        + source
                        + " cannot be compared with its copy (copyOf) if producers use transactions",
                    "remove one of the two"));
  }

  private record Problem(String what, String remedy) {
    void add(Fields fields) {
      fields.addUnlessBad(Topics.TOPICS, what, remedy);
    }
  }

  private static Optional<Problem> problem(TopicSpec copy, String source, List<TopicSpec> topics) {
    if (copy.producers() > 0) {
      String what = "a copy of " + source + " has producers, whose messages are no copies";
      return Optional.of(new Problem(what, "set its producers to 0, or remove copyOf"));
    }
    boolean written =
        topics.stream().anyMatch(t -> t.producers() > 0 && t.name().equals(copy.copyOf()));
    if (!written) {
      String what = "copyOf names " + source + ", which is no topic with producers";
      return Optional.of(new Problem(what, "name a topic of this list that has producers"));
    }
    return Optional.empty();
  }
}
