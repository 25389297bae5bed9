// SPDX-License-Identifier: Apache-2.0

import java.io.FileInputStream;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;

/**
 * Replicas CONFIG TOPIC: makes TOPIC, six partitions of three replicas, when it is not there; then
 * prints each partition of any topic with replicas out of sync, and how many partitions there are.
 * Runs from its source.
 */
final class Replicas {
  public static void main(String[] args) throws Exception {
    var config = new Properties();
    try (var file = new FileInputStream(args[0])) {
      config.load(file);
    }
    try (var admin = Admin.create(config)) {
      if (!admin.listTopics().names().get().contains(args[1])) {
        admin.createTopics(List.of(new NewTopic(args[1], 6, (short) 3))).all().get();
      }
      var names = admin.listTopics(new ListTopicsOptions().listInternal(true)).names().get();
      int count = 0;
      for (TopicDescription topic : admin.describeTopics(names).allTopicNames().get().values()) {
        for (var partition : topic.partitions()) {
          count++;
          if (partition.replicas().size() != 3 || partition.isr().size() != 3) {
            System.out.printf(
                "behind: %s-%d in sync %s%n", topic.name(), partition.partition(), partition.isr());
          }
        }
      }
      System.out.println("partitions=" + count);
    }
  }
}
