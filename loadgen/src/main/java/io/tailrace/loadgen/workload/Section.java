// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.ClientConfigNames.Owner;
import java.util.List;

/** The four texts of a driver file that hold configuration. */
enum Section {
  TOPIC("topicConfig", List.of(Owner.TOPIC)),
  COMMON("commonConfig", List.of(Owner.ADMIN, Owner.PRODUCER, Owner.CONSUMER)),
  PRODUCER("producerConfig", List.of(Owner.PRODUCER)),
  CONSUMER("consumerConfig", List.of(Owner.CONSUMER));

  private final String key;
  private final List<Owner> owners;

  Section(String key, List<Owner> owners) {
    this.key = key;
    this.owners = owners;
  }

  /** Its key in the driver file. */
  String key() {
    return key;
  }

  /** Whom its properties are for; one that any of them knows is known. */
  List<Owner> owners() {
    return owners;
  }
}
