package io.sifr.internal.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.entry.range.LearnedSpans;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.entry.range.TombstonePlace;
import io.sifr.internal.memtable.Memtable;
import io.sifr.testing.Entry;
import io.sifr.testing.EntryDrawing;
import io.sifr.testing.EntryDrawing.Shape;
import io.sifr.testing.ListEntryIterator;
import io.sifr.testing.TestKinds;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class VisibleIteratorTest {
  private static Entry at(VisibleIterator iterator) {
    byte[] value = new byte[iterator.valueLength()];
    iterator.copyValue(value, 0);
    byte[] key = Arrays.copyOf(iterator.keyArray(), iterator.keyLength());
    assertThat(Trailer.isTombstone(iterator.trailer())).isFalse();
    return Entry.of(key, Trailer.sequence(iterator.trailer()), EntryKind.PUT, value);
  }

  /** What a reader at that sequence number sees within the bounds. */
  private static NavigableMap<byte[], Entry> visible(
      List<Entry> entries, long sequence, byte @Nullable [] lower, byte @Nullable [] upper) {
    NavigableMap<byte[], Entry> newest = new TreeMap<>(Arrays::compareUnsigned);
    Map<Entry, Resolution> resolutions = new HashMap<>();
    Set<Entry> settled = new HashSet<>();
    for (Entry entry : entries) {
      boolean within =
          (lower == null || Arrays.compareUnsigned(entry.key(), lower) >= 0)
              && (upper == null || Arrays.compareUnsigned(entry.key(), upper) < 0);
      if (within && entry.sequence() <= sequence) {
        Entry first = newest.computeIfAbsent(entry.key(), key -> entry);
        if (!settled.contains(first)
            && !resolutions
                .computeIfAbsent(first, key -> new Resolution(TestKinds.ALL, new byte[1], 0, 1))
                .add(entry.trailer(), entry.value())) {
          settled.add(first);
        }
      }
    }
    NavigableMap<byte[], Entry> visible = new TreeMap<>(Arrays::compareUnsigned);
    resolutions.forEach(
        (first, resolution) -> {
          byte[] value = resolution.value();
          if (value != null) {
            visible.put(first.key(), Entry.of(first.key(), first.sequence(), EntryKind.PUT, value));
          }
        });
    return visible;
  }

  @ParameterizedTest
  @EnumSource
  void showsWhatAReaderAtItsSequenceNumberSees(Shape shape) {
    for (long seed = 1; seed <= 150; seed++) {
      Random random = new Random(seed);
      int count = random.nextInt(200);
      List<Entry> entries = EntryDrawing.sortedEntries(shape, count, random);
      checkIteration(new ListEntryIterator(entries), entries, shape, seed);
    }
  }

  @Test
  void resolvesVersionsThatDoNotSettleTheirKey() {
    List<EntryKind> kinds =
        List.of(EntryKind.PUT, EntryKind.DELETE, TestKinds.OPTIONAL, TestKinds.APPEND);
    for (long seed = 1; seed <= 100; seed++) {
      Random random = new Random(seed);
      List<Entry> entries = new ArrayList<>();
      for (int sequence = 1; sequence <= 100; sequence++) {
        byte[] key = {(byte) random.nextInt(20)};
        EntryKind kind = kinds.get(Math.min(3, random.nextInt(8)));
        byte[] value = new byte[1 + random.nextInt(random.nextInt(10) == 0 ? 2000 : 8)];
        value[0] = (byte) random.nextInt(2);
        entries.add(Entry.of(key, sequence, kind, value));
      }
      entries.sort(null);
      checkIteration(new ListEntryIterator(entries), entries, Shape.TINY, seed);
    }
  }

  @Test
  void findsItsWayThroughManyVersionsOfFewKeys() {
    for (long seed = 1; seed <= 60; seed++) {
      Random random = new Random(seed);
      List<Entry> entries = new ArrayList<>();
      for (int sequence = 1; sequence <= 300; sequence++) {
        byte[] key = {(byte) random.nextInt(3)};
        EntryKind kind = random.nextInt(3) == 0 ? EntryKind.DELETE : EntryKind.PUT;
        entries.add(Entry.of(key, sequence, kind, new byte[] {(byte) sequence}));
      }
      entries.sort(null);
      checkIteration(new ListEntryIterator(entries), entries, Shape.TINY, seed);
    }
  }

  @Test
  void showsTheSameOverAMergeOfMemtables() {
    for (long seed = 1; seed <= 40; seed++) {
      Random random = new Random(seed);
      List<Memtable> memtables = List.of(new Memtable(1 << 20), new Memtable(1 << 20));
      List<Entry> entries = EntryDrawing.sortedEntries(Shape.TINY, 400, random);
      for (Entry entry : entries) {
        byte[] key = entry.key();
        byte[] value = entry.value();
        memtables
            .get(entry.sequence() > 200 ? 0 : 1)
            .add(entry.trailer(), key, 0, key.length, value, 0, value.length);
      }
      List<EntryIterator> children = memtables.stream().map(Memtable::iterator).toList();
      checkIteration(new MergingIterator(children, 0), entries, Shape.TINY, seed);
    }
  }

  /**
   * Places that each hold newer entries and range tombstones than those below: as if each tombstone
   * were a delete of every key.
   */
  @ParameterizedTest
  @EnumSource
  void hidesWhatRangeTombstonesCover(Shape shape) {
    for (long seed = 1; seed <= 200; seed++) {
      Random random = new Random(seed);
      int places = 1 + random.nextInt(4);
      int count = random.nextInt(300);
      List<Entry> drawn = EntryDrawing.sortedEntries(shape, count, random);
      drawn.sort(Comparator.comparingLong(Entry::sequence));
      int oneIn = 1 + random.nextInt(40);
      List<DrawnPlace> newestFirst = new ArrayList<>();
      List<Entry> expanded = new ArrayList<>();
      for (int i = 0; i < places; i++) {
        newestFirst.add(0, new DrawnPlace());
        for (Entry entry : drawn.subList(count * i / places, count * (i + 1) / places)) {
          if (random.nextInt(oneIn) > 0) {
            newestFirst.get(0).entries.add(entry);
            expanded.add(entry);
          } else {
            deleteRange(entry, drawn, shape, newestFirst.get(0), expanded, random);
          }
        }
        newestFirst.get(0).entries.sort(null);
      }
      expanded.sort(null);
      checkIteration(sequence -> masked(newestFirst, sequence), expanded, shape, seed);
    }
  }

  private static final class DrawnPlace {
    private final List<Entry> entries = new ArrayList<>();
    private @Nullable RangeTombstones tombstones;
  }

  private static void deleteRange(
      Entry from,
      List<Entry> all,
      Shape shape,
      DrawnPlace place,
      List<Entry> expanded,
      Random random) {
    byte[] to = random.nextInt(8) == 0 ? null : EntryDrawing.keyNear(all, shape, random);
    if (to != null && Arrays.compareUnsigned(from.key(), to) >= 0) {
      return;
    }
    RangeTombstones before = place.tombstones;
    place.tombstones =
        before == null
            ? RangeTombstones.of(from.key(), to, from.sequence())
            : before.with(from.key(), to, from.sequence());
    Set<byte[]> covered = new TreeSet<>(Arrays::compareUnsigned);
    for (Entry entry : all) {
      if (Arrays.compareUnsigned(entry.key(), from.key()) >= 0
          && (to == null || Arrays.compareUnsigned(entry.key(), to) < 0)
          && covered.add(entry.key())) {
        expanded.add(Entry.of(entry.key(), from.sequence(), EntryKind.DELETE, new byte[0]));
      }
    }
  }

  private static EntryIterator masked(List<DrawnPlace> newestFirst, long sequence) {
    List<EntryIterator> children = new ArrayList<>();
    List<TombstonePlace> above = new ArrayList<>();
    for (DrawnPlace place : newestFirst) {
      TombstonePlace own = place.tombstones;
      EntryIterator entries = new ListEntryIterator(place.entries);
      children.add(new MaskedIterator(entries, above, own, sequence));
      if (own != null) {
        above.add(own);
      }
    }
    return new MergingIterator(children, 0);
  }

  private static void checkIteration(
      EntryIterator source, List<Entry> entries, Shape shape, long seed) {
    checkIteration(sequence -> source, entries, shape, seed);
  }

  private static void checkIteration(
      LongFunction<EntryIterator> sourceAt, List<Entry> entries, Shape shape, long seed) {
    Random random = new Random(~seed);
    long sequence =
        random.nextBoolean() ? Trailer.MAX_SEQUENCE : random.nextInt(entries.size() + 2);
    byte[] lower = random.nextBoolean() ? null : EntryDrawing.keyNear(entries, shape, random);
    byte[] upper = random.nextBoolean() ? null : EntryDrawing.keyNear(entries, shape, random);
    NavigableMap<byte[], Entry> model = visible(entries, sequence, lower, upper);
    VisibleIterator iterator =
        new VisibleIterator(
            TestKinds.ALL, sourceAt.apply(sequence), sequence, lower, upper, new LearnedSpans());
    assertThat(iterator.valid()).isFalse();
    byte @Nullable [] at = null;
    for (int move = 0; move < 120; move++) {
      byte[] target = EntryDrawing.keyNear(entries, shape, random);
      byte @Nullable [] expected;
      boolean on;
      int choice = at == null ? 12 + random.nextInt(8) : random.nextInt(20);
      if (at != null && choice < 7) {
        expected = model.higherKey(at);
        on = iterator.next();
      } else if (at != null && choice < 14) {
        expected = model.lowerKey(at);
        on = iterator.previous();
      } else if (choice % 4 == 0) {
        expected = model.isEmpty() ? null : model.firstKey();
        on = iterator.seekToFirst();
      } else if (choice % 4 == 1) {
        expected = model.isEmpty() ? null : model.lastKey();
        on = iterator.seekToLast();
      } else if (choice % 4 == 2) {
        expected = model.ceilingKey(target);
        on = iterator.seek(target, 0, target.length);
      } else {
        expected = model.lowerKey(target);
        on = iterator.seekBefore(target, 0, target.length);
      }
      String situation = "seed " + seed + ", move " + move + ", choice " + choice;
      assertThat(on).describedAs(situation).isEqualTo(expected != null);
      assertThat(iterator.valid()).describedAs(situation).isEqualTo(expected != null);
      // Not every entry is looked at: looking can move the source.
      if (expected != null && random.nextBoolean()) {
        Entry entry = at(iterator);
        assertThat(entry).describedAs(situation).isEqualTo(model.get(expected));
        assertThat(iterator.value())
            .describedAs(situation)
            .isEqualTo(ByteBuffer.wrap(entry.value()));
      }
      at = expected;
    }
  }

  /** What a damaged page of a mapped file may look like, long after it was checked. */
  @Test
  void comesToAnEndWhateverTheOrderOfKeys() {
    for (byte[] wrong : List.of(new byte[0], new byte[] {9}, new byte[] {3, 1})) {
      for (EntryKind kind : List.of(EntryKind.PUT, EntryKind.DELETE)) {
        List<Entry> entries = new ArrayList<>();
        for (int key = 0; key < 8; key++) {
          entries.add(Entry.of(new byte[] {(byte) key}, 5, EntryKind.PUT, new byte[1]));
          for (int version = 0; key == 4 && version < 40; version++) {
            entries.add(Entry.of(wrong, 40 - version, kind, new byte[1]));
          }
        }
        for (long sequence : new long[] {1, 20, Trailer.MAX_SEQUENCE}) {
          ListEntryIterator source = new ListEntryIterator(entries);
          VisibleIterator iterator =
              new VisibleIterator(
                  EntryKinds.STANDARD, source, sequence, null, null, new LearnedSpans());
          int forward = 0;
          for (boolean on = iterator.seekToFirst(); on && forward < 1000; on = iterator.next()) {
            forward++;
          }
          int backward = 0;
          for (boolean on = iterator.seekToLast();
              on && backward < 1000;
              on = iterator.previous()) {
            backward++;
          }
          assertThat(forward).isLessThan(100);
          assertThat(backward).isLessThan(100);
          assertThat(source.steps()).isLessThan(500);
        }
      }
    }
  }

  @Test
  void goesBackForLongValuesOnlyWhenTheyAreAskedFor() {
    List<Entry> entries = new ArrayList<>();
    Random random = new Random(4);
    for (int i = 0; i < 60; i++) {
      byte[] value = new byte[VisibleIterator.MAX_SAVED_VALUE - 1 + i % 3];
      random.nextBytes(value);
      entries.add(Entry.of(new byte[] {(byte) (i / 4)}, i + 1, EntryKind.PUT, value));
    }
    entries.sort(null);
    VisibleIterator iterator =
        new VisibleIterator(
            EntryKinds.STANDARD,
            new ListEntryIterator(entries),
            Trailer.MAX_SEQUENCE,
            null,
            null,
            new LearnedSpans());
    int met = 0;
    for (boolean on = iterator.seekToLast(); on; on = iterator.previous()) {
      byte[] key = {(byte) (14 - met)};
      Entry expected = visible(entries, Trailer.MAX_SEQUENCE, null, null).get(key);
      assertThat(iterator.valueLength()).isEqualTo(expected == null ? -1 : expected.value().length);
      if (met % 2 == 0) {
        assertThat(at(iterator)).isEqualTo(expected);
        assertThat(at(iterator)).isEqualTo(expected);
      }
      met++;
    }
    assertThat(met).isEqualTo(15);
    checkIteration(new ListEntryIterator(entries), entries, Shape.TINY, 17);
  }

  /** A reader's sequence number hides what is added after it, wherever the iterator stands. */
  @Test
  void isNotDisturbedByNewerEntries() {
    for (long seed = 1; seed <= 30; seed++) {
      Random random = new Random(seed);
      Memtable memtable = new Memtable(1 << 20);
      List<Entry> entries = EntryDrawing.sortedEntries(Shape.TINY, 80, random);
      for (Entry entry : entries) {
        add(memtable, entry);
      }
      NavigableMap<byte[], Entry> model = visible(entries, 80, null, null);
      VisibleIterator iterator =
          new VisibleIterator(
              EntryKinds.STANDARD, memtable.iterator(), 80, null, null, new LearnedSpans());
      byte @Nullable [] at = null;
      for (int i = 0; i < 800; i++) {
        add(memtable, EntryDrawing.entry(Shape.TINY, 81 + i, random));
        byte @Nullable [] expected;
        if (at == null) {
          expected = model.firstKey();
          iterator.seekToFirst();
        } else if (random.nextBoolean()) {
          expected = model.higherKey(at);
          iterator.next();
        } else {
          expected = model.lowerKey(at);
          iterator.previous();
        }
        assertThat(iterator.valid())
            .describedAs("seed %d, move %d", seed, i)
            .isEqualTo(expected != null);
        if (expected != null) {
          assertThat(at(iterator))
              .describedAs("seed %d, move %d", seed, i)
              .isEqualTo(model.get(expected));
        }
        at = expected;
      }
    }
  }

  private static void add(Memtable memtable, Entry entry) {
    byte[] key = entry.key();
    byte[] value = entry.value();
    memtable.add(entry.trailer(), key, 0, key.length, value, 0, value.length);
  }

  @Test
  void closesItsSource() {
    ListEntryIterator source = new ListEntryIterator(List.of());
    new VisibleIterator(EntryKinds.STANDARD, source, 1, null, null, new LearnedSpans()).close();
    assertThat(source.isClosed()).isTrue();
  }

  /** The same entries, of which copying a value fails. */
  private static EntryIterator keysOnly(EntryIterator source) {
    return (EntryIterator)
        Proxy.newProxyInstance(
            VisibleIteratorTest.class.getClassLoader(),
            new Class<?>[] {EntryIterator.class},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isNotIn("value", "copyValue");
              return method.invoke(source, arguments);
            });
  }

  @Test
  void valuesThatNobodyAsksForAreNotCopied() {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      int bytes = VisibleIterator.MAX_SAVED_VALUE + 1;
      entries.add(Entry.of(new byte[] {(byte) i}, i + 1, EntryKind.PUT, new byte[bytes]));
    }
    try (VisibleIterator iterator =
        new VisibleIterator(
            EntryKinds.STANDARD,
            keysOnly(new ListEntryIterator(entries)),
            Trailer.MAX_SEQUENCE,
            null,
            null,
            new LearnedSpans())) {
      int keys = 0;
      for (boolean live = iterator.seekToFirst(); live; live = iterator.next()) {
        assertThat(iterator.valueLength()).isGreaterThan(VisibleIterator.MAX_SAVED_VALUE);
        keys++;
      }
      for (boolean live = iterator.seekToLast(); live; live = iterator.previous()) {
        keys++;
      }
      assertThat(keys).isEqualTo(20);
    }
  }
}
