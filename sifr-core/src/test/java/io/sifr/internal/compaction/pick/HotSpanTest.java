package io.sifr.internal.compaction.pick;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.forest.Compaction.Shape;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.Sst;
import io.sifr.testing.ForestDrawing;
import io.sifr.testing.Padded;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HotSpanTest {
  private static final int KEYS = 128;
  private static final long UNIT = ForestDrawing.SPLIT_UNIT_BYTES;

  /** Two trees of 26 SSTs, a0 to a9, b0 to b9, and so on; one has its SSTs between the other's. */
  private static final Forest TWO_TREES =
      ForestDrawing.parse("S1: [" + letters("0", "9") + "] | S2: [" + letters("3", "6") + "]");

  private static String letters(String from, String to) {
    return IntStream.rangeClosed('a', 'z')
        .mapToObj(letter -> "" + (char) letter + from + "-" + (char) letter + to)
        .collect(Collectors.joining(" "));
  }

  private static List<byte[]> keys(Stream<String> keys) {
    return keys.sorted().map(key -> key.getBytes(UTF_8)).toList();
  }

  private static List<byte[]> keysBetween(int seed, int count, char from, char to) {
    Random random = new Random(seed);
    return keys(
        Stream.generate(() -> "" + (char) (from + random.nextInt(to - from + 1)) + "5")
            .limit(count));
  }

  private static String text(KeySpan span) {
    byte[] above = span.above();
    byte[] last = span.last();
    assertThat(above).isNotNull();
    assertThat(last).isNotNull();
    return (char) (above[0] + (above[1] == '9' ? 1 : 0)) + " to " + new String(last, UTF_8);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void whatIsReadEverywhereIsNotHot(int seed) {
    assertThat(HotSpan.of(TWO_TREES, keysBetween(seed, KEYS, 'a', 'z'))).isEmpty();
  }

  @Test
  void aFewKeysSayNothing() {
    assertThat(HotSpan.of(TWO_TREES, keysBetween(1, 90, 'c', 'd'))).isEmpty();
    assertThat(HotSpan.of(TWO_TREES, List.of())).isEmpty();
    assertThat(HotSpan.of(Forest.empty(1, "default"), keysBetween(1, KEYS, 'a', 'z'))).isEmpty();
  }

  @Test
  void whereAllIsReadIsHotAsAWhole() {
    HotSpan hot = HotSpan.of(TWO_TREES, keysBetween(1, KEYS, 'c', 'd')).get(0);
    assertThat(text(hot.span())).isEqualTo("c to d9");
    assertThat(hot.share()).isEqualTo(1);
    assertThat(hot.bytes()).isEqualTo(4 * UNIT);
    assertThat(hot.trees(TWO_TREES)).isEqualTo(TWO_TREES.byPriority());
  }

  /** One half of the reads go everywhere. */
  @Test
  void whereHalfIsReadIsHotForHalf() {
    List<byte[]> keys =
        keys(
            Stream.concat(
                    keysBetween(1, KEYS / 2, 'a', 'z').stream(),
                    keysBetween(2, KEYS / 2, 'k', 'k').stream())
                .map(key -> new String(key, UTF_8)));
    HotSpan hot = HotSpan.of(TWO_TREES, keys).get(0);
    assertThat(text(hot.span())).isEqualTo("k to k9");
    assertThat(hot.share()).isEqualTo(0.5);
    assertThat(hot.bytes()).isEqualTo(2 * UNIT);
  }

  @Test
  void itsBeginningEndsWhereAnSstEnds() {
    HotSpan hot = HotSpan.of(TWO_TREES, keysBetween(1, KEYS, 'c', 'f')).get(0);
    assertThat(hot.bytes()).isEqualTo(8 * UNIT);
    HotSpan half = hot.beginning(TWO_TREES, 4 * UNIT);
    assertThat(text(half.span())).isEqualTo("c to d9");
    assertThat(half.bytes()).isEqualTo(4 * UNIT);
    assertThat(half.share()).isEqualTo(0.5);
    assertThat(hot.beginning(TWO_TREES, 8 * UNIT)).isEqualTo(hot);
    assertThat(hot.beginning(TWO_TREES, 1).bytes()).isEqualTo(2 * UNIT);
  }

  /** Trees of any SSTs, reads of any keys: no span has more than it says, or is not hot. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void aDrawnOneIsHot(long seed) {
    Random random = new Random(seed);
    int found = 0;
    for (int round = 0; round < 200; round++) {
      Forest forest = Forest.empty(1, "default");
      for (int tree = 1; tree <= 1 + random.nextInt(5); tree++) {
        forest = forest.withTree(1, tree(tree, random));
      }
      int from = random.nextInt(9_000);
      int width = 1 + random.nextInt(1 + random.nextInt(1_000));
      int everywhere = random.nextInt(4);
      List<byte[]> keys =
          keys(
              Stream.generate(
                      () ->
                          key(
                              random.nextInt(4) < everywhere
                                  ? random.nextInt(10_000)
                                  : from + random.nextInt(width)))
                  .limit(KEYS));
      for (HotSpan hot : HotSpan.of(forest, keys)) {
        found++;
        long held =
            hot.trees(forest).stream()
                .mapToLong(tree -> tree.within(hot.span()).ssts().size())
                .sum();
        assertThat(hot.bytes()).isBetween(held << 10, forest.bytes() / 4);
        long inside = keys.stream().filter(key -> hot.span().contains(key, key)).count();
        assertThat((double) inside / KEYS).isGreaterThanOrEqualTo(hot.share());
        begin(forest, hot);
        HotSpan beginning = hot.beginning(forest, 1 + random.nextInt(1 << 20));
        assertThat(beginning.bytes()).isLessThanOrEqualTo(hot.bytes());
        assertThat(beginning.share() * hot.bytes())
            .isCloseTo(hot.share() * beginning.bytes(), Offset.offset(1.0));
        begin(forest, beginning);
      }
    }
    assertThat(found).isGreaterThan(20);
  }

  private static void begin(Forest forest, HotSpan hot) {
    List<LogicalTree> trees = hot.trees(forest);
    if (trees.size() > 1) {
      CompactionPlan plan = CompactionPlan.forReads(forest, trees, hot.span(), Shape.MOVES);
      assertThat(
              forest.apply(
                  new ForestEdit.CompactionBegun(1, plan.compaction(99), plan.targetStage())))
          .isNotNull();
    }
  }

  private static String key(int number) {
    return Padded.number(number, 4);
  }

  private static LogicalTree tree(int id, Random random) {
    int[] bounds = random.ints(2L * (1 + random.nextInt(100)), 0, 10_000).distinct().toArray();
    Arrays.sort(bounds);
    List<Sst> ssts = new ArrayList<>();
    for (int i = 0; i + 1 < bounds.length; i += 2) {
      int kib = 1 + random.nextInt(2048);
      ssts.add(
          ForestDrawing.sst(
              1000L * id + i, key(bounds[i]) + "-" + key(bounds[i + 1]) + ":" + kib + "K"));
    }
    return new LogicalTree(id, ssts);
  }
}
