package io.sifr.internal.search;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.base.Splitter;
import io.sifr.config.SearchScheme;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.VisibleIterator;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.resources.SearchThreads;
import io.sifr.internal.util.ReadEpochs;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.testing.Entry;
import io.sifr.testing.WrittenSsts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The point query and the walk, over views with places of every kind. */
class SearchTest {
  private static final String KEYS = "abcdefgh";

  @TempDir Path directory;
  private WrittenSsts ssts;

  private AllSchemes schemes;

  @BeforeEach
  void begin() {
    ssts = new WrittenSsts(directory);
    schemes = new AllSchemes(1);
  }

  @AfterEach
  void end() {
    schemes.close();
    ssts.close();
  }

  private static WriteBuffer buffer(String drawing) {
    Memtable memtable = new Memtable(1 << 16);
    WrittenSsts.entries(drawing).stream()
        .sorted((a, b) -> Long.compare(a.sequence(), b.sequence()))
        .forEach(
            e ->
                memtable.add(
                    e.trailer(), e.key(), 0, e.key().length, e.value(), 0, e.value().length));
    return new WriteBuffer(memtable);
  }

  private Forest withTree(Forest forest, int stage, String... drawings) {
    return forest.withTree(
        stage,
        new LogicalTree(ssts.nextNumber(), Arrays.stream(drawings).map(ssts::write).toList()));
  }

  private @Nullable String find(StoreView view, String key, long sequence) {
    Lookup lookup = new Lookup();
    byte[] bytes = ("_" + key + "_").getBytes(UTF_8);
    if (!schemes.find(view, bytes, 1, 1, sequence, lookup)) {
      return null;
    }
    return key + Trailer.sequence(lookup.trailer()) + (lookup.isTombstone() ? "†" : "");
  }

  @Test
  void everySourceHasPrecedenceOverTheNext() {
    Forest forest = withTree(Forest.empty(1, "default"), 2, "a1 b1", "e1 f1");
    forest = withTree(forest, 2, "b2 e2†");
    forest = withTree(forest, 1, "c3 e3");
    forest = withTree(forest, 1, "c4†");
    StoreView view =
        new StoreView(buffer("d9 c8"), List.of(buffer("d7 c7"), buffer("d6† f6")), forest);
    assertThat(find(view, "a", 99)).isEqualTo("a1");
    assertThat(find(view, "b", 99)).isEqualTo("b2");
    assertThat(find(view, "c", 99)).isEqualTo("c8");
    assertThat(find(view, "c", 7)).isEqualTo("c7");
    assertThat(find(view, "c", 6)).isEqualTo("c4†");
    assertThat(find(view, "c", 3)).isEqualTo("c3");
    assertThat(find(view, "c", 2)).isNull();
    assertThat(find(view, "d", 8)).isEqualTo("d7");
    assertThat(find(view, "d", 6)).isEqualTo("d6†");
    assertThat(find(view, "e", 99)).isEqualTo("e3");
    assertThat(find(view, "e", 2)).isEqualTo("e2†");
    assertThat(find(view, "f", 99)).isEqualTo("f6");
    assertThat(find(view, "g", 99)).isNull();
  }

  @Test
  void randomViewsAgreeWithASortedMapInPointAndRangeAlike() {
    for (int seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      List<Entry> all = new ArrayList<>();
      long sequence = 1;
      Forest forest = Forest.empty(1, "default");
      int stages = random.nextInt(3);
      for (int stage = stages; stage > 0; stage--) {
        for (int tree = random.nextInt(3); tree >= 0; tree--) {
          String drawing = drawn(random, sequence, all);
          sequence += 20;
          forest = withTree(forest, stage, halves(drawing));
        }
      }
      List<WriteBuffer> immutables = new ArrayList<>();
      for (int i = random.nextInt(3); i > 0; i--) {
        immutables.add(0, buffer(drawn(random, sequence, all)));
        sequence += 20;
      }
      WriteBuffer active = buffer(random.nextBoolean() ? "" : drawn(random, sequence, all));
      StoreView view = new StoreView(active, immutables, forest);
      check(seed, view, all, random.nextInt((int) sequence + 20), random);
    }
  }

  @Test
  void adaptiveCallersThatKeepAllProcessorsBusyReadByThemselves() {
    Forest forest = withTree(Forest.empty(1, "default"), 1, "a1 c1");
    forest = withTree(forest, 1, "a2 c2");
    StoreView view = new StoreView(buffer(""), List.of(), withTree(forest, 1, "a3 c3"));
    ReadEpochs epochs = new ReadEpochs();
    OnDisk disk = new OnDisk();
    try (SearchThreads threads = new SearchThreads(4)) {
      Searchers searchers = new Searchers(threads, epochs);
      PointSearch search = new PointSearch(EntryKinds.STANDARD, searchers, disk);
      Runnable find =
          () -> {
            int ticket = epochs.enter();
            try {
              Lookup probe = new Lookup("b".getBytes(UTF_8), 0, 1);
              probe.lookFor(99);
              assertThat(search.find(SearchScheme.ADAPTIVE, view, probe, ticket)).isFalse();
            } finally {
              epochs.exit(ticket);
            }
          };
      int processors = Load.onAllProcessors(searchers);
      find.run();
      assertThat(searchers.counters().handOffs()).isZero();
      disk.fails = true;
      for (int i = 0; i <= processors; i++) {
        assertThatThrownBy(find::run).hasMessageContaining("wanted");
      }
      disk.fails = false;
      searchers.callerEnds();
      find.run();
      assertThat(searchers.counters().handOffs()).isPositive();
      epochs.drain();
    }
  }

  /** A few entries with distinct sequence numbers, several of a key at times. */
  private static String drawn(Random random, long firstSequence, List<Entry> all) {
    List<String> entries = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(8); i++) {
      char key = KEYS.charAt(random.nextInt(KEYS.length()));
      entries.add(key + "" + (firstSequence + i) + (random.nextInt(3) == 0 ? "†" : ""));
    }
    String drawing = String.join(" ", entries);
    all.addAll(WrittenSsts.entries(drawing));
    return drawing;
  }

  /** The same entries in two SSTs where they have keys on both sides of d. */
  private static String[] halves(String drawing) {
    Map<Boolean, String> halves = new TreeMap<>();
    for (String entry : Splitter.on(' ').split(drawing)) {
      halves.merge(entry.charAt(0) > 'd', entry, (a, b) -> a + " " + b);
    }
    return halves.values().toArray(new String[0]);
  }

  private void check(int seed, StoreView view, List<Entry> all, long sequence, Random random) {
    TreeMap<String, String> expected = new TreeMap<>();
    for (int i = 0; i < KEYS.length(); i++) {
      char key = KEYS.charAt(i);
      Entry newest =
          all.stream()
              .filter(e -> e.key()[0] == key && e.sequence() <= sequence)
              .max((a, b) -> Long.compare(a.sequence(), b.sequence()))
              .orElse(null);
      String found = newest == null ? null : WrittenSsts.draw(List.of(newest));
      assertThat(find(view, "" + key, sequence)).describedAs("seed %d", seed).isEqualTo(found);
      if (newest != null && !Trailer.isTombstone(newest.trailer())) {
        expected.put("" + key, "" + found);
      }
    }
    String from = random.nextBoolean() ? null : "" + KEYS.charAt(random.nextInt(8));
    String to = random.nextBoolean() ? null : "" + KEYS.charAt(random.nextInt(8));
    expected
        .keySet()
        .removeIf(
            key ->
                (from != null && key.compareTo(from) < 0)
                    || (to != null && key.compareTo(to) >= 0));
    List<String> forward = new ArrayList<>();
    List<String> backward = new ArrayList<>();
    try (VisibleIterator walk =
        RangeSearch.open(view, sequence, bytes(from), bytes(to), RangePlan.ALONE, () -> false)) {
      for (boolean more = walk.seekToFirst(); more; more = walk.next()) {
        forward.add(value(walk));
      }
      for (boolean more = walk.seekToLast(); more; more = walk.previous()) {
        backward.add(0, value(walk));
      }
    }
    assertThat(forward).describedAs("seed %d", seed).containsExactlyElementsOf(expected.values());
    assertThat(backward).describedAs("seed %d", seed).isEqualTo(forward);
  }

  private static byte @Nullable [] bytes(@Nullable String key) {
    return key == null ? null : key.getBytes(UTF_8);
  }

  private static String value(VisibleIterator walk) {
    byte[] value = new byte[walk.valueLength()];
    walk.copyValue(value, 0);
    return new String(value, UTF_8);
  }
}
