// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.kafka.KafkaBroker;
import io.tailrace.loadgen.kafka.TopicAdmin;
import io.tailrace.loadgen.plan.Plan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Topics of a run that could not delete them. */
class LeftTopicsTest {
  @TempDir Path folder;

  @Test
  void theNextRunDeletesWhatOneHasLeftAndNothingElse() throws Exception {
    Path note = folder.resolve("killed").resolve("topics.json");
    try (KafkaBroker broker = KafkaBroker.start(folder)) {
      Plan killed = new TestPlan("killed", broker.bootstrapServers()).build();
      try (TopicAdmin admin = TopicAdmin.connect(killed)) {
        admin.topics(note).create(); // and was killed
      }
      assertThat(note).exists();
      String given = killed.topics().get(0).name();
      assertThat(broker.topics()).contains(given);

      Plan next = new TestPlan("next", broker.bootstrapServers()).build();
      try (TopicAdmin admin = TopicAdmin.connect(next)) {
        assertThat(admin.topics(null).deleteLeft(note))
            .contains("run killed had left its topics: 1 deleted");
        assertThat(admin.topics(null).deleteLeft(folder.resolve("none")).orElse(""))
            .contains("cannot be read");
      }
      awaitDeleted(broker, given);
      assertThat(note).doesNotExist();
    }
  }

  @Test
  void aTopicCreatedAgainUnderTheSameNameIsKept() throws Exception {
    try (KafkaBroker broker = KafkaBroker.start(folder)) {
      Path note = folder.resolve("topics.json");
      Plan plan = new TestPlan("someone", broker.bootstrapServers()).build();
      try (TopicAdmin admin = TopicAdmin.connect(plan)) {
        admin.topics(note).create();
        // As if the workload had given the name: it does not begin with the run's id.
        Files.writeString(note, Files.readString(note).replace("\"someone\"", "\"other\""));
        String name = plan.topics().get(0).name();
        try (Admin client = broker.admin()) {
          client.deleteTopics(List.of(name)).all().get(30, TimeUnit.SECONDS);
          NewTopic again = new NewTopic(name, 1, (short) 1);
          awaitCreated(client, name, client.createTopics(List.of(again)).topicId(name));
        }
        assertThat(admin.topics(null).deleteLeft(note)).isPresent();
        assertThat(broker.topics()).isEqualTo(Set.of(name));
      }
    }
  }

  @Test
  void theFileOfAnotherClusterIsIgnored() throws Exception {
    try (KafkaBroker broker = KafkaBroker.start(folder)) {
      Path note = folder.resolve("topics.json");
      Plan plan = new TestPlan("far", broker.bootstrapServers()).build();
      String text = "{\"run_id\":\"far\",\"cluster_id\":\"elsewhere\",\"topics\":{\"far-1\":\"\"}}";
      Files.writeString(note, text);
      try (TopicAdmin admin = TopicAdmin.connect(plan)) {
        assertThat(admin.topics(null).deleteLeft(note)).isEqualTo(Optional.empty());
      }
      assertThat(note).hasContent(text);
    }
  }

  /** A controller answers before the broker has learned of the deletion. */
  private static void awaitDeleted(KafkaBroker broker, String topic) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (broker.topics().contains(topic)) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.sleep(20);
    }
  }

  /** A controller answers before the broker has learned of the new topic. */
  private static void awaitCreated(Admin client, String name, KafkaFuture<Uuid> made)
      throws Exception {
    Uuid id = made.get(30, TimeUnit.SECONDS);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (client.listTopics().listings().get(30, TimeUnit.SECONDS).stream()
        .noneMatch(topic -> topic.name().equals(name) && topic.topicId().equals(id))) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.sleep(20);
    }
  }
}
