package io.sifr.internal.search;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.compaction.CompactionPlan;
import io.sifr.internal.compaction.Guards;
import io.sifr.internal.compaction.PartTask;
import io.sifr.internal.compaction.SstSizes;
import io.sifr.internal.compaction.TaskEnvironment;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.VisibleIterator;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.sst.BlockCodecs;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.sst.SstAccess;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.testing.CollectedProgress;
import io.sifr.testing.CompactionEdits;
import io.sifr.testing.Entry;
import io.sifr.testing.WrittenSsts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
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
@Tag("search")
class FrontierTest {
  private static final String KEYS = "abcdefghijklmnop";
  private static final long NOW = 1 << 20;

  @TempDir Path directory;
  private WrittenSsts ssts;
  private AllSchemes schemes;
  private final List<Sst> outputs = new ArrayList<>();

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
    forest = forest.withBegun(CompactionEdits.begun(output, inputs, 2));
    forest = merged(forest, output, KeySpan.upTo("m".getBytes(UTF_8)));

    assertThat(forest.byPriority()).hasSize(3);
    assertThat(find(forest, 'k')).isNull();
    assertThat(find(forest, 'a')).isEqualTo("a5");
    assertThat(find(forest, 'z')).isEqualTo("z7");
    assertThat(walk(forest, null, null, true)).containsExactly("a5", "z7");
    assertThat(walk(forest, null, null, false)).containsExactly("a5", "z7");
  }

  /** Merges that come through their inputs in pieces and in any order change no answer. */
  @Test
  void answersAreTheSameWhereverTheFrontiersStand() {
    for (int seed = 0; seed < 150; seed++) {
      Random random = new Random(seed);
      List<Entry> all = new ArrayList<>();
      Forest forest = Forest.empty(1, "default");
      long sequence = 1;
      for (int stage = 3; stage > 0; stage--) {
        for (int i = 0; i < 2; i++) {
          forest = forest.withTree(stage, randomTree(random, sequence, all));
          sequence += 100;
        }
      }
      TreeMap<String, String> expected = new TreeMap<>();
      all.stream()
          .sorted((a, b) -> Long.compare(a.sequence(), b.sequence()))
          .forEach(
              entry -> {
                String key = new String(entry.key(), UTF_8);
                if (Trailer.isTombstone(entry.trailer())) {
                  expected.remove(key);
                } else {
                  expected.put(key, WrittenSsts.draw(List.of(entry)));
                }
              });
      check(forest, expected, random, seed);
      for (int stage = 1; stage < 3; stage++) {
        long output = ssts.nextNumber();
        List<Long> inputs = forest.oldestIdle(stage).stream().map(LogicalTree::id).toList();
        forest = forest.withBegun(CompactionEdits.begun(output, inputs, stage + 1));
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

  private static String anyKey(Random random) {
    return KEYS.substring(random.nextInt(KEYS.length())).substring(0, 1);
  }

  private static byte[] bytes(String key) {
    return key.getBytes(UTF_8);
  }

  private LogicalTree randomTree(Random random, long firstSequence, List<Entry> all) {
    List<String> drawings = new ArrayList<>();
    StringBuilder drawing = new StringBuilder();
    for (int i = 0; i < KEYS.length(); i++) {
      if (random.nextInt(3) > 0) {
        drawing.append(drawing.length() == 0 ? "" : " ").append(KEYS.charAt(i));
        drawing.append(firstSequence + i).append(random.nextInt(3) == 0 ? "†" : "");
      }
      if (drawing.length() > 0 && random.nextInt(5) == 0) {
        drawings.add(drawing.toString());
        drawing.setLength(0);
      }
    }
    drawings.add(drawing.length() == 0 ? "q" + (firstSequence + 50) : drawing.toString());
    drawings.forEach(sst -> all.addAll(WrittenSsts.entries(sst)));
    return tree(drawings.toArray(new String[0]));
  }

  /** The forest after a merge has really come through a span. */
  private Forest merged(Forest forest, long outputTree, KeySpan span) {
    Compaction merge = forest.compaction(outputTree).orElseThrow();
    CollectedProgress done = new CollectedProgress();
    TaskEnvironment environment =
        new TaskEnvironment(
            ssts.fileSystem(),
            directory,
            SstAccess.mapped(ssts.fileSystem(), directory, BlockCodecs.STANDARD),
            1,
            ssts::nextNumber,
            new Random(1)::nextLong,
            0,
            new SstSizes(1 << 12, 1 << 12, 1 << 12, 0),
            Guards.NONE,
            () -> {});
    new PartTask(environment, CompactionPlan.remainder(forest, merge), span, new long[0], done)
        .run();
    outputs.addAll(done.written());
    return forest.withProgress(
        new ForestEdit.CompactionProgressed(
            1, outputTree, span, done.written(), done.moved().stream().map(Sst::number).toList()));
  }

  private void check(
      Forest forest, NavigableMap<String, String> expected, Random random, int seed) {
    for (int i = 0; i < KEYS.length(); i++) {
      assertThat(find(forest, KEYS.charAt(i)))
          .as("seed %d, key %s", seed, KEYS.charAt(i))
          .isEqualTo(expected.get("" + KEYS.charAt(i)));
    }
    String a = anyKey(random);
    String b = anyKey(random);
    String from = a.compareTo(b) <= 0 ? a : b;
    String to = a.compareTo(b) <= 0 ? b : a;
    List<String> part = List.copyOf(expected.subMap(from, to).values());
    assertThat(walk(forest, bytes(from), bytes(to), true)).as("seed %d", seed).isEqualTo(part);
    assertThat(walk(forest, bytes(from), bytes(to), false)).as("seed %d", seed).isEqualTo(part);
    List<String> rest = List.copyOf(expected.tailMap(from).values());
    assertThat(walk(forest, bytes(from), null, false)).as("seed %d", seed).isEqualTo(rest);
  }

  private @Nullable String find(Forest forest, char key) {
    Lookup lookup = new Lookup();
    byte[] bytes = {(byte) key};
    if (!schemes.find(view(forest), bytes, 0, 1, NOW, lookup) || lookup.isTombstone()) {
      return null;
    }
    return key + "" + Trailer.sequence(lookup.trailer());
  }

  private static List<String> walk(
      Forest forest, byte @Nullable [] from, byte @Nullable [] to, boolean forward) {
    List<String> met = new ArrayList<>();
    try (VisibleIterator walk =
        RangeSearch.open(view(forest), NOW, from, to, RangePlan.ALONE, () -> false)) {
      for (boolean on = forward ? walk.seekToFirst() : walk.seekToLast();
          on;
          on = forward ? walk.next() : walk.previous()) {
        String key =
            new String(walk.keyArray(), 0, walk.keyLength(), UTF_8)
                + Trailer.sequence(walk.trailer());
        met.add(forward ? met.size() : 0, key);
      }
    }
    return met;
  }
}
