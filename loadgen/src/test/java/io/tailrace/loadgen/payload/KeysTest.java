// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeysTest {
  static IntStream seeds() {
    return IntStream.range(0, 50);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aKeyDependsOnSeedProducerAndNumberAlone(int seed) {
    Keys forwards = Keys.zipf(1_000, 12, 1.1, seed, 3);
    Keys anywhere = Keys.zipf(1_000, 12, 1.1, seed, 3);
    long[] numbers = {0, 1, 77, 1L << 40, 5};
    for (long number : numbers) {
      byte[] key = forwards.key(number).clone();
      anywhere.key(number + 1);
      assertThat(anywhere.key(number)).hasSize(12).isEqualTo(key);
    }
    assertThat(texts(Keys.random(1_000, 12, seed, 3), 20))
        .isNotEqualTo(texts(Keys.random(1_000, 12, seed + 1L, 3), 20))
        .isNotEqualTo(texts(Keys.random(1_000, 12, seed, 4), 20));
  }

  @ParameterizedTest
  @ValueSource(ints = {6, 10, 40})
  void noTwoKeysAreEqualAndProducersShareThem(int bytes) {
    int count = 200_000;
    Set<String> first = new HashSet<>(texts(Keys.roundRobin(count, bytes, 42, 0), count));
    assertThat(first).hasSize(count);
    assertThat(first).containsAll(texts(Keys.random(count, bytes, 42, 9), 1_000));
  }

  @Test
  void roundRobinTakesEveryKeyInTurn() {
    Keys keys = Keys.roundRobin(7, 10, 1, 5);
    assertThat(LongStream.range(0, 7).mapToObj(i -> new String(keys.key(i))).distinct()).hasSize(7);
    assertThat(new String(keys.key(3))).isEqualTo(new String(keys.key(7_000_000_003L)));
  }

  @Test
  void randomKeysAreEquallyLikely() {
    Map<String, Integer> counts = counts(Keys.random(10, 10, 7, 0), 100_000);
    assertThat(counts).hasSize(10);
    assertThat(counts.values()).allSatisfy(n -> assertThat(n).isBetween(9_500, 10_500));
  }

  @ParameterizedTest
  @CsvSource({"0.5", "0.99", "1.0", "1.5", "3.0"})
  void zipfKeysHaveTheirWeights(double exponent) {
    int count = 1_000;
    int draws = 200_000;
    Zipf zipf = new Zipf(count, exponent);
    int[] seen = new int[count + 1];
    for (int i = 0; i < draws; i++) {
      seen[zipf.rank(MessageRandom.mix(i * 0x9E3779B97F4A7C15L))]++;
    }
    double all = 0;
    for (int rank = 1; rank <= count; rank++) {
      all += Math.pow(rank, -exponent);
    }
    for (int rank : new int[] {1, 2, 3, 10, 100, 1_000}) {
      double expected = draws * Math.pow(rank, -exponent) / all;
      double five = 5 * Math.sqrt(expected) + 1;
      assertThat((double) seen[rank]).as("rank " + rank).isCloseTo(expected, within(five));
    }
  }

  @Test
  void messagesMayHaveNoKey() {
    assertThat(Keys.none().key(5)).isNull();
  }

  private static List<String> texts(Keys keys, int count) {
    return IntStream.range(0, count).mapToObj(i -> new String(keys.key(i))).toList();
  }

  private static Map<String, Integer> counts(Keys keys, int draws) {
    Map<String, Integer> counts = new TreeMap<>();
    texts(keys, draws).forEach(key -> counts.merge(key, 1, Integer::sum));
    return counts;
  }
}
