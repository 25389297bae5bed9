// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.agreement;

import java.util.Map;
import java.util.Optional;

/** A worker without others: there is nothing to agree on. */
public final class LoneWorker implements Agreement {
  @Override
  public boolean leads() {
    return true;
  }

  @Override
  public boolean met() {
    return true;
  }

  @Override
  public void announce(Decision decision) {}

  @Override
  public Optional<Decision> decision() {
    return Optional.empty();
  }

  @Override
  public void report(String group, Map<Integer, Long> positions) {}

  @Override
  public Map<Integer, Long> positions(String group) {
    return Map.of();
  }

  @Override
  public Optional<String> leaderLost() {
    return Optional.empty();
  }

  @Override
  public void finish() {}

  @Override
  public boolean othersFinished() {
    return true;
  }

  @Override
  public boolean othersActive() {
    return false;
  }

  @Override
  public void close() {}
}
