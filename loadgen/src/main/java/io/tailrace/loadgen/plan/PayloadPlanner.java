// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import io.tailrace.loadgen.plan.Plan.PayloadPlan;
import io.tailrace.loadgen.workload.Messages.MessageSpec;
import io.tailrace.loadgen.workload.Messages.SizeSpec;
import io.tailrace.loadgen.workload.Payload.PayloadSpec;
import io.tailrace.loadgen.workload.Payload.PayloadSpec.PayloadFile;
import java.util.List;
import java.util.Optional;

/** Plans the message values. */
final class PayloadPlanner {
  private PayloadPlanner() {}

  static PayloadPlan of(MessageSpec message, long seed) {
    SizeSpec size = message.size();
    Optional<SizeSpec> cuts = size.constant() ? Optional.empty() : Optional.of(size);
    PayloadSpec payload = message.payload();
    if (payload instanceof PayloadSpec.Files files) {
      List<byte[]> bodies = files.files().stream().map(PayloadFile::content).toList();
      return new PayloadPlan(bodies, Optional.empty(), describe(files));
    }
    if (payload instanceof PayloadSpec.RandomPool pool) {
      String description =
          "pool of %d values made from the seed, %s of their bytes random, the rest zero"
              .formatted(pool.values(), pool.randomRatio());
      List<byte[]> bodies = GeneratedPayload.pool(seed, pool, size.most());
      return new PayloadPlan(bodies, cuts, description);
    }
    byte[] body = GeneratedPayload.of(seed, size.most());
    return new PayloadPlan(List.of(body), cuts, GeneratedPayload.DESCRIPTION);
  }

  private static String describe(PayloadSpec.Files files) {
    PayloadFile first = files.files().get(0);
    if (files.files().size() > 1) {
      return files.files().size() + " files in " + first.path().getParent();
    }
    return (first.made() ? "made from the name of file " : "file ") + first.path();
  }
}
