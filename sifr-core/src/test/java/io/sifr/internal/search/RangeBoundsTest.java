package io.sifr.internal.search;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.VisibleIterator;
import io.sifr.internal.entry.range.LearnedSpans;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.testing.WrittenSsts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An iterator between bounds touches no SST outside them: those are not even open here, and whoever
 * touches one gets an exception.
 */
class RangeBoundsTest {
  private static final String KEYS = "abcdefghijklmnop";
  private static final String NOT_OPEN = "is not open";

  @TempDir Path directory;
  private WrittenSsts ssts;

  @BeforeEach
  void begin() {
    ssts = new WrittenSsts(directory);
  }

  @AfterEach
  void end() {
    ssts.close();
  }

  @Test
  void iteratingAndSeekingBetweenBoundsTouchesNoSstOutside() {
    int closed = 0;
    for (int seed = 0; seed < 15; seed++) {
      Random random = new Random(seed);
      TreeSet<Character> held = new TreeSet<>();
      List<List<Sst>> trees = new ArrayList<>();
      for (int tree = 0; tree < 3; tree++) {
        trees.add(drawn(random, held));
      }
      for (int round = 0; round < 40; round++) {
        String from = random.nextInt(4) == 0 ? null : draw(random);
        String to = random.nextInt(4) == 0 ? null : draw(random);
        Forest forest = Forest.empty(1, "default");
        for (List<Sst> tree : trees) {
          List<Sst> touchable = tree.stream().map(sst -> openWithin(sst, from, to)).toList();
          closed += (int) touchable.stream().filter(sst -> !tree.contains(sst)).count();
          forest = forest.withTree(1, new LogicalTree(ssts.nextNumber(), touchable));
        }
        List<String> expected =
            held.stream().map(String::valueOf).filter(key -> isWithin(key, key, from, to)).toList();
        check(forest, from, to, expected, random, "seed " + seed + " from " + from + " to " + to);
      }
    }
    assertThat(closed).isGreaterThan(1000);
  }

  @Test
  void anSstThatIsNotOpenIsNoticedWhenItIsTouched() {
    Sst written = ssts.write("a1");
    Forest forest =
        Forest.empty(1, "default")
            .withTree(1, new LogicalTree(1, List.of(new Sst(written.meta()))));
    try (VisibleIterator iterator = open(forest, null, null)) {
      assertThatThrownBy(iterator::seekToFirst).hasMessageContaining(NOT_OPEN);
    }
  }

  private static void check(
      Forest forest,
      @Nullable String from,
      @Nullable String to,
      List<String> expected,
      Random random,
      String where) {
    List<String> forward = new ArrayList<>();
    List<String> backward = new ArrayList<>();
    try (VisibleIterator iterator = open(forest, from, to)) {
      for (boolean on = iterator.seekToFirst(); on; on = iterator.next()) {
        forward.add(key(iterator));
      }
      for (boolean on = iterator.seekToLast(); on; on = iterator.previous()) {
        backward.add(0, key(iterator));
      }
      assertThat(forward).describedAs(where).isEqualTo(expected);
      assertThat(backward).describedAs(where).isEqualTo(expected);
      for (int i = 0; i < 10; i++) {
        String target = draw(random);
        boolean found = iterator.seek(target.getBytes(UTF_8), 0, 1);
        assertThat(found ? key(iterator) : null)
            .describedAs("%s seek %s", where, target)
            .isEqualTo(
                expected.stream()
                    .filter(key -> key.compareTo(target) >= 0)
                    .findFirst()
                    .orElse(null));
        if (found && random.nextBoolean()) {
          boolean before = iterator.previous();
          assertThat(before ? key(iterator) : null)
              .describedAs("%s before %s", where, target)
              .isEqualTo(last(expected, target));
        }
        found = iterator.seekBefore(target.getBytes(UTF_8), 0, 1);
        assertThat(found ? key(iterator) : null)
            .describedAs("%s seek before %s", where, target)
            .isEqualTo(last(expected, target));
      }
    }
  }

  private static @Nullable String last(List<String> expected, String before) {
    return expected.stream()
        .filter(key -> key.compareTo(before) < 0)
        .reduce((a, b) -> b)
        .orElse(null);
  }

  private static VisibleIterator open(Forest forest, @Nullable String from, @Nullable String to) {
    StoreView view = new StoreView(new WriteBuffer(new Memtable(1 << 12)), List.of(), forest);
    return RangeSearch.open(
        view,
        Trailer.MAX_SEQUENCE,
        bytes(from),
        bytes(to),
        RangePlan.ALONE,
        new LearnedSpans(),
        () -> false);
  }

  private static byte @Nullable [] bytes(@Nullable String key) {
    return key == null ? null : key.getBytes(UTF_8);
  }

  private static String key(VisibleIterator iterator) {
    return new String(iterator.keyArray(), 0, iterator.keyLength(), UTF_8);
  }

  private static String draw(Random random) {
    return String.valueOf(KEYS.charAt(random.nextInt(KEYS.length())));
  }

  private static Sst openWithin(Sst sst, @Nullable String from, @Nullable String to) {
    String smallest = new String(sst.smallestKey(), UTF_8);
    String largest = new String(sst.largestKey(), UTF_8);
    return isWithin(smallest, largest, from, to) ? sst : new Sst(sst.meta());
  }

  private static boolean isWithin(
      String smallest, String largest, @Nullable String from, @Nullable String to) {
    return (from == null || largest.compareTo(from) >= 0)
        && (to == null || smallest.compareTo(to) < 0);
  }

  /** SSTs of one to three of the keys, with gaps. */
  private List<Sst> drawn(Random random, SortedSet<Character> held) {
    List<Sst> tree = new ArrayList<>();
    int at = random.nextInt(4);
    while (at < KEYS.length() && (tree.isEmpty() || random.nextInt(8) > 0)) {
      int end = Math.min(KEYS.length(), at + 1 + random.nextInt(3));
      StringBuilder drawing = new StringBuilder();
      for (; at < end; at++) {
        held.add(KEYS.charAt(at));
        drawing
            .append(drawing.isEmpty() ? "" : " ")
            .append(KEYS.charAt(at))
            .append(tree.size() + 1);
      }
      tree.add(ssts.write(drawing.toString()));
      at += random.nextInt(3);
    }
    return tree;
  }
}
