// SPDX-License-Identifier: Apache-2.0
// Generated from contracts/stages.yaml by make contracts. Do not edit.
package io.tailrace.loadgen.contract;

/** The latencies of a message. */
public enum Stage {
  /** Acknowledgement − intended send. */
  PUBLISH("publish"),
  /** Acknowledgement − actual send. */
  PUBLISH_SERVICE("publish_service"),
  /** Actual send − intended send. */
  PUBLISH_DELAY("publish_delay"),
  /** Return of the poll() that delivered it − intended send. */
  END_TO_END("end_to_end");

  private final String stageName;

  Stage(String stageName) {
    this.stageName = stageName;
  }

  /** Name as in the tables, e.g. {@code publish_service}. */
  public String stageName() {
    return stageName;
  }

  /**
   * The stage of a name.
   *
   * @throws IllegalArgumentException for a name that no stage has
   */
  public static Stage of(String name) {
    for (Stage stage : values()) {
      if (stage.stageName.equals(name)) {
        return stage;
      }
    }
    throw new IllegalArgumentException("no stage is named " + name);
  }
}
