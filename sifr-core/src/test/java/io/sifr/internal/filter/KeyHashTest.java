package io.sifr.internal.filter;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyHashTest {
  private static long hash(byte[] key) {
    return KeyHash.of(key, 0, key.length);
  }

  /** The format document lists these: FarmHash's own implementation in C++ has them, too. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''                        | 9ae16a3b2f90404f",
        "a                         | b3454265b6df75e3",
        "apple                     | 59798944198adf19",
        "pineapple                 | 76b92b9336b4ccc2",
        "user5236450239867012345   | b9625c33cb2bc12e",
        "a key that is longer than two times sixteen bytes | 2d5e9147c2b0c350"
      })
  void neverChanges(String key, String expected) {
    byte[] bytes = key.getBytes(StandardCharsets.US_ASCII);
    assertThat(String.format("%016x", hash(bytes))).isEqualTo(expected);
  }

  @Test
  void doesNotDependOnWhereTheKeyLies() {
    Random random = new Random(1);
    for (int length = 0; length < 100; length++) {
      byte[] key = new byte[length];
      random.nextBytes(key);
      byte[] around = new byte[length + 40];
      random.nextBytes(around);
      System.arraycopy(key, 0, around, 17, length);
      assertThat(KeyHash.of(around, 17, length)).as("length %d", length).isEqualTo(hash(key));
    }
  }

  @Test
  void everyBitAndTheLengthCount() {
    Random random = new Random(2);
    for (int length = 0; length < 70; length++) {
      byte[] key = new byte[length];
      random.nextBytes(key);
      Set<Long> hashes = new HashSet<>();
      hashes.add(hash(key));
      for (int bit = 0; bit < 8 * length; bit++) {
        key[bit / 8] ^= (byte) (1 << bit % 8);
        hashes.add(hash(key));
        key[bit / 8] ^= (byte) (1 << bit % 8);
      }
      assertThat(hashes).as("length %d", length).hasSize(8 * length + 1);
    }
    Set<Long> ofZeros = new HashSet<>();
    for (int length = 0; length < 200; length++) {
      ofZeros.add(hash(new byte[length]));
    }
    assertThat(ofZeros).hasSize(200);
  }
}
