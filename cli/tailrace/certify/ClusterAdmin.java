// SPDX-License-Identifier: Apache-2.0
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.FeatureUpdate.UpgradeType;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;

/**
 * What a certificate asks of a cluster, and changes in it; CLIENT.properties names the cluster.
 *
 * <pre>
 * CLIENT.properties version           prints the finalized transaction.version; 0 where there is none
 * CLIENT.properties version NUMBER    sets it, and prints it
 * CLIENT.properties move TOPIC ...    moves each partition's leader to its next replica; prints how many moved
 * CLIENT.properties brokers           prints ID HOST PORT of each broker
 * </pre>
 */
final class ClusterAdmin {
  private static final String FEATURE = "transaction.version";
  private static final long PATIENCE_S = 30;

  private ClusterAdmin() {}

  public static void main(String[] args) throws Exception {
    Properties client = new Properties();
    try (Reader file = Files.newBufferedReader(Path.of(args[0]))) {
      client.load(file);
    }
    try (Admin admin = Admin.create(client)) {
      switch (args[1]) {
        case "version" -> System.out.println(version(admin, args));
        case "move" -> System.out.println(move(admin, Arrays.asList(args).subList(2, args.length)));
        case "brokers" -> {
          for (Node node : admin.describeCluster().nodes().get(PATIENCE_S, TimeUnit.SECONDS)) {
            System.out.println(node.idString() + " " + node.host() + " " + node.port());
          }
        }
        default -> throw new IllegalArgumentException(args[1] + ": version, move or brokers");
      }
    }
  }

  private static short version(Admin admin, String[] args) throws Exception {
    if (args.length > 2 && Short.parseShort(args[2]) != version(admin)) {
      short wanted = Short.parseShort(args[2]);
      UpgradeType type =
          wanted < version(admin) ? UpgradeType.SAFE_DOWNGRADE : UpgradeType.UPGRADE;
      Map<String, FeatureUpdate> update = Map.of(FEATURE, new FeatureUpdate(wanted, type));
      admin
          .updateFeatures(update, new UpdateFeaturesOptions())
          .all()
          .get(PATIENCE_S, TimeUnit.SECONDS);
      long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
      while (version(admin) != wanted && System.nanoTime() < until) {
        Thread.sleep(100);
      }
    }
    return version(admin);
  }

  private static short version(Admin admin) throws Exception {
    var features =
        admin.describeFeatures().featureMetadata().get(PATIENCE_S, TimeUnit.SECONDS).finalizedFeatures();
    return features.containsKey(FEATURE) ? features.get(FEATURE).maxVersionLevel() : 0;
  }

  /** The replicas stay where they are: only their order changes, and the first of them leads. */
  private static int move(Admin admin, List<String> topics) throws Exception {
    Map<TopicPartition, Integer> before = leaders(admin, topics, null);
    Map<TopicPartition, Optional<NewPartitionReassignment>> orders = new HashMap<>();
    leaders(admin, topics, orders);
    admin.alterPartitionReassignments(orders).all().get(PATIENCE_S, TimeUnit.SECONDS);
    Set<TopicPartition> moving = orders.keySet();
    admin.electLeaders(ElectionType.PREFERRED, moving).partitions().get(PATIENCE_S, TimeUnit.SECONDS);
    Map<TopicPartition, Integer> after = leaders(admin, topics, null);
    return (int) moving.stream().filter(p -> !before.get(p).equals(after.get(p))).count();
  }

  private static Map<TopicPartition, Integer> leaders(
      Admin admin,
      List<String> topics,
      Map<TopicPartition, Optional<NewPartitionReassignment>> orders)
      throws Exception {
    Map<TopicPartition, Integer> found = new HashMap<>();
    var described = admin.describeTopics(topics).allTopicNames().get(PATIENCE_S, TimeUnit.SECONDS);
    described.forEach(
        (topic, description) ->
            description
                .partitions()
                .forEach(
                    each -> {
                      TopicPartition partition = new TopicPartition(topic, each.partition());
                      found.put(partition, each.leader() == null ? -1 : each.leader().id());
                      List<Integer> order =
                          new java.util.ArrayList<>(each.replicas().stream().map(Node::id).toList());
                      if (orders != null && order.size() > 1) {
                        int led = Math.max(0, order.indexOf(found.get(partition)));
                        Collections.rotate(order, -led - 1);
                        orders.put(partition, Optional.of(new NewPartitionReassignment(order)));
                      }
                    }));
    return found;
  }
}
