package io.sifr.internal.compaction.cut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.internal.compaction.cut.Cuts.FlushCutter;
import io.sifr.testing.Padded;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FlushCutterTest {

  private static final long SPLIT_UNIT = 2 << 20;
  private static final int ENTRY = 123;

  private final TreeSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);

  @Test
  void noKeysAndOneKeyAreNotCut() {
    assertThat(cuts(ENTRY)).isEmpty();
    keys.add(new byte[0]);
    assertThat(cuts(10 * SPLIT_UNIT)).isEmpty();
  }

  @Test
  void twoKeysLargerThanTheSplitUnitAreCutApart() {
    addRun(0, 2);
    assertThat(cuts(10 * SPLIT_UNIT)).containsExactly(1);
  }

  @Test
  void anAscendingRunIsCutIntoEqualPieces() {
    addRun(0, 34_000);
    assertThat(cuts(ENTRY)).containsExactly(17_000);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 9_990, 99_990, 999_990_000, 9_999_990_000L, 123_456_789_012L})
  void aCarryIsNoGap(long first) {
    addRun(first, 10_000);
    assertThat(cuts(ENTRY)).isEmpty();
  }

  @Test
  void aCarryInBinaryIsNoGap() {
    for (long i = 0xFF_FFFFL - 5000; i < 0xFF_FFFFL + 5000; i++) {
      keys.add(java.nio.ByteBuffer.allocate(8).putLong(i).array());
    }
    assertThat(cuts(ENTRY)).isEmpty();
  }

  @Test
  void aCarryInTimesIsNoGap() {
    for (int second = 0; second < 10_000; second++) {
      keys.add(
          ascii(
              String.format(
                  "2026-11-20T%02d:%02d:%02dZ", second / 3600, second / 60 % 60, second % 60)));
    }
    assertThat(cuts(ENTRY)).isEmpty();
  }

  @Test
  void outliersAreCutOffOneByOne() {
    addRun(5_000_000, 10_000);
    addRun(17, 1);
    addRun(1_234_567, 1);
    addRun(900_000_000, 1);
    assertThat(cuts(ENTRY)).contains(1, 2, 10_002);
  }

  @Test
  void aPieceThatOutliersMayHitIsCutSmaller() {
    addRun(5_000_000, 16_000);
    assertThat(cuts(ENTRY)).isEmpty();
    addRun(17, 1);
    assertThat(cuts(ENTRY)).containsExactly(1, 8001);
  }

  @Test
  void streamsAreCutApart() {
    for (int stream = 1; stream <= 4; stream++) {
      addRun(1_000_000_007L * stream, 8000);
    }
    assertThat(cuts(ENTRY)).containsExactly(8000, 16_000, 24_000);
  }

  @Test
  void prefixesOfOtherShapeAreCutApart() {
    for (int i = 0; i < 8000; i++) {
      keys.add(ascii("log:" + Padded.number(55_000 + i, 9)));
      keys.add(ascii(String.format("user/%016x", mix(i))));
    }
    // The carry at 60000 may be taken for a gap: hexadecimal digits were seen at its positions.
    assertThat(cuts(ENTRY)).contains(8000).hasSizeLessThanOrEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({"34000, 123", "4000, 1024", "400, 10240", "40, 102400", "1000, 16", "300, 40"})
  void randomKeysAreCutEvenlyOnly(int count, int entryBytes) {
    for (int seed = 0; seed < 20; seed++) {
      keys.clear();
      var random = new SplittableRandom(seed);
      while (keys.size() < count) {
        keys.add(user(random.nextLong() >>> 1));
      }
      long pieces = SstSizes.pieces((long) count * entryBytes, SPLIT_UNIT);
      assertThat(cuts(entryBytes)).as("seed %d", seed).hasSize((int) pieces - 1);
    }
  }

  @Test
  void whatStandsOutTooOftenIsNotCut() {
    for (int stream = 0; stream < 200; stream++) {
      addRun((mix(stream) >>> 30) * 1_000_000_000L, 80);
    }
    assertThat(cuts(ENTRY)).hasSizeLessThan(8);
  }

  @Test
  void oneHugeEntryGetsAPieceOfItsOwn() {
    var cutter = new FlushCutter(0);
    for (int i = 0; i < 1000; i++) {
      byte[] key = user(i);
      cutter.add(key, 0, key.length, i == 500 ? 20 * SPLIT_UNIT : ENTRY);
    }
    int[] cuts = cutter.finish(new SstSizes(SPLIT_UNIT, SPLIT_UNIT, 16 << 20, 0));
    assertThat(positions(cuts)).containsExactly(500, 501);
  }

  @Test
  void prefixesAndEmptyKeysAreKeys() {
    keys.add(new byte[0]);
    for (int length = 1; length < 2000; length++) {
      keys.add(new byte[length]);
      byte[] highest = new byte[length];
      Arrays.fill(highest, (byte) 0xFF);
      keys.add(highest);
    }
    assertThat(cuts(ENTRY)).hasSizeLessThanOrEqualTo(keys.size() * ENTRY * 48 / (2 << 20));
  }

  @Test
  void longSharedPrefixesAreNoBurden() {
    byte[] prefix = new byte[65_000];
    for (int i = 0; i < 2000; i++) {
      byte[] key = Arrays.copyOf(prefix, prefix.length + 23);
      System.arraycopy(user(i < 1000 ? i : i + 1_000_000_000L), 0, key, prefix.length, 23);
      keys.add(key);
    }
    assertThat(cuts(1000)).contains(1000);
  }

  @Test
  void theKeysArrayMayBeReused() {
    addRun(5_000_000, 16_000);
    addRun(17, 1);
    var cutter = new FlushCutter(10);
    byte[] reused = new byte[40];
    for (byte[] key : keys) {
      System.arraycopy(key, 0, reused, 7, key.length);
      cutter.add(reused, 7, key.length, ENTRY);
    }
    assertThat(positions(cutter.finish(new SstSizes(SPLIT_UNIT, SPLIT_UNIT, 16 << 20, 0))))
        .isEqualTo(cuts(ENTRY));
  }

  @Test
  void keysOutOfOrderAreRefused() {
    var cutter = new FlushCutter(2);
    cutter.add(ascii("ab"), 0, 2, 1);
    assertThatThrownBy(() -> cutter.add(ascii("ab"), 0, 2, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("key 1 ");
    var other = new FlushCutter(2);
    other.add(ascii("ab"), 0, 2, 1);
    assertThatThrownBy(() -> other.add(ascii("a"), 0, 1, 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void sizesOutOfRangeAreRefused() {
    var cutter = new FlushCutter(2);
    assertThatThrownBy(() -> cutter.add(ascii("a"), 0, 1, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1");
  }

  @Test
  void anyKeysGivePiecesOfBoundedSizeAndNumber() {
    for (int seed = 0; seed < 300; seed++) {
      var random = new SplittableRandom(seed);
      keys.clear();
      int alphabet = 1 + random.nextInt(256);
      int longest = 1 + random.nextInt(30);
      for (int i = random.nextInt(3000); i > 0; i--) {
        byte[] key = new byte[random.nextInt(longest + 1)];
        for (int k = 0; k < key.length; k++) {
          key[k] = (byte) (random.nextInt(alphabet) * random.nextInt(2));
        }
        keys.add(key);
      }
      long splitUnit = 1L + random.nextInt(100_000);
      int entry = random.nextInt(300);
      List<Integer> cuts = cuts(entry, splitUnit);
      assertThat(cuts)
          .as("seed %d", seed)
          .isSorted()
          .doesNotHaveDuplicates()
          .allMatch(cut -> cut > 0 && cut < keys.size());
      assertThat(cuts.size())
          .as("seed %d", seed)
          .isLessThanOrEqualTo((int) Math.min(keys.size(), 52L * entry * keys.size() / splitUnit));
      int from = 0;
      for (int cut : cuts) {
        assertThat((cut - from) * (long) entry).isLessThanOrEqualTo(splitUnit * 9 / 8 + entry);
        from = cut;
      }
    }
  }

  private void addRun(long first, int count) {
    for (int i = 0; i < count; i++) {
      keys.add(user(first + i));
    }
  }

  private List<Integer> cuts(long entryBytes) {
    return cuts(entryBytes, SPLIT_UNIT);
  }

  private List<Integer> cuts(long entryBytes, long splitUnit) {
    var cutter = new FlushCutter(keys.size());
    keys.forEach(key -> cutter.add(key, 0, key.length, entryBytes));
    return positions(cutter.finish(new SstSizes(splitUnit, splitUnit, 16 << 20, 0)));
  }

  private static List<Integer> positions(int[] cuts) {
    List<Integer> positions = Arrays.stream(cuts).boxed().toList();
    assertThat(positions).isSortedAccordingTo(Comparator.naturalOrder());
    return positions;
  }

  private static byte[] user(long number) {
    return ascii("user" + Padded.number(number, 19));
  }

  private static long mix(long i) {
    return new SplittableRandom(i).nextLong();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
