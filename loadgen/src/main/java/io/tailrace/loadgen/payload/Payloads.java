// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.payload;

import io.tailrace.loadgen.payload.MessageRandom.Draw;
import java.util.Arrays;
import java.util.List;

/**
 * The message values of one producer, each a pure function of random seed, producer and message
 * number. All producers share the bodies; the returned value is this producer's copy. For one
 * thread.
 */
public final class Payloads {
  private final List<byte[]> bodies;
  private final Sizes sizes;
  private final MessageRandom random;
  private byte[] value;

  /**
   * @param bodies one or more, each at least {@link PayloadHeader#BYTES} long
   * @param sizes sizes to cut bodies to, none above the shortest body; null for whole bodies
   */
  public Payloads(List<byte[]> bodies, Sizes sizes, long seed, int producer) {
    this.bodies = bodies;
    this.sizes = sizes;
    this.random = new MessageRandom(seed, producer);
    this.value = bodies.get(0).clone();
  }

  /**
   * The value of message n, from 0. The caller may overwrite its header. The array is reused for
   * the next message, so it must be sent or copied before.
   */
  public byte[] value(long message) {
    if (bodies.size() == 1 && sizes == null) {
      return value;
    }
    int index = bodies.size() == 1 ? 0 : random.below(bodies.size(), Draw.BODY, message);
    byte[] body = bodies.get(index);
    int bytes = sizes == null ? body.length : sizes.of(random, message);
    if (value.length == bytes) {
      System.arraycopy(body, 0, value, 0, bytes);
    } else {
      value = Arrays.copyOf(body, bytes);
    }
    return value;
  }
}
