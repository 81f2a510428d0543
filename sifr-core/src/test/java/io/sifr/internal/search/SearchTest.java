package io.sifr.internal.search;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.SearchScheme;
import io.sifr.event.Metric;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.VisibleIterator;
import io.sifr.internal.entry.range.LearnedSpans;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.resources.SearchThreads;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.view.ReadEpochs;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.testing.Entry;
import io.sifr.testing.WrittenSsts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The point query and the iterator, over views with places of every kind. */
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
    return buffer(drawing, "");
  }

  private static WriteBuffer buffer(String drawing, String ranges) {
    Memtable memtable = new Memtable(1 << 16);
    RangeTombstones tombstones = WrittenSsts.ranges(ranges);
    if (tombstones != null) {
      for (RangeTombstones.Fragment fragment : tombstones.fragments()) {
        for (long sequence : fragment.sequences()) {
          memtable.deleteRange(fragment.from(), fragment.to(), sequence);
          memtable.showRangeDeletes();
        }
      }
    }
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

  /**
   * A tree of an SST with keys up to d, and one with the others; of one of them if that suffices.
   */
  private Forest withTree(Forest forest, int stage, Drawn drawn) {
    List<Sst> halves = new ArrayList<>();
    byte[] middle = {'d', 0}; // the key after d
    RangeTombstones ranges = WrittenSsts.ranges(drawn.ranges());
    addIfAny(halves, drawn, false, ranges == null ? null : ranges.clipped(null, middle));
    addIfAny(halves, drawn, true, ranges == null ? null : ranges.clipped(middle, null));
    return forest.withTree(stage, new LogicalTree(ssts.nextNumber(), halves));
  }

  private void addIfAny(
      List<Sst> halves, Drawn drawn, boolean isUpper, @Nullable RangeTombstones ranges) {
    List<Entry> entries =
        WrittenSsts.entries(drawn.entries()).stream()
            .filter(entry -> entry.key()[0] > 'd' == isUpper)
            .toList();
    if (!entries.isEmpty() || ranges != null) {
      boolean isFiltered = ssts.nextNumber() % 3 == 0;
      halves.add(isFiltered ? ssts.writeFiltered(entries, ranges) : ssts.write(entries, ranges));
    }
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
  void aRangeTombstoneHidesWhatIsOlderInItsPlaceAndBelow() {
    Forest forest = withTree(Forest.empty(1, "default"), 2, "a1 b1 c1 d1", "e1 f1 g1 h1");
    forest = withTree(forest, 1, new Drawn("a2 b5 h2", "b-e4 g-i3"));
    forest = withTree(forest, 1, new Drawn("c6†", "a-b7"));
    StoreView view =
        new StoreView(buffer("d9 e8", "d-f10"), List.of(buffer("f11", "f-g12")), forest);
    assertThat(find(view, "a", 99)).isEqualTo("a7†");
    assertThat(find(view, "a", 6)).isEqualTo("a2");
    assertThat(find(view, "b", 99)).isEqualTo("b5");
    assertThat(find(view, "b", 4)).isEqualTo("b4†");
    assertThat(find(view, "b", 3)).isEqualTo("b1");
    assertThat(find(view, "c", 99)).isEqualTo("c6†");
    assertThat(find(view, "c", 5)).isEqualTo("c4†");
    assertThat(find(view, "d", 99)).isEqualTo("d10†");
    assertThat(find(view, "d", 9)).isEqualTo("d9");
    assertThat(find(view, "d", 8)).isEqualTo("d4†");
    assertThat(find(view, "e", 99)).isEqualTo("e10†");
    assertThat(find(view, "e", 7)).isEqualTo("e1");
    assertThat(find(view, "f", 99)).isEqualTo("f12†");
    assertThat(find(view, "f", 11)).isEqualTo("f11");
    assertThat(find(view, "g", 99)).isEqualTo("g3†");
    assertThat(find(view, "h", 99)).isEqualTo("h3†");
    assertThat(find(view, "h", 2)).isEqualTo("h2");
    assertThat(find(view, "i", 99)).isNull();
  }

  /** A key that is covered is not searched for below, and where filters rule it out not at all. */
  @Test
  void theSearchEndsAtARangeTombstone() {
    Forest forest = withTree(Forest.empty(1, "default"), 2, "a1 b1 c1");
    Sst covers = ssts.writeFiltered(WrittenSsts.entries("a2 z2"), WrittenSsts.ranges("a-z3"));
    forest = forest.withTree(1, new LogicalTree(ssts.nextNumber(), List.of(covers)));
    StoreView view = new StoreView(buffer(""), List.of(), forest);
    for (SearchScheme scheme : SearchScheme.values()) {
      ReadEpochs epochs = new ReadEpochs();
      OnDisk disk = new OnDisk();
      disk.fails = true;
      try (SearchThreads threads = new SearchThreads(4)) {
        Searchers searchers = new Searchers(threads, epochs);
        PointSearch search = new PointSearch(searchers, disk);
        int ticket = epochs.enter();
        Lookup probe = new Lookup("b".getBytes(UTF_8), 0, 1);
        probe.lookFor(99);
        assertThat(search.find(scheme, view, probe, ticket)).as("%s", scheme).isTrue();
        assertThat(probe.trailer()).isEqualTo(Trailer.of(3, EntryKind.DELETE));
        probe.lookFor(99);
        assertThat(search.findInMemory(view, probe)).isEqualTo(PointSearch.FOUND);
        byte[][] keys = {"b".getBytes(UTF_8)};
        MultiSearch many = new MultiSearch(search, view, keys, 99, ticket);
        many.find(true);
        assertThat(many.value(0)).isNull();
        epochs.exit(ticket);
        epochs.drain();
      }
    }
  }

  @Test
  void randomViewsAgreeWithASortedMapInPointAndRangeAlike() {
    for (int seed = 0; seed < 150; seed++) {
      Random random = new Random(seed);
      List<Entry> all = new ArrayList<>();
      long sequence = 1;
      Forest forest = Forest.empty(1, "default");
      int stages = random.nextInt(3);
      for (int stage = stages; stage > 0; stage--) {
        for (int tree = random.nextInt(3); tree >= 0; tree--) {
          forest = withTree(forest, stage, drawn(random, sequence, all));
          sequence += 20;
        }
      }
      List<WriteBuffer> immutables = new ArrayList<>();
      for (int i = random.nextInt(3); i > 0; i--) {
        Drawn drawn = drawn(random, sequence, all);
        immutables.add(0, buffer(drawn.entries(), drawn.ranges()));
        sequence += 20;
      }
      Drawn newest = random.nextBoolean() ? Drawn.NOTHING : drawn(random, sequence, all);
      WriteBuffer active = buffer(newest.entries(), newest.ranges());
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
      PointSearch search = new PointSearch(searchers, disk);
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
      assertThat(searchers.counters().get(Metric.HAND_OFFS)).isZero();
      disk.fails = true;
      for (int i = 0; i <= processors; i++) {
        assertThatThrownBy(find::run).hasMessageContaining("wanted");
      }
      disk.fails = false;
      searchers.callerEnds();
      find.run();
      assertThat(searchers.counters().get(Metric.HAND_OFFS)).isPositive();
      epochs.drain();
    }
  }

  /** What a place holds. */
  private record Drawn(String entries, String ranges) {
    private static final Drawn NOTHING = new Drawn("", "");
  }

  /**
   * A few entries and range tombstones with distinct sequence numbers, several of a key at times.
   *
   * @param all gets the entries, and for each range tombstone one of each key that it covers
   */
  private static Drawn drawn(Random random, long firstSequence, List<Entry> all) {
    List<String> entries = new ArrayList<>();
    List<String> ranges = new ArrayList<>();
    int rangesOneIn = random.nextBoolean() ? 4 : 1000;
    for (int i = 0; i <= random.nextInt(8); i++) {
      char key = KEYS.charAt(random.nextInt(KEYS.length()));
      long sequence = firstSequence + i;
      if (random.nextInt(rangesOneIn) == 0) {
        char end = (char) (key + 1 + random.nextInt(KEYS.length()));
        boolean hasEnd = end <= 'h';
        ranges.add(key + "-" + (hasEnd ? end : "") + sequence);
        for (char covered = key; covered < (hasEnd ? end : 'i'); covered++) {
          all.addAll(WrittenSsts.entries(covered + "" + sequence + "†"));
        }
      } else {
        entries.add(key + "" + sequence + (random.nextInt(3) == 0 ? "†" : ""));
      }
    }
    String drawing = String.join(" ", entries);
    all.addAll(WrittenSsts.entries(drawing));
    return new Drawn(drawing, String.join(" ", ranges));
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
    try (VisibleIterator iterator =
        RangeSearch.open(
            view,
            sequence,
            bytes(from),
            bytes(to),
            RangePlan.ALONE,
            new LearnedSpans(),
            () -> false)) {
      for (boolean more = iterator.seekToFirst(); more; more = iterator.next()) {
        forward.add(value(iterator));
      }
      for (boolean more = iterator.seekToLast(); more; more = iterator.previous()) {
        backward.add(0, value(iterator));
      }
    }
    assertThat(forward).describedAs("seed %d", seed).containsExactlyElementsOf(expected.values());
    assertThat(backward).describedAs("seed %d", seed).isEqualTo(forward);
  }

  private static byte @Nullable [] bytes(@Nullable String key) {
    return key == null ? null : key.getBytes(UTF_8);
  }

  private static String value(VisibleIterator iterator) {
    byte[] value = new byte[iterator.valueLength()];
    iterator.copyValue(value, 0);
    return new String(value, UTF_8);
  }
}
