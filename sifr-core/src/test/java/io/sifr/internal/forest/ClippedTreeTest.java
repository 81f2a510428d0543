package io.sifr.internal.forest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.sst.read.RunIterator;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.util.Bytes;
import io.sifr.testing.Entry;
import io.sifr.testing.EntryDrawing;
import io.sifr.testing.EntryDrawing.Shape;
import io.sifr.testing.IterationCheck;
import io.sifr.testing.WrittenSsts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A tree without some spans of keys, or within one, behaves like one that never held the others.
 */
class ClippedTreeTest {
  @TempDir Path directory;

  @Test
  void holdsWhatLiesOutsideTheSpansThatWereTakenAway() throws IOException {
    for (Shape shape : Shape.values()) {
      for (long seed = 0; seed < 8; seed++) {
        Random random = new Random(seed);
        List<Entry> entries = EntryDrawing.sortedEntries(shape, 200, random);
        Path place = Files.createDirectory(directory.resolve(shape + "-" + seed));
        try (WrittenSsts ssts = new WrittenSsts(place)) {
          LogicalTree tree = tree(ssts, entries, random);
          List<Entry> left = entries;
          for (int i = 0; i < 4; i++) {
            KeySpan span = span(entries, shape, random);
            boolean within = i == 3;
            LogicalTree clipped = within ? tree.within(span) : tree.without(span);
            List<Entry> expected =
                left.stream().filter(e -> span.contains(e.key(), e.key()) == within).toList();
            check(clipped, expected, entries, shape, seed);
            tree = within ? tree : clipped;
            left = within ? left : expected;
          }
        }
      }
    }
  }

  private static void check(
      LogicalTree tree, List<Entry> expected, List<Entry> all, Shape shape, long seed) {
    try (RunIterator iterator = WrittenSsts.iterator(tree, () -> false)) {
      assertThat(IterationCheck.forward(iterator)).as("seed %d", seed).isEqualTo(expected);
      assertThat(IterationCheck.backward(iterator)).as("seed %d", seed).isEqualTo(expected);
      if (!expected.isEmpty()) {
        IterationCheck.atRandom(iterator, expected, shape, 300, seed);
      }
    }
    for (Entry entry : all) {
      boolean isHeld = expected.stream().anyMatch(e -> Arrays.equals(e.key(), entry.key()));
      if (isHeld) {
        assertThat(tree.mayHold(entry.key(), 0, entry.key().length)).as("seed %d", seed).isTrue();
      }
    }
    assertThat(tree.ssts()).doesNotHaveDuplicates();
    assertThat(tree.bytes()).isEqualTo(tree.ssts().stream().mapToLong(Sst::bytes).sum());
  }

  /** Bounds are keys of the tree as often as not. */
  private static KeySpan span(List<Entry> entries, Shape shape, Random random) {
    byte[] a = bound(entries, shape, random);
    byte[] b = bound(entries, shape, random);
    int order = Arrays.compareUnsigned(a, b);
    byte[] last = order > 0 ? a : order < 0 ? b : Bytes.successor(b);
    return random.nextInt(4) == 0
        ? KeySpan.upTo(last)
        : KeySpan.ALL.and(new KeySpan(order > 0 ? b : a, last)).orElseThrow();
  }

  private static byte[] bound(List<Entry> entries, Shape shape, Random random) {
    return random.nextBoolean()
        ? entries.get(random.nextInt(entries.size())).key()
        : EntryDrawing.keyNear(entries, shape, random);
  }

  /** Versions of a key are never cut apart. */
  private static LogicalTree tree(WrittenSsts ssts, List<Entry> entries, Random random) {
    List<Sst> written = new ArrayList<>();
    List<Entry> part = new ArrayList<>();
    for (Entry entry : entries) {
      boolean newKey =
          part.isEmpty() || !Arrays.equals(part.get(part.size() - 1).key(), entry.key());
      if (!part.isEmpty() && newKey && random.nextInt(15) == 0) {
        written.add(ssts.write(part));
        part.clear();
      }
      part.add(entry);
    }
    written.add(ssts.write(part));
    return new LogicalTree(1, written);
  }
}
