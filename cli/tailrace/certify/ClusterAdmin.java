// SPDX-License-Identifier: Apache-2.0
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.FeatureUpdate.UpgradeType;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;

/**
 * What a certificate asks of a cluster, and changes in it; CLIENT.properties names the cluster.
 *
 * <pre>
 * CLIENT.properties version           prints the finalized transaction.version; 0 where there is none
 * CLIENT.properties version NUMBER    sets it, and prints it
 * CLIENT.properties move TOPIC ...    has each partition led by its next replica; prints how many moved
 * CLIENT.properties brokers           prints ID HOST PORT of each broker
 * </pre>
 */
final class ClusterAdmin {
  private static final String FEATURE = "transaction.version";
  private static final long PATIENCE_S = 30;
  private static final long SETTLED_S = 5;

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
      UpgradeType type = wanted < version(admin) ? UpgradeType.SAFE_DOWNGRADE : UpgradeType.UPGRADE;
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
        admin
            .describeFeatures()
            .featureMetadata()
            .get(PATIENCE_S, TimeUnit.SECONDS)
            .finalizedFeatures();
    return features.containsKey(FEATURE) ? features.get(FEATURE).maxVersionLevel() : 0;
  }

  /** The replicas stay where they are: only their order changes, and the first of them leads. */
  private static long move(Admin admin, List<String> topics) throws Exception {
    Map<TopicPartition, TopicPartitionInfo> before = partitions(admin, topics);
    Map<TopicPartition, Optional<NewPartitionReassignment>> orders = new HashMap<>();
    before.forEach((partition, found) -> orders.put(partition, Optional.of(nextLeads(found))));
    admin.alterPartitionReassignments(orders).all().get(PATIENCE_S, TimeUnit.SECONDS);
    admin
        .electLeaders(ElectionType.PREFERRED, before.keySet())
        .partitions()
        .get(PATIENCE_S, TimeUnit.SECONDS);
    // Brokers learn of it one after the other.
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(SETTLED_S);
    long moved = 0;
    while (moved < before.size() && System.nanoTime() < until) {
      Thread.sleep(100);
      Map<TopicPartition, TopicPartitionInfo> now = partitions(admin, topics);
      moved =
          now.keySet().stream().filter(p -> leader(now.get(p)) != leader(before.get(p))).count();
    }
    return moved;
  }

  private static NewPartitionReassignment nextLeads(TopicPartitionInfo partition) {
    List<Integer> order = new ArrayList<>();
    partition.replicas().forEach(replica -> order.add(replica.id()));
    Collections.rotate(order, -1 - Math.max(0, order.indexOf(leader(partition))));
    return new NewPartitionReassignment(order);
  }

  private static int leader(TopicPartitionInfo partition) {
    return partition.leader() == null ? -1 : partition.leader().id();
  }

  private static Map<TopicPartition, TopicPartitionInfo> partitions(
      Admin admin, List<String> topics) throws Exception {
    Map<TopicPartition, TopicPartitionInfo> found = new HashMap<>();
    admin
        .describeTopics(topics)
        .allTopicNames()
        .get(PATIENCE_S, TimeUnit.SECONDS)
        .forEach(
            (topic, description) ->
                description
                    .partitions()
                    .forEach(each -> found.put(new TopicPartition(topic, each.partition()), each)));
    return found;
  }
}
