// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

/** The latency stages that are measured live. */
public enum Stage {
  /** Acknowledgement − intended send. */
  PUBLISH("publish"),
  /** Acknowledgement − actual send. */
  PUBLISH_SERVICE("publish_service"),
  /** Actual − intended send. */
  PUBLISH_DELAY("publish_delay"),
  /** Receipt − intended send. */
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
   * Finds a stage by its name.
   *
   * @throws IllegalArgumentException if no stage has the name
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
