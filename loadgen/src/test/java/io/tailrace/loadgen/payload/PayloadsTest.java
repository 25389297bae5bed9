// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.payload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PayloadsTest {
  static IntStream seeds() {
    return IntStream.range(0, 50);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aValueDependsOnSeedProducerAndNumberAlone(int seed) {
    Sizes sizes = new Sizes(new int[] {24, 100}, new int[] {99, 400}, new double[] {1, 3});
    Payloads forwards = new Payloads(bodies(20, 400), sizes, seed, 2);
    Payloads anywhere = new Payloads(bodies(20, 400), sizes, seed, 2);
    for (long number : new long[] {0, 9, 1L << 33, 1}) {
      byte[] value = forwards.value(number).clone();
      anywhere.value(number + 7);
      assertThat(anywhere.value(number)).isEqualTo(value);
    }
  }

  @Test
  void sizesHaveTheirWeightsAndStayInRange() {
    Sizes sizes = new Sizes(new int[] {24, 1_000}, new int[] {33, 1_000}, new double[] {1, 3});
    Payloads payloads = new Payloads(bodies(1, 1_000), sizes, 5, 0);
    int[] seen = new int[1_001];
    for (int i = 0; i < 40_000; i++) {
      seen[payloads.value(i).length]++;
    }
    assertThat(seen[1_000]).isBetween(29_500, 30_500);
    assertThat(Arrays.stream(seen, 24, 34).boxed())
        .allSatisfy(n -> assertThat(n).isBetween(850, 1_150));
    assertThat(Arrays.stream(seen).sum()).isEqualTo(40_000);
    assertThat(Arrays.stream(seen, 34, 1_000).sum()).isZero();
  }

  @Test
  void everyBodyOfThePoolIsUsedAndNoneOverwritten() {
    List<byte[]> bodies = bodies(10, 64);
    List<byte[]> before = bodies.stream().map(byte[]::clone).toList();
    Payloads payloads = new Payloads(bodies, null, 1, 1);
    int[] seen = new int[10];
    PayloadHeader.Origin origin = PayloadHeader.Origin.of("run", 1);
    for (int i = 0; i < 10_000; i++) {
      byte[] value = payloads.value(i);
      seen[value[63]]++;
      PayloadHeader.write(value, PayloadHeader.bodyChecksum(value), origin, i, 0, 0);
    }
    assertThat(Arrays.stream(seen).boxed()).allSatisfy(n -> assertThat(n).isBetween(850, 1_150));
    for (int i = 0; i < bodies.size(); i++) {
      assertThat(bodies.get(i)).isEqualTo(before.get(i));
    }
  }

  @Test
  void aSingleBodyIsReturnedWithoutACopy() {
    byte[] body = bodies(1, 100).get(0);
    Payloads payloads = new Payloads(List.of(body), null, 1, 0);
    assertThat(payloads.value(0)).isEqualTo(body).isNotSameAs(body).isSameAs(payloads.value(1));
  }

  /** Random bytes; the last byte of each is its number. */
  private static List<byte[]> bodies(int count, int bytes) {
    SplittableRandom random = new SplittableRandom(1);
    return IntStream.range(0, count)
        .mapToObj(
            i -> {
              byte[] body = new byte[bytes];
              random.nextBytes(body);
              body[bytes - 1] = (byte) i;
              return body;
            })
        .toList();
  }
}
