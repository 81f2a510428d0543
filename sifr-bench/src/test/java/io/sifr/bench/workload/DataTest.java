package io.sifr.bench.workload;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys, values and orders that follow from numbers. */
class DataTest {
  @TempDir Path directory;

  private static final long SEED = 42;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 17, 1000, 65_537})
  void aPermutationHoldsEachNumberOnce(int size) {
    Permutation order = new Permutation(size, SEED);
    BitSet seen = new BitSet();
    for (int place = 0; place < size; place++) {
      int number = order.at(place);
      assertThat(number).isBetween(0, size - 1);
      seen.set(number);
    }
    assertThat(seen.cardinality()).isEqualTo(size);
  }

  @Test
  void aPermutationIsNotInOrder() {
    Permutation order = new Permutation(1000, SEED);
    int rises = 0;
    for (int place = 1; place < 1000; place++) {
      rises += order.at(place) > order.at(place - 1) ? 1 : 0;
    }
    assertThat(rises).isBetween(400, 600);
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 16, 22, 23, 24, 100})
  void keysAreInTheOrderOfTheirEntriesWithMissingOnesBetween(int keyBytes) {
    KeySpace keys = new KeySpace(keyBytes, 1000, SEED);
    byte[] previous = new byte[0];
    for (int entry = 0; entry < 1000; entry++) {
      byte[] key = keys.key(entry);
      byte[] missing = keys.missingKey(entry);
      assertThat(key).hasSize(keyBytes);
      assertThat(Arrays.compareUnsigned(previous, key)).isNegative();
      assertThat(Arrays.compareUnsigned(key, missing)).isNegative();
      assertThat(keys.entryOf(key)).isEqualTo(entry);
      assertThat(keys.entryOf(missing)).isEqualTo(KeySpace.FOREIGN);
      previous = missing;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 23, 30})
  void anyChangeMakesAKeyForeign(int keyBytes) {
    KeySpace keys = new KeySpace(keyBytes, 50, SEED);
    for (int entry = 0; entry < 50; entry++) {
      for (int i = 0; i < keyBytes; i++) {
        for (int bit = 0; bit < Byte.SIZE; bit++) {
          byte[] changed = keys.key(entry);
          changed[i] ^= (byte) (1 << bit);
          assertThat(keys.entryOf(changed)).isEqualTo(KeySpace.FOREIGN);
        }
      }
    }
    assertThat(keys.entryOf(new byte[0])).isEqualTo(KeySpace.FOREIGN);
    assertThat(keys.entryOf(Arrays.copyOf(keys.key(3), keyBytes + 1))).isEqualTo(KeySpace.FOREIGN);
  }

  @Test
  void valuesHaveAllLengthsOfTheirShape() {
    Values values = new Values(Shape.PAPER, SEED);
    int[] counts = new int[201];
    for (int entry = 0; entry < 20_000; entry++) {
      counts[values.value(entry, 1).length]++;
    }
    assertThat(counts[0]).isZero();
    for (int length = 1; length <= 200; length++) {
      assertThat(counts[length]).as("values of %d bytes", length).isBetween(50, 160);
    }
  }

  @Test
  void aValueMatchesItsEntryAndWriteOnly() {
    Values values = new Values(new Shape("x", 8, 9, 40), SEED);
    for (int entry = 0; entry < 500; entry++) {
      byte[] value = values.value(entry, 7);
      assertThat(values.matches(value, entry, 7)).isTrue();
      assertThat(values.matches(value, entry, 8)).isFalse();
      assertThat(values.matches(value, entry + 1, 7)).isFalse();
      assertThat(values.matches(Arrays.copyOf(value, value.length - 1), entry, 7)).isFalse();
      for (int i = 0; i < value.length; i++) {
        byte[] changed = value.clone();
        changed[i] ^= 1;
        assertThat(values.matches(changed, entry, 7)).isFalse();
      }
    }
  }

  @Test
  void valuesConsistOfWhatTheShapeSays() throws IOException {
    Values halves = new Values(Shape.of("8:9-40+half"), SEED);
    Path file = directory.resolve("text");
    Files.writeString(file, "a text of which values are pieces, again and again and again");
    Values pieces = new Values(Shape.of("8:9-40+text=" + file), SEED);
    for (int entry = 0; entry < 100; entry++) {
      byte[] value = halves.value(entry, 2);
      int half = (value.length + 1) / 2;
      assertThat(Arrays.copyOfRange(value, half, value.length))
          .isEqualTo(Arrays.copyOf(value, value.length - half));
      assertThat(halves.matches(value, entry, 2)).isTrue();
      assertThat(halves.matches(value, entry, 3)).isFalse();
      byte[] piece = pieces.value(entry, 2);
      assertThat(Files.readString(file)).contains(new String(piece, US_ASCII));
      assertThat(pieces.matches(piece, entry, 2)).isTrue();
    }
  }

  @Test
  void aTextThatIsTooShortOrMissingIsRefused() throws IOException {
    Path file = directory.resolve("short");
    assertThatThrownBy(() -> new Values(Shape.of("8:9+text=" + file), SEED))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(file.toString());
    Files.writeString(file, "short");
    assertThatThrownBy(() -> new Values(Shape.of("8:9+text=" + file), SEED))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("needed for values: 9");
  }

  @Test
  void shapesAreReadFromTheirNames() {
    assertThat(Shape.of("paper+half")).isEqualTo(new Shape("paper+half", 23, 1, 200, Content.HALF));
    assertThat(Shape.of("paper")).isEqualTo(new Shape("paper", 23, 1, 200));
    assertThat(Shape.of("1k")).isEqualTo(new Shape("1k", 24, 1000, 1000));
    assertThat(Shape.of("16:100")).isEqualTo(new Shape("16:100", 16, 100, 100));
    assertThat(Shape.of("16:100-300")).isEqualTo(new Shape("16:100-300", 16, 100, 300));
    assertThat(Shape.PAPER.averageEntryBytes()).isEqualTo(123.5);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "big",
        "16",
        "16:",
        "7:10",
        "2000:10",
        "16:0",
        "16:9-8",
        "16:9999999",
        "paper+",
        "1k+text=",
        "+half"
      })
  void otherShapesAreRefused(String name) {
    assertThatThrownBy(() -> Shape.of(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("allowed");
  }

  @Test
  void workloadsAreFoundByTheirNames() {
    for (Workload workload : Workload.values()) {
      assertThat(Workload.of(workload.label())).isEqualTo(workload);
    }
    assertThat(Workload.YCSB_A.label()).isEqualTo("ycsb-a");
    assertThatThrownBy(() -> Workload.of("ycsb-z"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ycsb-z")
        .hasMessageContaining("ycsb-f");
  }
}
