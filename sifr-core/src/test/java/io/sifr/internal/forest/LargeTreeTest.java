package io.sifr.internal.forest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.internal.forest.Candidates.TreeHints;
import io.sifr.internal.sst.read.ClippedSst;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.util.Bytes;
import io.sifr.testing.SstMetas;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Trees of many chunks: they hold what a list would, and share what an edit leaves alone. */
class LargeTreeTest {
  private static final int KEYS = 1 << 20;

  private long nextNumber = 1;

  /** An SST with keys from one number to another. */
  private Sst sst(int smallest, int largest) {
    int entries = 1 + largest - smallest;
    return new Sst(
        SstMetas.of(
            nextNumber++,
            1,
            4096L * entries,
            entries,
            0,
            0,
            1,
            0,
            1,
            1,
            key(smallest),
            key(largest)));
  }

  /** Some have a long prefix in common that others do not have. */
  private static byte[] key(int number) {
    String prefix = number < KEYS / 2 ? "user:00000000" : number < KEYS / 4 * 3 ? "user:" : "w";
    return (prefix + (1_000_000 + number)).getBytes(StandardCharsets.UTF_8);
  }

  private LogicalTree tree(int ssts) {
    int step = KEYS / ssts / 2 * 2;
    return new LogicalTree(
        7, IntStream.range(0, ssts).mapToObj(i -> sst(i * step, i * step + step - 2)).toList());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  @Tag("model")
  void holdsWhatAListHoldsHoweverItChanges(long seed) {
    Random random = new Random(seed);
    LogicalTree tree = tree(2000);
    List<SstSlice> list = new ArrayList<>(tree.slices());
    for (int i = 0; i < 1500; i++) {
      String where = "seed " + seed + " edit " + i;
      KeySpan span = span(random);
      List<SstSlice> left = without(list, span);
      if (random.nextInt(3) > 0) {
        List<Sst> added = random.nextBoolean() ? List.of() : fill(span, left, random);
        tree = tree.without(span).with(added);
        list = left;
        list.addAll(added);
        list.sort(Comparator.comparing(SstSlice::smallestKey, Arrays::compareUnsigned));
        assertIsTree(tree, list, random, where);
      } else {
        List<SstSlice> kept = list.stream().filter(s -> isIn(span, s)).map(span::clip).toList();
        assertIsTree(tree.within(span), kept, random, where + " within");
      }
      if (random.nextInt(200) == 0) {
        tree = tree.within(span);
        list = new ArrayList<>(tree.slices());
      }
      if (list.size() < 600) {
        tree = tree(2000);
        list = new ArrayList<>(tree.slices());
      }
    }
  }

  /** Many are short, some of them have no end. */
  private static KeySpan span(Random random) {
    int a = random.nextInt(KEYS);
    int length = 1 + random.nextInt(random.nextInt(8) == 0 ? KEYS / 8 : KEYS / 200);
    KeySpan span = new KeySpan(key(a), key(Math.min(KEYS, a + length)));
    return switch (random.nextInt(60)) {
      case 0 -> KeySpan.upTo(key(length));
      case 1 -> new KeySpan(key(KEYS - length), null);
      default -> span;
    };
  }

  /** As many SSTs as fit into a span, which holds none; sometimes hundreds. */
  private List<Sst> fill(KeySpan span, List<SstSlice> around, Random random) {
    byte[] above = span.above();
    byte[] last = span.last();
    int from = above == null ? 0 : number(above) + 1;
    int to = last == null ? KEYS : number(last);
    int count = 1 + random.nextInt(random.nextInt(20) == 0 ? 700 : 12);
    int step = (to - from) / count;
    return step < 4
        ? List.of()
        : IntStream.range(0, count)
            .filter(i -> random.nextInt(10) > 0)
            .mapToObj(i -> sst(from + i * step, from + i * step + random.nextInt(step)))
            .filter(sst -> around.stream().noneMatch(other -> overlap(sst, other)))
            .toList();
  }

  private static int number(byte[] key) {
    String text = new String(key, StandardCharsets.UTF_8);
    return Integer.parseInt(text.substring(text.length() - 7)) - 1_000_000;
  }

  private static boolean overlap(SstSlice a, SstSlice b) {
    return Arrays.compareUnsigned(a.smallestKey(), b.largestKey()) <= 0
        && Arrays.compareUnsigned(b.smallestKey(), a.largestKey()) <= 0;
  }

  private static boolean isIn(KeySpan span, SstSlice slice) {
    return span.overlaps(slice.smallestKey(), slice.largestKey());
  }

  private static List<SstSlice> without(List<SstSlice> list, KeySpan span) {
    List<SstSlice> left = new ArrayList<>();
    for (SstSlice slice : list) {
      if (isIn(span, slice)) {
        byte[] above = span.above();
        if (above != null && Arrays.compareUnsigned(slice.smallestKey(), above) <= 0) {
          left.add(new ClippedSst(slice.sst(), slice.smallestKey(), above));
        }
        byte[] last = span.last();
        if (last != null && Arrays.compareUnsigned(slice.largestKey(), last) > 0) {
          left.add(new ClippedSst(slice.sst(), Bytes.successor(last), slice.largestKey()));
        }
      } else {
        left.add(slice);
      }
    }
    return left;
  }

  private static void assertIsTree(
      LogicalTree tree, List<SstSlice> list, Random random, String where) {
    assertThat(tree.slices()).as(where).hasSameSizeAs(list);
    for (int i = 0; i < list.size(); i++) {
      SstSlice slice = tree.slices().get(i);
      SstSlice expected = list.get(i);
      if (slice != expected
          && (slice.sst() != expected.sst()
              || !Arrays.equals(slice.smallestKey(), expected.smallestKey())
              || !Arrays.equals(slice.largestKey(), expected.largestKey()))) {
        assertThat(slice).as("%s slice %d", where, i).isSameAs(expected);
      }
    }
    Set<Sst> ssts = Collections.newSetFromMap(new IdentityHashMap<>());
    list.forEach(slice -> ssts.add(slice.sst()));
    assertThat(tree.ssts()).as(where).hasSameSizeAs(ssts);
    assertThat(tree.sstCount()).as(where).isEqualTo(ssts.size());
    assertThat(tree.bytes()).as(where).isEqualTo(ssts.stream().mapToLong(Sst::bytes).sum());
    assertThat(tree.entries()).as(where).isEqualTo(ssts.stream().mapToLong(Sst::entries).sum());
    List<Chunk> chunks = tree.chunks();
    for (Chunk chunk : chunks) {
      assertThat(chunk.size())
          .as(where)
          .isBetween(chunks.size() == 1 ? 1 : Chunk.FEWEST, Chunk.MOST);
      // At the borders between chunks mistakes are most likely.
      assertFinds(tree, list, chunk.smallestKey(), where);
      assertFinds(tree, list, chunk.largestKey(), where);
      assertFinds(tree, list, Bytes.successor(chunk.largestKey()), where);
    }
    for (int i = 0; i < 30; i++) {
      assertFinds(tree, list, key(random.nextInt(KEYS)), where);
    }
  }

  private static void assertFinds(LogicalTree tree, List<SstSlice> list, byte[] key, String where) {
    int begun = first(list, slice -> Arrays.compareUnsigned(slice.smallestKey(), key) > 0);
    int ended = first(list, slice -> Arrays.compareUnsigned(slice.largestKey(), key) >= 0);
    assertThat(tree.lastBeginningAtOrBefore(key, 0, key.length)).as(where).isEqualTo(begun - 1);
    assertThat(tree.firstEndingAtOrAfter(key, 0, key.length)).as(where).isEqualTo(ended);
    Sst holder = ended < begun ? list.get(ended).sst() : null;
    assertThat(tree.find(key, 0, key.length)).as(where).isSameAs(holder);
    if (holder != null) {
      assertThat(tree.holds(holder)).as(where).isTrue();
    }
  }

  /** Index of the first element of an ordered list for which something holds from there on. */
  private static int first(List<SstSlice> list, Predicate<SstSlice> holds) {
    int low = 0;
    int high = list.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (holds.test(list.get(middle))) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** The promise that edits cost as much as they change. */
  @Test
  void anEditMakesNewChunksOnlyWhereItChangesSomething() {
    LogicalTree tree = tree(20_000);
    List<SstSlice> slices = tree.slices();
    Random random = new Random(5);
    for (int i = 0; i < 300; i++) {
      int at = 1 + random.nextInt(slices.size() - 20);
      KeySpan span = new KeySpan(slices.get(at).largestKey(), slices.get(at + 10).largestKey());
      LogicalTree left = tree.without(span);
      assertThat(left.slices()).hasSize(slices.size() - 10);
      assertThat(left.holds(slices.get(at).sst())).isTrue();
      assertThat(left.holds(slices.get(at + 10).sst())).isFalse();
      assertThat(left.holds(slices.get(at + 11).sst())).isTrue();
      assertThat(newChunks(tree, left)).as("without %d", at).isLessThanOrEqualTo(2);
      int begin = number(slices.get(at).largestKey()) + 1;
      LogicalTree more = left.with(List.of(sst(begin, begin), sst(begin + 3, begin + 5)));
      assertThat(newChunks(left, more)).as("with %d", at).isLessThanOrEqualTo(2);
      assertThat(more.holds(slices.get(at + 1).sst())).isFalse();
      assertThat(newChunks(tree, tree.within(span))).as("within %d", at).isLessThanOrEqualTo(1);
      KeySpan rest = new KeySpan(slices.get(at).largestKey(), null);
      assertThat(newChunks(tree, tree.within(rest))).as("rest %d", at).isLessThanOrEqualTo(2);
      assertThat(newChunks(tree, tree.without(rest))).as("before %d", at).isLessThanOrEqualTo(2);
    }
  }

  private static int newChunks(LogicalTree before, LogicalTree after) {
    Set<Chunk> known = Collections.newSetFromMap(new IdentityHashMap<>());
    known.addAll(before.chunks());
    return (int) after.chunks().stream().filter(chunk -> !known.contains(chunk)).count();
  }

  /** A compaction takes thousands of edits, each of which leaves chunks that are not full. */
  @Test
  void chunksStayFullThroughoutACompaction() {
    LogicalTree input = tree(20_000);
    LogicalTree output = new LogicalTree(8, List.of());
    int step = KEYS / 20_000 / 2 * 2;
    byte @Nullable [] above = null;
    for (int i = 0; i + 10 <= 20_000; i += 10) {
      byte[] last = key(step * (i + 10) - 2);
      input = input.without(new KeySpan(above, last));
      output = output.with(List.of(sst(step * i, step * (i + 10) - 2)));
      above = last;
      for (LogicalTree tree : List.of(input, output)) {
        assertThat(tree.chunks().size())
            .isLessThanOrEqualTo(Math.max(1, tree.slices().size() / Chunk.FEWEST));
      }
    }
    assertThat(input.slices()).isEmpty();
    assertThat(input.chunks()).isEmpty();
    assertThat(output.slices()).hasSize(2000);
  }

  @Test
  void refusesOverlapAlsoAtTheBordersBetweenChunks() {
    LogicalTree tree = tree(1000);
    for (Chunk chunk : tree.chunks()) {
      int first = number(chunk.smallestKey());
      int last = number(chunk.largestKey());
      assertRefused(tree, sst(first, first));
      assertRefused(tree, sst(last, last));
      assertRefused(tree, sst(last, last + 1));
      // One before the last of the chunk and one after it, which may reach into the next.
      int gap = number(chunk.slice(chunk.size() - 1).smallestKey()) - 1;
      List<SstSlice> more = new ArrayList<>(tree.slices());
      Sst before = sst(gap, gap);
      Sst after = sst(last + 1, last + 1);
      more.addAll(List.of(before, after));
      more.sort(Comparator.comparing(SstSlice::smallestKey, Arrays::compareUnsigned));
      assertThat(tree.with(List.of(after, before)).slices()).isEqualTo(more);
      if (chunk != tree.chunks().get(tree.chunks().size() - 1)) {
        assertRefused(tree, before, sst(last + 1, last + 2));
      }
      if (first > 0) {
        assertRefused(tree, sst(first - 1, first));
        KeySpan empty = new KeySpan(key(first - 2), key(first - 1));
        assertThat(tree.without(empty)).isSameAs(tree);
        assertThat(tree.with(List.of(sst(first - 1, first - 1))).slices()).hasSize(1001);
      }
    }
  }

  private static void assertRefused(LogicalTree tree, Sst... ssts) {
    assertThatThrownBy(() -> tree.with(List.of(ssts)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("does not lie after");
  }

  /** Hints follow: those of a chunk that an edit leaves alone are not made again. */
  @Test
  void queriesKeepTheHintsOfChunksThatStay() {
    Forest forest =
        Forest.empty(1, "default")
            .withTree(2, tree(20_000))
            .apply(
                new ForestEdit.CompactionBegun(
                    1,
                    new Compaction(
                        9, List.of(7L), 9, Compaction.Shape.REWRITES, List.of(KeySpan.ALL)),
                    3));
    List<TreeHints.OfChunk> before = forest.candidates().hints().get(0).chunks();
    SstSlice slice = forest.byPriority().get(0).slices().get(9_000);
    KeySpan span = new KeySpan(slice.smallestKey(), slice.largestKey());
    List<Sst> written = List.of(sst(number(slice.largestKey()), number(slice.largestKey())));

    Forest after =
        forest.apply(new ForestEdit.CompactionProgressed(1, 9, span, written, List.of()));

    Set<TreeHints.OfChunk> known = Collections.newSetFromMap(new IdentityHashMap<>());
    known.addAll(before);
    int input = after.byPriority().get(0).id() == 7 ? 0 : 1;
    List<TreeHints.OfChunk> made = new ArrayList<>(after.candidates().hints().get(input).chunks());
    assertThat(made).hasSizeBetween(before.size(), before.size() + 1);
    made.removeIf(known::contains);
    assertThat(made).hasSizeLessThanOrEqualTo(2);
    assertThat(after.candidates().pivots()).isSameAs(forest.candidates().pivots());
  }

  /** A cell may hold whole chunks, as where keys ascend: they count together. */
  @Test
  void pivotsAreChosenAgainWhenManyChunksLieInOneCell() {
    Forest forest = Forest.empty(1, "default").withTree(2, tree(20_000));
    Pivots before = forest.candidates().pivots();
    List<Sst> above =
        IntStream.range(0, 3000).mapToObj(i -> sst(KEYS + 4 * i, KEYS + 4 * i + 2)).toList();

    Candidates after = forest.withTree(1, new LogicalTree(8, above)).candidates();

    assertThat(after.pivots()).isNotSameAs(before);
    assertThat(after.hints()).allMatch(hints -> hints.fullestCell() <= 64);
  }
}
