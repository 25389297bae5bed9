// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.workload.Consume.ConsumeSpec;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.config.ConfigResource;

/** Sets up a run's share groups at the brokers; does nothing where it has none. */
public final class ShareGroups {
  private static final Duration REQUEST = Duration.ofSeconds(30);
  private static final Duration FORGET = Duration.ofSeconds(5);

  private final Plan plan;
  private final Admin client;

  ShareGroups(Plan plan, Admin client) {
    this.plan = plan;
    this.client = client;
  }

  /** Sets them to begin with the oldest message; by default they begin with the next. */
  public void prepare() throws InterruptedException {
    try {
      alter(AlterConfigOp.OpType.SET, REQUEST);
    } catch (ExecutionException | TimeoutException e) {
      throw new BadInputException(
          "consumerType: share groups cannot be configured: "
              + ClientErrors.reason(e)
              + "; the brokers need the feature share.version (Kafka 4.2)",
          e);
    }
  }

  /**
   * Removes the settings, which outlive their group. Settings that cannot be removed do no harm.
   * The leader does it for all: it is the last worker to end.
   */
  public void forget() throws InterruptedException {
    if (plan.worker() > 0) {
      return;
    }
    try {
      alter(AlterConfigOp.OpType.DELETE, FORGET);
    } catch (ExecutionException | TimeoutException e) {
      // The brokers are down.
    }
  }

  private void alter(AlterConfigOp.OpType operation, Duration atMost)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (plan.behaviour().consume().groups() != ConsumeSpec.Groups.SHARE) {
      return;
    }
    Map<String, String> config = new HashMap<>(plan.config().consumer());
    if (plan.behaviour().transactions().isPresent()) {
      config.putIfAbsent(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    }
    Map<String, String> settings = ShareGroupConfig.of(config);
    Collection<AlterConfigOp> changes =
        settings.entrySet().stream()
            .map(one -> new AlterConfigOp(new ConfigEntry(one.getKey(), one.getValue()), operation))
            .toList();
    Map<ConfigResource, Collection<AlterConfigOp>> groups = new HashMap<>();
    for (String group : plan.groups().keySet()) {
      groups.put(new ConfigResource(ConfigResource.Type.GROUP, group), changes);
    }
    client.incrementalAlterConfigs(groups).all().get(atMost.toMillis(), TimeUnit.MILLISECONDS);
  }
}
