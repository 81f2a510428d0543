package io.sifr.internal.entry;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.memtable.Memtable;
import io.sifr.testing.Entry;
import io.sifr.testing.EntryDrawing;
import io.sifr.testing.EntryDrawing.Shape;
import io.sifr.testing.IterationCheck;
import io.sifr.testing.ListEntryIterator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MergingIteratorTest {
  /** Deals the entries out to that many children. */
  private static List<ListEntryIterator> dealOut(
      List<Entry> entries, int children, boolean inRuns, Random random) {
    List<List<Entry>> hands = new ArrayList<>();
    for (int i = 0; i < children; i++) {
      hands.add(new ArrayList<>());
    }
    int hand = 0;
    for (Entry entry : entries) {
      if (!inRuns || random.nextInt(20) == 0) {
        hand = random.nextInt(children);
      }
      hands.get(hand).add(entry);
    }
    return hands.stream().map(ListEntryIterator::new).toList();
  }

  @ParameterizedTest
  @EnumSource
  void iteratesLikeOneSortedList(Shape shape) {
    int common = shape == Shape.NUMBERED ? 19 : 0;
    for (long seed = 1; seed <= 120; seed++) {
      Random random = new Random(seed);
      List<Entry> entries = EntryDrawing.sortedEntries(shape, random.nextInt(120), random);
      int children = 1 + random.nextInt(seed % 10 == 0 ? 300 : 9);
      List<ListEntryIterator> dealt = dealOut(entries, children, seed % 2 == 0, random);
      MergingIterator merged = new MergingIterator(dealt, common);
      assertThat(merged.valid()).isFalse();
      assertThat(IterationCheck.forward(merged)).describedAs("seed %d", seed).isEqualTo(entries);
      assertThat(IterationCheck.backward(merged)).describedAs("seed %d", seed).isEqualTo(entries);
      // Targets, too, share the prefix in the store; here they need not, since it concerns only
      // what is compared.
      IterationCheck.atRandom(merged, entries, shape, 150, seed);
      merged.close();
      assertThat(merged.valid()).isFalse();
      assertThat(dealt).allMatch(ListEntryIterator::isClosed);
    }
  }

  @Test
  void ofEqualEntriesThatOfTheEarlierChildComesFirst() {
    byte[] key = {7};
    List<Entry> versions = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      versions.add(Entry.of(key, 5, EntryKind.PUT, new byte[] {(byte) i}));
    }
    MergingIterator merged =
        new MergingIterator(
            versions.stream().map(entry -> new ListEntryIterator(List.of(entry))).toList(), 0);
    assertThat(IterationCheck.forward(merged)).isEqualTo(versions);
    assertThat(IterationCheck.backward(merged)).isEqualTo(versions);
    merged.seekToFirst();
    merged.next();
    merged.next();
    merged.previous();
    assertThat(Entry.at(merged)).isEqualTo(versions.get(1));
    merged.next();
    assertThat(Entry.at(merged)).isEqualTo(versions.get(2));
  }

  @Test
  void exhaustedChildrenComeAfterTheLargestPossibleKeys() {
    byte[] high = new byte[12];
    Arrays.fill(high, (byte) 0xFF);
    Entry last = Entry.of(high, 1, EntryKind.PUT, new byte[0]);
    Entry first = Entry.of(new byte[0], 2, EntryKind.PUT, new byte[0]);
    List<ListEntryIterator> children =
        List.of(
            new ListEntryIterator(List.of()),
            new ListEntryIterator(List.of(first)),
            new ListEntryIterator(List.of(first, last)),
            new ListEntryIterator(List.of(last)),
            new ListEntryIterator(List.of()));
    List<Entry> expected = List.of(first, first, last, last);
    assertThat(IterationCheck.forward(new MergingIterator(children, 0))).isEqualTo(expected);
    assertThat(IterationCheck.backward(new MergingIterator(children, 0))).isEqualTo(expected);
  }

  @Test
  void withoutChildrenThereIsNothing() {
    MergingIterator merged = new MergingIterator(List.of(), 0);
    assertThat(merged.seekToFirst()).isFalse();
    assertThat(merged.seekToLast()).isFalse();
    assertThat(merged.seek(new byte[1], 0, 1, 0)).isFalse();
    assertThat(merged.seekBefore(new byte[1], 0, 1)).isFalse();
  }

  /**
   * Entries come into two memtables between moves; whatever is met must lie on the right side of
   * what was met before.
   */
  @Test
  void keepsTheOrderWhenChildrenGrow() {
    for (long seed = 1; seed <= 40; seed++) {
      Random random = new Random(seed);
      List<Memtable> memtables = List.of(new Memtable(1 << 20), new Memtable(1 << 20));
      NavigableSet<Entry> model = new TreeSet<>();
      MergingIterator merged =
          new MergingIterator(memtables.stream().map(Memtable::iterator).toList(), 0);
      for (int i = 0; i < 1_500; i++) {
        Entry added = EntryDrawing.entry(Shape.TINY, model.size() + 1, random);
        byte[] key = added.key();
        byte[] value = added.value();
        memtables
            .get(random.nextInt(2))
            .add(added.trailer(), key, 0, key.length, value, 0, value.length);
        model.add(added);
        if (!merged.valid()) {
          merged.seekToFirst();
          continue;
        }
        Entry before = Entry.at(merged);
        boolean forward = random.nextBoolean();
        if (forward ? merged.next() : merged.previous()) {
          Entry now = Entry.at(merged);
          assertThat(model).describedAs("seed %d, move %d", seed, i).contains(now);
          assertThat(forward ? before : now)
              .describedAs("seed %d, move %d", seed, i)
              .isLessThan(forward ? now : before);
        }
      }
    }
  }

  @Test
  void comparesKeysThatEndWithTheCommonPrefixOrRightAfterIt() {
    List<Entry> left = List.of(put("common", 1), put("common.b", 2));
    List<Entry> right = List.of(put("common.", 3), put("common.b1", 4));
    List<Entry> all = new ArrayList<>(left);
    all.addAll(right);
    all.sort(null);
    List<ListEntryIterator> children =
        List.of(new ListEntryIterator(left), new ListEntryIterator(right));
    assertThat(IterationCheck.forward(new MergingIterator(children, 6))).isEqualTo(all);
  }

  private static Entry put(String key, long sequence) {
    return Entry.of(key.getBytes(US_ASCII), sequence, EntryKind.PUT, new byte[0]);
  }
}
