package io.sifr.internal.sst.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.entry.EntryKind;
import io.sifr.testing.Entry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class FenceArrayTest {
  private static Entry fence(byte[] key, long sequence) {
    return Entry.of(key, sequence, EntryKind.PUT, new byte[0]);
  }

  private static IndexPart.Fences array(Iterable<Entry> fences) {
    IndexPart.Fences.Collector collector = new IndexPart.Fences.Collector();
    fences.forEach(fence -> collector.add(fence.key(), fence.key().length, fence.sequence()));
    return collector.toArray();
  }

  /** A key of which many share prefixes, and many end with zeros. */
  private static byte[] key(Random random, int commonLength, int most) {
    byte[] key = new byte[commonLength + random.nextInt(most + 1)];
    Arrays.fill(key, 0, commonLength, (byte) 'c');
    for (int i = commonLength; i < key.length; i++) {
      key[i] = random.nextInt(3) == 0 ? (byte) random.nextInt(256) : 0;
    }
    return key;
  }

  @Test
  void anyFencesAreFoundAsInAList() {
    long seed = Long.getLong("sifr.fences.seed", System.nanoTime());
    System.out.println("FenceArrayTest: seed " + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      int common = random.nextInt(3) * 5;
      int longest = random.nextBoolean() ? 8 : 20;
      boolean hasSequences = random.nextBoolean();
      TreeSet<Entry> sorted = new TreeSet<>();
      int most = round % 10 == 0 ? 1500 : 70; // levels of the search: 1, 2, rarely 3
      for (int i = random.nextInt(most); i > 0; i--) {
        long sequence =
            hasSequences && random.nextBoolean() ? random.nextInt(5) : IndexPart.Fences.NO_SEQUENCE;
        sorted.add(fence(key(random, common, longest), sequence));
      }
      List<Entry> fences = new ArrayList<>(sorted);
      IndexPart.Fences array = array(fences);
      for (int i = 0; i < fences.size(); i++) {
        assertThat(array.key(i)).isEqualTo(fences.get(i).key());
        assertThat(array.length(i)).isEqualTo(fences.get(i).key().length);
      }
      for (int i = 0; i < 200; i++) {
        Entry wanted =
            fence(
                random.nextBoolean() || fences.isEmpty()
                    ? key(random, random.nextInt(common + 1), longest)
                    : fences.get(random.nextInt(fences.size())).key(),
                random.nextInt(6));
        byte[] key = wanted.key();
        long notAfter = fences.stream().filter(f -> f.compareTo(wanted) <= 0).count();
        assertThat(array.find(key, 0, key.length, wanted.sequence())).isEqualTo((int) notAfter);
        for (int j = 0; j < fences.size(); j++) {
          assertThat(Integer.signum(array.compare(j, key, key.length, wanted.sequence())))
              .isEqualTo(Integer.signum(fences.get(j).compareTo(wanted)));
        }
      }
    }
  }

  /** All bits of the first eight bytes count, also the last one. */
  @Test
  void fencesThatDifferByABitAreFound() {
    List<Entry> fences = new ArrayList<>();
    for (int i = 1; i < 256; i += 2) {
      byte[] key = {'k', -1, -1, -1, -1, -1, -1, -1, (byte) i};
      fences.add(fence(key, IndexPart.Fences.NO_SEQUENCE));
    }
    fences.add(0, fence(new byte[] {'k', 0}, IndexPart.Fences.NO_SEQUENCE));
    IndexPart.Fences array = array(fences);
    for (int i = 0; i < 256; i++) {
      byte[] key = {'k', -1, -1, -1, -1, -1, -1, -1, (byte) i};
      assertThat(array.find(key, 0, key.length, 5)).as("key %d", i).isEqualTo(1 + (i + 1) / 2);
    }
  }

  @Test
  void aShortFenceTakesLessThanTenBytes() {
    List<Entry> fences = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      fences.add(
          fence(
              "common%05d".formatted(i).getBytes(StandardCharsets.US_ASCII),
              IndexPart.Fences.NO_SEQUENCE));
    }
    assertThat(array(fences).bytes()).isBetween(9 * 1000, 10 * 1000);
  }
}
