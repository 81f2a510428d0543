package io.sifr.internal.forest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.forest.Candidates.TreeHints;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.util.Bytes;
import io.sifr.testing.CompactionEdits;
import io.sifr.testing.ForestDrawing;
import io.sifr.testing.Padded;
import io.sifr.testing.RandomEdits;
import io.sifr.testing.SstMetas;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CandidatesTest {
  /** Above the ids that drawings use. */
  private long nextNumber = 100;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void findsWhatEachTreeFindsHoweverTheForestChanges(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 30; round++) {
      RandomEdits edits = new RandomEdits(random);
      for (int step = 0; step < 12; step++) {
        edits.next();
        for (Forest forest : edits.catalog().forests()) {
          // Hints are handed on through forests that nobody asked, too.
          if (random.nextInt(3) > 0) {
            assertFindsAsTreesDo(forest, random, 40, "seed " + seed + " round " + round);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  @Tag("model")
  void findsWhatEachTreeFindsWhereTreesAreLarge(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 8; round++) {
      Forest forest = Forest.empty(1, "default");
      List<Long> older = new ArrayList<>();
      for (int tree = 0; tree < 6; tree++) {
        int slices = 1 + random.nextInt(random.nextBoolean() ? 3 : 1500);
        forest = forest.withTree(2, new LogicalTree(nextNumber++, ssts(random, slices)));
        older.add(0, forest.stage(2).get(0).id());
        assertFindsAsTreesDo(forest, random, 200, "seed " + seed + " round " + round);
      }
      long output = nextNumber++;
      forest = forest.apply(CompactionEdits.begun(output, older, 3));
      while (!forest.compactions().isEmpty()) {
        forest = CompactionEdits.withoutFinished(progressed(forest, random));
        assertFindsAsTreesDo(forest, random, 100, "seed " + seed + " round " + round);
      }
    }
  }

  /** After a merge that came through a part of what was left, from its beginning or within it. */
  private Forest progressed(Forest forest, Random random) {
    Compaction merge = forest.compactions().get(0);
    KeySpan rest = merge.remaining().get(random.nextInt(merge.remaining().size()));
    List<byte[]> bounds =
        forest.trees(merge.inputTreeIds()).stream()
            .flatMap(tree -> tree.slices().stream())
            .map(random.nextBoolean() ? SstSlice::largestKey : SstSlice::smallestKey)
            .sorted(Arrays::compareUnsigned)
            .toList();
    byte[] a = bounds.get(random.nextInt(bounds.size()));
    byte[] b = bounds.get(random.nextInt(bounds.size()));
    int order = Arrays.compareUnsigned(a, b);
    KeySpan wanted = order == 0 ? rest : new KeySpan(order < 0 ? a : b, order < 0 ? b : a);
    KeySpan span = random.nextInt(5) == 0 ? rest : rest.and(wanted).orElse(rest);
    byte[] above = span.above();
    byte[] last = span.last();
    List<Sst> written = new ArrayList<>();
    if (random.nextInt(3) > 0) {
      byte[] smallest = above == null ? Bytes.EMPTY : Bytes.successor(above);
      written.add(sst(smallest, last == null ? Bytes.successor(smallest) : last));
    }
    return forest.apply(
        new ForestEdit.CompactionProgressed(1, merge.number(), span, written, List.of()));
  }

  private List<Sst> ssts(Random random, int count) {
    List<byte[]> bounds = keys(random, 2 * count);
    return IntStream.range(0, count)
        .mapToObj(i -> sst(bounds.get(2 * i), bounds.get(2 * i + (random.nextInt(9) > 0 ? 1 : 0))))
        .toList();
  }

  /**
   * Half of them as like each other as not, half numbers after a prefix, perhaps with an outlier.
   */
  private static List<byte[]> keys(Random random, int count) {
    if (random.nextBoolean()) {
      return List.copyOf(RandomEdits.keys(random, count));
    }
    String prefix = "user:0000000000".substring(random.nextInt(5), 5 + random.nextInt(10));
    List<byte[]> keys = new ArrayList<>();
    int number = random.nextInt(1000);
    for (int i = 0; i < count; i++) {
      number += 1 + random.nextInt(5);
      boolean outlier = i == count - 1 && random.nextInt(3) == 0;
      keys.add(
          (outlier ? "zebra" : prefix + (1_000_000 + number)).getBytes(StandardCharsets.UTF_8));
    }
    return keys;
  }

  private Sst sst(byte[] smallest, byte[] largest) {
    return new Sst(SstMetas.of(nextNumber++, 1, 4096, 1, 0, 0, 1, 0, 1, 1, smallest, largest));
  }

  private static void assertFindsAsTreesDo(
      Forest forest, Random random, int samples, String where) {
    Candidates candidates = forest.candidates();
    assertThat(candidates.trees()).isEqualTo(forest.byPriority().size());
    List<byte[]> keys = new ArrayList<>(RandomEdits.keys(random, 20));
    keys.add(Bytes.EMPTY);
    List<SstSlice> slices =
        forest.byPriority().stream().flatMap(tree -> tree.slices().stream()).toList();
    for (int i = 0; i < samples && !slices.isEmpty(); i++) {
      SstSlice slice = slices.get(random.nextInt(slices.size()));
      byte[] bound = random.nextBoolean() ? slice.smallestKey() : slice.largestKey();
      keys.add(bound);
      keys.add(Bytes.successor(bound));
      keys.add(Arrays.copyOf(bound, random.nextInt(bound.length + 1)));
      if (bound.length > 0) {
        byte[] before = bound.clone();
        before[bound.length - 1]--;
        keys.add(before);
      }
    }
    for (byte[] key : keys) {
      // Within a larger array, so that a search that reads around the key's ends is noticed.
      byte[] array = new byte[key.length + 13];
      Arrays.fill(array, (byte) 'a');
      System.arraycopy(key, 0, array, 5, key.length);
      int cell = candidates.cell(array, 5, key.length);
      for (int i = 0; i < candidates.trees(); i++) {
        LogicalTree tree = forest.byPriority().get(i);
        assertThat(candidates.find(i, cell, array, 5, key.length))
            .describedAs("%s key %s tree %s", where, HexFormat.of().formatHex(key), tree.id())
            .isSameAs(holder(tree, key));
      }
    }
  }

  private static @Nullable Sst holder(LogicalTree tree, byte[] key) {
    for (SstSlice slice : tree.slices()) {
      if (Arrays.compareUnsigned(slice.smallestKey(), key) <= 0
          && Arrays.compareUnsigned(slice.largestKey(), key) >= 0) {
        return slice.sst();
      }
    }
    return null;
  }

  @Test
  void findsNothingInAnEmptyForest() {
    Candidates candidates = Forest.empty(1, "default").candidates();

    assertThat(candidates.trees()).isZero();
    assertThat(candidates.cell(new byte[] {1}, 0, 1)).isZero();
  }

  @Test
  void areMadeOnceForAForest() {
    Forest forest = ForestDrawing.parse("S1: [a-f] [c-k] | S2: [a-c d-m]");

    assertThat(forest.candidates()).isSameAs(forest.candidates());
  }

  @Test
  void keepTheHintsOfTreesThatAnEditLeavesAlone() {
    Forest forest =
        Forest.empty(1, "default").withTree(2, tree(0, 1000)).withTree(1, tree(500, 100));
    Candidates before = forest.candidates();

    Candidates after = forest.withTree(1, tree(300, 10)).candidates();

    assertThat(before.hints()).hasSize(2);
    assertThat(after.hints()).hasSize(3).endsWith(before.hints().toArray(new TreeHints[0]));
    assertThat(after.pivots()).isSameAs(before.pivots());
    assertThat(after.pivots().count()).isBetween(100, 200);
  }

  @Test
  void leaveLittleToSearchWhereverTheDataGrows() {
    Forest forest = Forest.empty(1, "default");
    Pivots pivots = forest.candidates().pivots();
    int choices = 0;
    for (int i = 0; i < 200; i++) {
      forest = forest.withTree(1 + i % Forest.MAX_STAGES, tree(100 * i, 100));
      Candidates candidates = forest.candidates();
      if (!candidates.pivots().equals(pivots)) {
        pivots = candidates.pivots();
        choices++;
      }
      for (TreeHints hints : candidates.hints()) {
        assertThat(hints.fullestCell()).isLessThanOrEqualTo(Math.max(64, 2 * (100 * (i + 1) / 64)));
      }
    }
    assertThat(choices).isBetween(10, 180);
  }

  @Test
  void letPivotsGoWithTheDataTheyWereChosenFrom() {
    LogicalTree large = tree(0, 10_000);
    Forest forest = Forest.empty(1, "default").withTree(2, large).withTree(1, tree(0, 10));
    assertThat(forest.candidates().pivots().count()).isGreaterThan(1000);
    List<Long> input = List.of(large.id());

    Forest shrunk =
        CompactionEdits.compacted(forest, CompactionEdits.begun(nextNumber++, input, 3), List.of());

    assertThat(shrunk.candidates().pivots().count()).isLessThan(10);
  }

  /** Of SSTs with two keys each, numbered one after the other. */
  private LogicalTree tree(int first, int ssts) {
    return new LogicalTree(
        nextNumber++,
        IntStream.range(first, first + ssts)
            .mapToObj(i -> sst(numbered(2 * i), numbered(2 * i + 1)))
            .toList());
  }

  private static byte[] numbered(int number) {
    return ("key" + Padded.number(number, 9)).getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void arePreparedForTheNextForestWhereQueriesAsk() {
    Forest unread = ForestDrawing.parse("S1: [a-f] [c-k]");
    Forest next = unread.withTree(2, tree(0, 10));
    next.prepareLike(unread);
    assertThat(next.hasCandidates()).isFalse();

    Forest read = ForestDrawing.parse("S1: [a-f] [c-k]");
    read.candidates();
    next = read.withTree(2, tree(0, 10));
    next.prepareLike(read);
    assertThat(next.hasCandidates()).isTrue();
    Forest afterNext = next.withTree(3, tree(0, 10));
    afterNext.prepareLike(next);
    assertThat(afterNext.hasCandidates()).isFalse();
  }
}
