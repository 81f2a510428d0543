package io.sifr.internal.search;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.codec.Codecs;
import io.sifr.internal.compaction.cut.SstSizes;
import io.sifr.internal.compaction.merge.PartTask;
import io.sifr.internal.compaction.merge.TaskEnvironment;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.VisibleIterator;
import io.sifr.internal.entry.range.LearnedSpans;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.Guards;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.testing.CollectedProgress;
import io.sifr.testing.CompactionEdits;
import io.sifr.testing.Entry;
import io.sifr.testing.WrittenSsts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * I2: while a merge runs, keys at or below its frontiers are served by its output alone, keys above
 * by its inputs alone.
 */
@Tag("model")
class FrontierTest {
  private static final String KEYS = "abcdefghijklmnop";
  private static final long NOW = 1 << 20;

  @TempDir Path directory;
  private WrittenSsts ssts;
  private AllSchemes schemes;
  private final List<Sst> outputs = new ArrayList<>();
  private long[] snapshots = {};

  @BeforeEach
  void begin() {
    ssts = new WrittenSsts(directory);
    schemes = new AllSchemes(1);
  }

  @AfterEach
  void end() {
    schemes.close();
    outputs.forEach(sst -> sst.markObsolete(() -> {}));
    ssts.close();
  }

  private LogicalTree tree(String... drawings) {
    return new LogicalTree(
        ssts.nextNumber(), List.of(drawings).stream().map(drawing -> ssts.write(drawing)).toList());
  }

  private static StoreView view(Forest forest) {
    return new StoreView(new WriteBuffer(new Memtable(4096)), List.of(), forest);
  }

  /**
   * The tombstone is merged away, and its SST is gone; but the SST that holds what it hid is still
   * there, for the sake of a later key. Asked below the frontier it would bring the key back to
   * life.
   */
  @Test
  void keyWhoseTombstoneWasDroppedStaysDeleted() {
    Forest forest = Forest.empty(1, "default");
    forest = forest.withTree(1, tree("a1 k2 z3"));
    forest = forest.withTree(1, tree("a5 k6†", "z7"));
    long output = ssts.nextNumber();
    List<Long> inputs = forest.byPriority().stream().map(LogicalTree::id).toList();
    forest = forest.apply(CompactionEdits.begun(output, inputs, 2));
    forest = merged(forest, output, KeySpan.upTo("m".getBytes(UTF_8)));

    assertThat(forest.byPriority()).hasSize(3);
    assertThat(find(forest, 'k', NOW)).isNull();
    assertThat(find(forest, 'a', NOW)).isEqualTo("a5");
    assertThat(find(forest, 'z', NOW)).isEqualTo("z7");
    assertThat(iterate(forest, null, null, true, NOW)).containsExactly("a5", "z7");
    assertThat(iterate(forest, null, null, false, NOW)).containsExactly("a5", "z7");
  }

  /**
   * The output holds a key that was put again after its range was deleted. What is left of the
   * older input lies above the output; its range tombstone must not reach over the frontier.
   */
  @Test
  void rangeTombstoneAboveTheFrontierHidesNothingBelow() {
    Forest forest = Forest.empty(1, "default");
    forest = forest.withTree(3, tree("a1 b2 c3 x4 y5"));
    forest =
        forest.withTree(1, new LogicalTree(ssts.nextNumber(), List.of(ssts.write("z6", "a-z50"))));
    forest = forest.withTree(1, tree("b70 y71"));
    long output = ssts.nextNumber();
    List<Long> inputs = forest.stage(1).stream().map(LogicalTree::id).toList();
    forest = forest.apply(CompactionEdits.begun(output, inputs, 2));
    forest = merged(forest, output, KeySpan.upTo(bytes("m")));

    assertThat(forest.byPriority()).hasSize(4);
    for (String key : List.of("a", "c", "x")) {
      assertThat(find(forest, key.charAt(0), NOW)).as(key).isNull();
    }
    assertThat(find(forest, 'b', NOW)).isEqualTo("b70");
    assertThat(find(forest, 'y', NOW)).isEqualTo("y71");
    assertThat(iterate(forest, null, null, true, NOW)).containsExactly("b70", "y71", "z6");
    assertThat(iterate(forest, null, null, false, NOW)).containsExactly("b70", "y71", "z6");

    // The rest of the older input becomes an input again, with the output.
    forest = forest.withEnded(output);
    long again = ssts.nextNumber();
    inputs = forest.byPriority().subList(0, 3).stream().map(LogicalTree::id).toList();
    forest = forest.apply(CompactionEdits.begun(again, inputs, 3));
    forest = CompactionEdits.withoutFinished(merged(forest, again, KeySpan.ALL));
    assertThat(find(forest, 'b', NOW)).isEqualTo("b70");
    assertThat(iterate(forest, null, null, true, NOW)).containsExactly("b70", "y71", "z6");
  }

  /** Merges that come through their inputs in pieces and in any order change no answer. */
  @Test
  void answersAreTheSameWhereverTheFrontiersStand() {
    for (int seed = 0; seed < 150; seed++) {
      Random random = new Random(seed);
      List<Write> all = new ArrayList<>();
      Forest forest = Forest.empty(1, "default");
      long sequence = 1;
      // Without trees below, it matters to the upper merge what the lower one reads and writes.
      for (int stage = 2 + random.nextInt(2); stage > 0; stage--) {
        for (int i = 0; i < 2; i++) {
          forest = forest.withTree(stage, randomTree(random, sequence, all));
          sequence += 100;
        }
      }
      snapshots = random.longs(random.nextInt(3), 1, sequence).sorted().toArray();
      all.sort(Comparator.comparingLong(Write::sequence));
      NavigableMap<Long, NavigableMap<String, String>> expected = new TreeMap<>();
      LongStream.concat(LongStream.of(snapshots), LongStream.of(NOW))
          .forEach(reader -> expected.put(reader, expected(all, reader)));
      check(forest, expected, random, seed);
      for (int stage = 1; stage < 3; stage++) {
        long output = ssts.nextNumber();
        List<Long> inputs = forest.oldestIdle(stage).stream().map(LogicalTree::id).toList();
        forest = forest.apply(CompactionEdits.begun(output, inputs, stage + 1));
      }
      while (!forest.compactions().isEmpty()) {
        Compaction merge = forest.compactions().get(random.nextInt(forest.compactions().size()));
        List<KeySpan> rest = merge.remaining();
        KeySpan span = rest.get(random.nextInt(rest.size()));
        KeySpan piece =
            span.and(
                    random.nextBoolean()
                        ? KeySpan.upTo(bytes(anyKey(random)))
                        : new KeySpan(bytes(anyKey(random)), bytes("q")))
                .or(() -> span.and(KeySpan.upTo(bytes("q"))))
                .orElse(span);
        forest = CompactionEdits.withoutFinished(merged(forest, merge.number(), piece));
        check(forest, expected, random, seed);
      }
    }
  }

  /** What a write does to the map of a model. */
  private record Write(long sequence, Consumer<NavigableMap<String, String>> change) {}

  private static NavigableMap<String, String> expected(List<Write> all, long reader) {
    NavigableMap<String, String> expected = new TreeMap<>();
    all.stream()
        .takeWhile(write -> write.sequence() <= reader)
        .forEach(write -> write.change().accept(expected));
    return expected;
  }

  private static Write write(Entry entry) {
    String key = new String(entry.key(), UTF_8);
    return new Write(
        entry.sequence(),
        map -> {
          if (entry.isTombstone()) {
            map.remove(key);
          } else {
            map.put(key, WrittenSsts.draw(List.of(entry)));
          }
        });
  }

  private static String anyKey(Random random) {
    return KEYS.substring(random.nextInt(KEYS.length())).substring(0, 1);
  }

  private static byte[] bytes(String key) {
    return key.getBytes(UTF_8);
  }

  /** Some of them with range tombstones, among which the numbers of the entries lie. */
  private LogicalTree randomTree(Random random, long firstSequence, List<Write> all) {
    List<String> drawings = new ArrayList<>();
    StringBuilder drawing = new StringBuilder();
    for (int i = 0; i < KEYS.length(); i++) {
      if (random.nextInt(3) > 0) {
        drawing.append(drawing.length() == 0 ? "" : " ").append(KEYS.charAt(i));
        drawing.append(firstSequence + 2L * i).append(random.nextInt(3) == 0 ? "†" : "");
      }
      if (drawing.length() > 0 && random.nextInt(5) == 0) {
        drawings.add(drawing.toString());
        drawing.setLength(0);
      }
    }
    drawings.add(drawing.length() == 0 ? "q" + (firstSequence + 50) : drawing.toString());
    RangeTombstones ranges = randomRanges(random, firstSequence, all);
    List<Sst> written = new ArrayList<>();
    for (String of : drawings) {
      List<Entry> entries = WrittenSsts.entries(of);
      entries.forEach(entry -> all.add(write(entry)));
      boolean isLast = written.size() == drawings.size() - 1;
      byte[] last = entries.get(entries.size() - 1).key();
      byte[] above = written.isEmpty() ? null : written.get(written.size() - 1).largestKey();
      written.add(
          ssts.write(
              entries,
              ranges == null
                  ? null
                  : ranges.clipped(
                      above == null ? null : Bytes.successor(above),
                      isLast ? null : Bytes.successor(last))));
    }
    return new LogicalTree(ssts.nextNumber(), written);
  }

  private static @Nullable RangeTombstones randomRanges(
      Random random, long firstSequence, List<Write> all) {
    List<RangeTombstones> ranges = new ArrayList<>();
    int count = Math.max(0, random.nextInt(5) - 2);
    for (int i = 0; i < count; i++) {
      String a = anyKey(random);
      String b = anyKey(random);
      String from = a.compareTo(b) <= 0 ? a : b;
      String to = a.equals(b) ? null : a.compareTo(b) <= 0 ? b : a;
      long sequence = firstSequence + 2L * random.nextInt(20) + 1;
      ranges.add(RangeTombstones.of(bytes(from), to == null ? null : bytes(to), sequence));
      all.add(
          new Write(
              sequence,
              map -> (to == null ? map.tailMap(from, true) : map.subMap(from, to)).clear()));
    }
    return RangeTombstones.merged(ranges);
  }

  /** The forest after a merge has really come through a span. */
  private Forest merged(Forest forest, long outputTree, KeySpan span) {
    Compaction merge = forest.compaction(outputTree).orElseThrow();
    CollectedProgress done = new CollectedProgress();
    TaskEnvironment environment =
        new TaskEnvironment(
            new TaskEnvironment.Files(
                ssts.fileSystem(),
                directory,
                SstAccess.mapped(ssts.fileSystem(), directory, BlockCodecs.STANDARD),
                ssts::nextNumber,
                new Random(1)::nextLong),
            new TaskEnvironment.Output(
                1, Codecs.NONE, 0, new SstSizes(1 << 12, 1 << 12, 1 << 12, 0), Guards.NONE, 0),
            new TaskEnvironment.Entries(EntryKinds.STANDARD, 0),
            TaskEnvironment.Progress.UNWATCHED);
    new PartTask(environment, CompactionPlan.remainder(forest, merge), span, snapshots, done).run();
    outputs.addAll(done.written());
    return forest.apply(
        new ForestEdit.CompactionProgressed(
            1, outputTree, span, done.written(), done.moved().stream().map(Sst::number).toList()));
  }

  private void check(
      Forest forest,
      NavigableMap<Long, NavigableMap<String, String>> expectedAt,
      Random random,
      int seed) {
    expectedAt.forEach(
        (reader, expected) -> {
          for (int i = 0; i < KEYS.length(); i++) {
            assertThat(find(forest, KEYS.charAt(i), reader))
                .as("seed %d, key %s at %d", seed, KEYS.charAt(i), reader)
                .isEqualTo(expected.get("" + KEYS.charAt(i)));
          }
          String a = anyKey(random);
          String b = anyKey(random);
          String from = a.compareTo(b) <= 0 ? a : b;
          String to = a.compareTo(b) <= 0 ? b : a;
          List<String> part = List.copyOf(expected.subMap(from, to).values());
          List<String> rest = List.copyOf(expected.tailMap(from).values());
          assertThat(iterate(forest, bytes(from), bytes(to), true, reader))
              .as("seed %d at %d", seed, reader)
              .isEqualTo(part);
          assertThat(iterate(forest, bytes(from), bytes(to), false, reader))
              .as("seed %d at %d", seed, reader)
              .isEqualTo(part);
          assertThat(iterate(forest, bytes(from), null, false, reader))
              .as("seed %d at %d", seed, reader)
              .isEqualTo(rest);
        });
  }

  private @Nullable String find(Forest forest, char key, long reader) {
    Lookup lookup = new Lookup();
    byte[] bytes = {(byte) key};
    if (!schemes.find(view(forest), bytes, 0, 1, reader, lookup) || lookup.isTombstone()) {
      return null;
    }
    return key + "" + Trailer.sequence(lookup.trailer());
  }

  private static List<String> iterate(
      Forest forest, byte @Nullable [] from, byte @Nullable [] to, boolean forward, long reader) {
    List<String> met = new ArrayList<>();
    try (VisibleIterator iterator =
        RangeSearch.open(
            view(forest), reader, from, to, RangePlan.ALONE, new LearnedSpans(), () -> false)) {
      for (boolean on = forward ? iterator.seekToFirst() : iterator.seekToLast();
          on;
          on = forward ? iterator.next() : iterator.previous()) {
        String key =
            new String(iterator.keyArray(), 0, iterator.keyLength(), UTF_8)
                + Trailer.sequence(iterator.trailer());
        met.add(forward ? met.size() : 0, key);
      }
    }
    return met;
  }
}
