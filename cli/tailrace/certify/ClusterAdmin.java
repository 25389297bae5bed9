// SPDX-License-Identifier: Apache-2.0
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.FeatureUpdate.UpgradeType;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * What a certificate asks of a cluster, and changes in it; CLIENT.properties names the cluster.
 *
 * <pre>
 * CLIENT.properties version           prints the finalized transaction.version; 0 where there is none
 * CLIENT.properties version NUMBER    sets it, and prints it
 * CLIENT.properties move TOPIC ...    has each partition led by its next replica; prints how many moved
 * CLIENT.properties brokers           prints ID HOST PORT of each broker
 * CLIENT.properties facts             prints NAME VALUE: levels of features, and defaults of topics
 * </pre>
 *
 * <p>When no broker answers it prints a line that begins with "no answer: ", and ends with 1.
 */
final class ClusterAdmin {
  private static final String FEATURE = "transaction.version";
  private static final long PATIENCE_S = 30;
  private static final long SETTLED_S = 5;
  // A broker that is there answers sooner; a call must end before the client that makes it can
  // close.
  private static final long FIRST_ANSWER_S = 6;
  private static final List<String> DEFAULTS =
      List.of(
          "default.replication.factor", "min.insync.replicas", "unclean.leader.election.enable");

  private ClusterAdmin() {}

  public static void main(String[] args) throws Exception {
    Properties client = new Properties();
    try (Reader file = Files.newBufferedReader(Path.of(args[0]))) {
      client.load(file);
    }
    String servers = client.getProperty("bootstrap.servers");
    try (Admin admin = Admin.create(client)) {
      Collection<Node> nodes = nodes(admin);
      if (nodes == null) {
        System.out.printf(
            "no answer: no broker answers at %s within %d s%n", servers, FIRST_ANSWER_S);
        System.exit(1);
      }
      switch (args[1]) {
        case "version" -> System.out.println(version(admin, args));
        case "move" -> System.out.println(move(admin, Arrays.asList(args).subList(2, args.length)));
        case "brokers" ->
            nodes.forEach(n -> System.out.println(n.idString() + " " + n.host() + " " + n.port()));
        case "facts" -> facts(admin, nodes.iterator().next());
        default ->
            throw new IllegalArgumentException(args[1] + ": version, move, brokers or facts");
      }
    } catch (ConfigException e) {
      System.out.printf("no answer: bootstrap.servers=%s: %s%n", servers, e.getMessage());
      System.exit(1);
    } catch (KafkaException e) {
      // The client could not be made: the reason is below.
      Throwable why = e.getCause() == null ? e : e.getCause();
      System.out.printf("no answer: bootstrap.servers=%s: %s%n", servers, why.getMessage());
      System.exit(1);
    }
  }

  /** All brokers; null when none answers. */
  private static Collection<Node> nodes(Admin admin) throws Exception {
    try {
      int patience = (int) TimeUnit.SECONDS.toMillis(FIRST_ANSWER_S);
      DescribeClusterOptions options = new DescribeClusterOptions().timeoutMs(patience);
      return admin.describeCluster(options).nodes().get(PATIENCE_S, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TimeoutException) {
        return null;
      }
      throw e;
    }
  }

  private static void facts(Admin admin, Node node) throws Exception {
    var features = admin.describeFeatures().featureMetadata().get(PATIENCE_S, TimeUnit.SECONDS);
    features
        .finalizedFeatures()
        .forEach((name, range) -> System.out.println(name + " " + range.maxVersionLevel()));
    ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, node.idString());
    var configs = admin.describeConfigs(List.of(broker)).all().get(PATIENCE_S, TimeUnit.SECONDS);
    for (String name : DEFAULTS) {
      ConfigEntry entry = configs.get(broker).get(name);
      if (entry != null) {
        System.out.println(name + " " + entry.value());
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
