// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.payload;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.payload.PayloadHeader.Origin;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PayloadHeaderTest {
  private static final Origin SOME = new Origin(-5, 7);

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0, 0",
    "319, 1, 1700000000000000, 1",
    "16777215, 1099511627775, 4503599627370495, 4095",
    "8388608, 549755813888, 2251799813685248, 2048"
  })
  void roundTrip(int producer, long sequence, long intendedMicros, int tie) {
    byte[] value = new byte[64];
    Origin origin = Origin.of("run-1", producer);
    PayloadHeader.write(
        value, PayloadHeader.bodyChecksum(value), origin, sequence, intendedMicros, tie);
    ByteBuffer read = ByteBuffer.wrap(value);

    assertThat(PayloadHeader.isPresent(read)).isTrue();
    assertThat(PayloadHeader.isOf(PayloadHeader.runOf("run-1"), read)).isTrue();
    assertThat(PayloadHeader.isOf(PayloadHeader.runOf("run-2"), read)).isFalse();
    assertThat(PayloadHeader.isIntact(read)).isTrue();
    assertThat(PayloadHeader.producer(read)).isEqualTo(producer);
    assertThat(PayloadHeader.sequence(read)).isEqualTo(sequence);
    assertThat(PayloadHeader.intendedMicros(read)).isEqualTo(intendedMicros);
    assertThat(PayloadHeader.tie(read)).isEqualTo(tie);
  }

  @Test
  void theBytesAreTheDocumentedOnes() {
    byte[] value = new byte[PayloadHeader.BYTES];
    Origin origin = new Origin(PayloadHeader.runOf("123456789"), 0x010203);
    PayloadHeader.write(
        value, PayloadHeader.bodyChecksum(value), origin, 0x0405060708L, 0xe0f1011121314L, 0x0d0);

    String hex = HexFormat.of().formatHex(value);
    assertThat(hex).startsWith("54524333");
    // The last word is the check value of CRC-32C, which is defined over these nine characters.
    assertThat(hex).endsWith("0807060504030201" + "14131211100f0e0d" + "839206e3");
    // Fails when the checksum's definition changes, because other programs compute it too.
    assertThat(hex.substring(8, 16)).isEqualTo("99b2b6d3");
  }

  @Test
  void aChangeOfAnyBitIsFound() {
    byte[] value = new byte[PayloadHeader.BYTES + 100];
    new Random(7).nextBytes(value);
    PayloadHeader.write(
        value, PayloadHeader.bodyChecksum(value), SOME, 4, 1_700_000_000_000_000L, 1);
    for (int bit = 8 * 4; bit < 8 * value.length; bit++) {
      value[bit / 8] ^= (byte) (1 << bit % 8);
      assertThat(PayloadHeader.isIntact(ByteBuffer.wrap(value))).as("bit %d", bit).isFalse();
      value[bit / 8] ^= (byte) (1 << bit % 8);
    }
    assertThat(PayloadHeader.isIntact(ByteBuffer.wrap(value))).isTrue();
    assertThat(PayloadHeader.isIntact(ByteBuffer.wrap(value, 0, value.length - 1))).isFalse();
  }

  @Test
  void writesNothingAfterTheHeader() {
    byte[] value = new byte[PayloadHeader.BYTES + 8];
    Arrays.fill(value, (byte) 0x7f);
    PayloadHeader.write(value, PayloadHeader.bodyChecksum(value), SOME, 2, 3, 0);

    assertThat(Arrays.copyOfRange(value, PayloadHeader.BYTES, value.length)).containsOnly(0x7f);
  }

  @Test
  void readsFromTheBuffersPositionWithoutChangingIt() {
    byte[] value = new byte[PayloadHeader.BYTES];
    PayloadHeader.write(value, PayloadHeader.bodyChecksum(value), SOME, 8, 9, 0);
    for (ByteBuffer buffer :
        new ByteBuffer[] {ByteBuffer.allocate(64), ByteBuffer.allocateDirect(64)}) {
      buffer.position(13).put(value).flip().position(13);

      assertThat(PayloadHeader.isPresent(buffer)).isTrue();
      assertThat(PayloadHeader.isIntact(buffer)).isTrue();
      assertThat(PayloadHeader.producer(buffer)).isEqualTo(SOME.producer());
      assertThat(PayloadHeader.sequence(buffer)).isEqualTo(8);
      assertThat(PayloadHeader.intendedMicros(buffer)).isEqualTo(9);
      assertThat(buffer.position()).isEqualTo(13);
      assertThat(buffer.order()).isEqualTo(ByteOrder.BIG_ENDIAN);
    }
  }

  @Test
  void valuesOfOtherProgramsHaveNoHeader() {
    byte[] ours = new byte[PayloadHeader.BYTES];
    PayloadHeader.write(ours, PayloadHeader.bodyChecksum(ours), SOME, 2, 3, 0);
    byte[] otherMagic = ours.clone();
    otherMagic[2] = 'c';

    assertThat(PayloadHeader.isPresent(null)).isFalse();
    assertThat(PayloadHeader.isPresent(ByteBuffer.allocate(0))).isFalse();
    assertThat(PayloadHeader.isPresent(ByteBuffer.wrap(ours, 0, 23))).isFalse();
    assertThat(PayloadHeader.isPresent(ByteBuffer.wrap(otherMagic))).isFalse();
  }

  @Test
  void messagesOfAnOlderVersionAreOfNoRun() {
    byte[] older = new byte[PayloadHeader.BYTES];
    PayloadHeader.write(older, PayloadHeader.bodyChecksum(older), SOME, 2, 3, 0);
    older[3] = '2';

    // The older header ends before the run's number; what follows could be anything.
    for (ByteBuffer value : List.of(ByteBuffer.wrap(older), ByteBuffer.wrap(older, 0, 24))) {
      assertThat(PayloadHeader.isPresent(value)).isTrue();
      assertThat(PayloadHeader.isOf(SOME.run(), value)).isFalse();
    }
    assertThat(PayloadHeader.isOf(SOME.run(), null)).isFalse();
  }

  @Test
  void noRunHasTheNumberZero() {
    // The empty text's CRC-32C is 0.
    assertThat(PayloadHeader.runOf("")).isEqualTo(1);
  }
}
