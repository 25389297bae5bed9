// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Makes or deletes the topics that are filled once and read many times.
 *
 * <pre>
 * make SERVERS TOPIC:PARTITIONS ...   created again, empty, with one replica, nothing is ever removed from them
 * delete SERVERS TOPIC ...            those that are there
 * </pre>
 */
final class Topics {
  private static final long PATIENCE_S = 60;

  private Topics() {}

  public static void main(String[] args) throws Exception {
    List<String> names = Arrays.asList(args).subList(2, args.length);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", args[1]))) {
      switch (args[0]) {
        case "make" -> make(admin, names);
        case "delete" -> delete(admin, names);
        default -> throw new IllegalArgumentException(args[0] + ": make or delete");
      }
    }
  }

  private static void make(Admin admin, List<String> pairs) throws Exception {
    List<NewTopic> topics = new ArrayList<>();
    for (String pair : pairs) {
      String[] words = pair.split(":");
      Map<String, String> kept = Map.of("retention.bytes", "-1", "retention.ms", "-1");
      topics.add(new NewTopic(words[0], Integer.parseInt(words[1]), (short) 1).configs(kept));
    }
    delete(admin, topics.stream().map(NewTopic::name).toList());
    admin.createTopics(topics).all().get(PATIENCE_S, TimeUnit.SECONDS);
  }

  private static void delete(Admin admin, List<String> names) throws Exception {
    for (String name : names) {
      try {
        admin.deleteTopics(Set.of(name)).all().get(PATIENCE_S, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
          throw e;
        }
      }
    }
    // Only when a name is gone can it be made again.
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
    while (admin.listTopics().names().get(PATIENCE_S, TimeUnit.SECONDS).stream()
        .anyMatch(names::contains)) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("the topics are still there after " + PATIENCE_S + " s");
      }
      Thread.sleep(100);
    }
  }
}
