package io.sifr.internal.memtable;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.MaskedIterator;
import io.sifr.internal.entry.Trailer;
import io.sifr.testing.Entry;
import io.sifr.testing.EntryDrawing;
import io.sifr.testing.EntryDrawing.Shape;
import io.sifr.testing.IterationCheck;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MemtableTest {
  private static final long MIB = 1 << 20;

  static void add(Memtable memtable, Entry entry) {
    byte[] key = entry.key();
    byte[] value = entry.value();
    memtable.add(entry.trailer(), key, 0, key.length, value, 0, value.length);
  }

  private static Memtable memtableOf(List<Entry> entries) {
    Memtable memtable = new Memtable(64 * MIB);
    for (Entry entry : entries) {
      add(memtable, entry);
    }
    return memtable;
  }

  private static Entry put(String key, long sequence) {
    return Entry.of(key.getBytes(US_ASCII), sequence, EntryKind.PUT, new byte[] {1, 2, 3});
  }

  @ParameterizedTest
  @EnumSource
  void behavesAsASortedSetWhileItGrows(Shape shape) {
    for (long seed = 1; seed <= 6; seed++) {
      Random random = new Random(seed);
      Memtable memtable = new Memtable(MIB);
      NavigableSet<Entry> model = new TreeSet<>();
      for (int round = 0; round < 25; round++) {
        int count = random.nextInt(round < 5 ? 4 : 150);
        for (int i = 0; i < count; i++) {
          Entry entry = EntryDrawing.entry(shape, model.size() + 1, random);
          model.add(entry);
          add(memtable, entry);
        }
        List<Entry> expected = new ArrayList<>(model);
        checkGets(memtable, model, shape, random, seed);
        assertThat(IterationCheck.forward(memtable.iterator()))
            .describedAs("seed %d", seed)
            .isEqualTo(expected);
        assertThat(IterationCheck.backward(memtable.iterator()))
            .describedAs("seed %d", seed)
            .isEqualTo(expected);
        IterationCheck.atRandom(memtable.iterator(), expected, shape, 60, seed * 100 + round);
        checkScan(memtable.scan(), expected, seed);
      }
      checkCounts(memtable, model);
    }
  }

  private static void checkScan(MemtableScan scan, List<Entry> expected, long seed) {
    assertThat(scan.size()).describedAs("seed %d", seed).isEqualTo(expected.size());
    assertThat(scan.seekToLast()).describedAs("seed %d", seed).isEqualTo(!expected.isEmpty());
    if (!expected.isEmpty()) {
      assertThat(Entry.at(scan))
          .describedAs("seed %d", seed)
          .isEqualTo(expected.get(expected.size() - 1));
      assertThat(scan.next()).describedAs("seed %d", seed).isFalse();
    }
    for (int pass = 0; pass < 2; pass++) {
      List<Entry> found = new ArrayList<>();
      for (boolean more = scan.seekToFirst(); more; more = scan.next()) {
        found.add(Entry.at(scan));
      }
      assertThat(found).describedAs("seed %d", seed).isEqualTo(expected);
    }
  }

  private static void checkGets(
      Memtable memtable, NavigableSet<Entry> model, Shape shape, Random random, long seed) {
    List<Entry> entries = new ArrayList<>(model);
    Lookup lookup = new Lookup();
    for (int i = 0; i < 60; i++) {
      byte[] key = EntryDrawing.keyNear(entries, shape, random);
      long sequence = random.nextBoolean() ? Trailer.MAX_SEQUENCE : random.nextInt(3000);
      Entry from = Entry.of(key, sequence, EntryKind.DELETE, new byte[0]);
      Entry expected = model.ceiling(from);
      boolean exists = expected != null && Arrays.equals(expected.key(), key);
      byte[] embedded = new byte[key.length + 7];
      System.arraycopy(key, 0, embedded, 5, key.length);
      assertThat(memtable.get(embedded, 5, key.length, sequence, lookup))
          .describedAs("seed %d, %s", seed, from)
          .isEqualTo(exists);
      if (expected != null && exists) {
        byte[] value = new byte[lookup.length()];
        lookup.copyTo(value, 0);
        assertThat(lookup.trailer()).describedAs("seed %d", seed).isEqualTo(expected.trailer());
        assertThat(value).describedAs("seed %d", seed).isEqualTo(expected.value());
      }
    }
  }

  private static void checkCounts(Memtable memtable, NavigableSet<Entry> model) {
    long used = 0;
    for (Entry entry : model) {
      used += Memtable.footprint(entry.key().length, entry.value().length);
    }
    assertThat(memtable.entries()).isEqualTo(model.size());
    assertThat(memtable.bytesUsed()).isEqualTo(used);
    assertThat(memtable.maxSequence()).isEqualTo(model.size());
    assertThat(memtable.isEmpty()).isFalse();
  }

  @Test
  void sortsEveryOrderOfManyKeysAndKeepsItsTreeSmall() {
    List<Entry> ascending = new ArrayList<>();
    for (int i = 0; i < 30_000; i++) {
      ascending.add(put(String.format("user%019d", i), i + 1));
    }
    List<Entry> descending = new ArrayList<>(ascending);
    Collections.reverse(descending);
    List<Entry> shuffled = new ArrayList<>(ascending);
    Collections.shuffle(shuffled, new Random(7));
    List<Entry> interleaved = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      for (int stream = 0; stream < 6; stream++) {
        interleaved.add(ascending.get(stream * 5_000 + i));
      }
    }
    checkOrder(ascending, ascending, 16);
    checkOrder(descending, ascending, 35);
    checkOrder(shuffled, ascending, 48);
    checkOrder(interleaved, ascending, 48);
  }

  private static void checkOrder(List<Entry> order, List<Entry> sorted, int treeBytesPerEntry) {
    Memtable memtable = memtableOf(order);
    assertThat(IterationCheck.forward(memtable.iterator())).isEqualTo(sorted);
    assertThat(IterationCheck.backward(memtable.iterator())).isEqualTo(sorted);
    assertThat(memtable.treeBytes()).isLessThan(treeBytesPerEntry * memtable.entries());
    Lookup lookup = new Lookup();
    for (Entry entry : order) {
      byte[] key = entry.key();
      assertThat(memtable.get(key, 0, key.length, Trailer.MAX_SEQUENCE, lookup)).isTrue();
      assertThat(lookup.trailer()).isEqualTo(entry.trailer());
    }
  }

  @Test
  void keepsItsTreeSmallWhenTheCommonPrefixShrinksWithEveryKey() {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      int length = 3_000 - i;
      byte[] key = new byte[length];
      Arrays.fill(key, (byte) 'a');
      key[length - 1] = (byte) (i % 2 == 0 ? 'b' : 'A');
      entries.add(Entry.of(key, i + 1, EntryKind.PUT, new byte[0]));
    }
    Memtable memtable = memtableOf(entries);
    assertThat(memtable.treeBytes()).isLessThan(80 * memtable.entries());
    entries.sort(null);
    assertThat(IterationCheck.forward(memtable.iterator())).isEqualTo(entries);
  }

  @Test
  void findsTheVersionOfEachSequenceNumberAmongThousandsOfOneKey() {
    List<Entry> entries = new ArrayList<>();
    for (int i = 1; i <= 5_000; i++) {
      entries.add(put("before", 3L * i));
      entries.add(put("key", 3L * i + 1));
      entries.add(put("later", 3L * i + 2));
    }
    Collections.shuffle(entries, new Random(3));
    Memtable memtable = memtableOf(entries);
    Lookup lookup = new Lookup();
    byte[] key = "key".getBytes(US_ASCII);
    assertThat(memtable.get(key, 0, 3, 3, lookup)).isFalse();
    for (int sequence = 4; sequence < 15_010; sequence++) {
      assertThat(memtable.get(key, 0, 3, sequence, lookup)).isTrue();
      long newest = Math.min(15_001, (sequence - 1) / 3 * 3 + 1);
      assertThat(Trailer.sequence(lookup.trailer())).isEqualTo(newest);
    }
  }

  @Test
  void takesEmptyAndLongestKeysAndLargeValues() {
    Random random = new Random(11);
    List<Entry> entries = new ArrayList<>();
    entries.add(Entry.of(new byte[0], 1, EntryKind.PUT, new byte[0]));
    for (int i = 0; i < 40; i++) {
      byte[] key = new byte[EntryLimits.MAX_KEY_BYTES - i % 3];
      Arrays.fill(key, (byte) 0xFF);
      key[key.length - 1 - i] = (byte) i;
      byte[] value = new byte[i % 5 == 0 ? 3_000_000 : 100_000 + i];
      random.nextBytes(value);
      entries.add(Entry.of(key, i + 2, EntryKind.PUT, value));
    }
    Memtable memtable = memtableOf(entries);
    entries.sort(null);
    assertThat(IterationCheck.forward(memtable.iterator())).isEqualTo(entries);
    Lookup lookup = new Lookup();
    assertThat(memtable.get(new byte[0], 0, 0, 1, lookup)).isTrue();
    assertThat(memtable.get(new byte[1], 0, 1, 1, lookup)).isFalse();
  }

  @Test
  void refusesWhatDoesNotFitAndChangesNothing() {
    Memtable memtable = new Memtable(3 * Memtable.footprint(3, 3));
    for (int i = 1; i <= 3; i++) {
      add(memtable, put("key", i));
    }
    assertThat(memtable.hasRoom(0)).isTrue();
    assertThat(memtable.hasRoom(1)).isFalse();
    List<Entry> before = IterationCheck.forward(memtable.iterator());
    assertThatThrownBy(() -> add(memtable, put("", 4))).isInstanceOf(IllegalStateException.class);
    assertThat(IterationCheck.forward(memtable.iterator())).isEqualTo(before).hasSize(3);
    assertThat(memtable.entries()).isEqualTo(3);
    assertThat(memtable.maxSequence()).isEqualTo(3);
    assertThat(memtable.bytesUsed()).isEqualTo(3 * Memtable.footprint(3, 3));
  }

  @Test
  void takesEverythingWhoseFootprintsFitInWhateverOrder() {
    Random random = new Random(5);
    for (long capacity : new long[] {500, 4096, 65_536, 300_000, 3 * MIB}) {
      Memtable memtable = new Memtable(capacity);
      long sequence = 0;
      while (true) {
        byte[] key = EntryDrawing.key(Shape.BINARY, random);
        byte[] value = new byte[random.nextInt(random.nextInt(10) == 0 ? 40_000 : 200)];
        if (!memtable.hasRoom(Memtable.footprint(key.length, value.length))) {
          break;
        }
        add(memtable, Entry.of(key, ++sequence, EntryKind.PUT, value));
      }
      assertThat(IterationCheck.forward(memtable.iterator())).hasSize((int) sequence).isSorted();
    }
  }

  @Test
  void refusesLengthsAndCapacitiesOutOfRange() {
    Memtable memtable = new Memtable(MIB);
    byte[] bytes = new byte[EntryLimits.MAX_KEY_BYTES + 1];
    assertThatThrownBy(() -> memtable.add(1 << 4, bytes, 0, bytes.length, bytes, 0, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("65537");
    assertThatThrownBy(() -> memtable.add(1 << 4, bytes, 0, 1, bytes, 0, (1 << 29) + 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("536870913");
    assertThatThrownBy(() -> new Memtable(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Memtable(Memtable.MAX_CAPACITY_BYTES + 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(memtable.isEmpty()).isTrue();
  }

  @Test
  void takesMemoryAsItGrowsAndGivesItBackOnce() {
    MemtableMemory memory = new MemtableMemory(64 * MIB);
    Memtable other = new Memtable(16 * MIB, memory);
    add(other, put("key", 1));
    long ofOther = memory.used();
    Memtable memtable = new Memtable(16 * MIB, memory);
    assertThat(memtable.allocatedBytes()).isZero();
    List<Entry> entries = new ArrayList<>();
    while (memtable.hasRoom(1000)) {
      Entry entry = put(String.format("%08d", entries.size()), entries.size() + 1);
      entries.add(entry);
      add(memtable, entry);
      if (entries.size() == 1) {
        assertThat(memtable.allocatedBytes()).isLessThan(3 << 10);
      } else if (entries.size() == 50) {
        assertThat(memtable.allocatedBytes()).isLessThan(10 << 10);
      }
      assertThat(memory.used()).isEqualTo(ofOther + memtable.allocatedBytes());
    }
    // At most one array of a megabyte and one chunk of nodes that are not full.
    assertThat(memtable.allocatedBytes()).isLessThan(17 * MIB + (100 << 10));
    entries.sort(null);
    assertThat(IterationCheck.forward(memtable.iterator())).isEqualTo(entries);
    assertThat(memory.isFull()).isFalse();
    memtable.awaitFlush();
    assertThat(memory.active()).isEqualTo(ofOther);
    for (int i = 0; i < 2; i++) {
      memtable.release();
      assertThat(memtable.allocatedBytes()).isZero();
      assertThat(memory.used()).isEqualTo(ofOther);
    }
    other.release();
    assertThat(memory.used()).isZero();
    assertThat(memory.active()).isZero();
  }

  /** The first nodes are copied to larger arrays; an iterator may still be in the smaller ones. */
  @Test
  void iteratorGoesOnWhileTheFirstNodesAreCopied() {
    Memtable memtable = new Memtable(MIB);
    List<EntryIterator> iterators = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      EntryIterator iterator = memtable.iterator();
      if (iterator.seekToFirst()) {
        iterators.add(iterator);
      }
      add(memtable, put(String.format("%05d", i * 7919 % 300), i + 1));
    }
    for (int i = 0; i < iterators.size(); i++) {
      EntryIterator iterator = iterators.get(i);
      int count = 0;
      String last = "";
      for (boolean on = true; on; on = iterator.next()) {
        String key =
            new String(iterator.keyArray(), iterator.keyOffset(), iterator.keyLength(), US_ASCII);
        assertThat(key).isGreaterThan(last);
        last = key;
        count += Trailer.sequence(iterator.trailer()) <= i + 1 ? 1 : 0;
      }
      // It began at the first entry of its time, before which more may have been added.
      assertThat(count).isEqualTo(i + 1);
    }
  }

  @Test
  void aRangeTombstoneIsSeenOnceItIsShown() {
    Memtable memtable = memtableOf(List.of(put("a", 1), put("b", 2), put("c", 3)));
    memtable.deleteRange(new byte[] {'b'}, new byte[] {'d'}, 4);
    add(memtable, put("c", 5));
    memtable.deleteRange(new byte[] {'e'}, null, 6);
    assertThat(memtable.rangeTombstones()).isNull();
    assertThat(found(memtable, "b", 9)).isEqualTo(Trailer.of(2, EntryKind.PUT));

    memtable.showRangeDeletes();

    assertThat(memtable.rangeTombstones()).hasToString("[\"b\", \"d\")[4] [\"e\", )[6]");
    assertThat(found(memtable, "a", 9)).isEqualTo(Trailer.of(1, EntryKind.PUT));
    assertThat(found(memtable, "b", 9)).isEqualTo(Trailer.of(4, EntryKind.DELETE));
    assertThat(found(memtable, "b", 3)).isEqualTo(Trailer.of(2, EntryKind.PUT));
    assertThat(found(memtable, "c", 9)).isEqualTo(Trailer.of(5, EntryKind.PUT));
    assertThat(found(memtable, "c", 4)).isEqualTo(Trailer.of(4, EntryKind.DELETE));
    assertThat(found(memtable, "d", 9)).isZero();
    assertThat(found(memtable, "f", 9)).isEqualTo(Trailer.of(6, EntryKind.DELETE));
    assertThat(found(memtable, "f", 5)).isZero();
    assertThat(memtable.entries()).isEqualTo(4);
    assertThat(memtable.maxSequence()).isEqualTo(6);
  }

  /** Trailer of what is found; 0 for nothing. */
  private static long found(Memtable memtable, String key, long sequence) {
    Lookup lookup = new Lookup();
    byte[] bytes = ("_" + key).getBytes(US_ASCII);
    return memtable.get(bytes, 1, key.length(), sequence, lookup) ? lookup.trailer() : 0;
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Deleted(byte[] from, byte @Nullable [] to, long sequence) {
    boolean hides(Entry entry, long reader) {
      return sequence <= reader
          && entry.sequence() < sequence
          && Arrays.compareUnsigned(from, entry.key()) <= 0
          && (to == null || Arrays.compareUnsigned(entry.key(), to) < 0);
    }
  }

  /** Those that are passed at once among them, and while more is written. */
  @ParameterizedTest
  @EnumSource
  void readersMeetWhatItsRangeTombstonesDoNotHide(Shape shape) {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 10; round++) {
      Memtable memtable = new Memtable(4 * MIB);
      List<Entry> entries = new ArrayList<>();
      List<Deleted> deleted = new ArrayList<>();
      long sequence = 0;
      for (int part = 0; part < 6; part++) {
        sequence = addSome(memtable, entries, shape, sequence, random);
        sequence = deleteSome(memtable, entries, deleted, shape, sequence, random);
        for (long reader : new long[] {sequence, 1 + random.nextLong(sequence)}) {
          List<Entry> expected =
              entries.stream()
                  .filter(entry -> entry.sequence() <= reader)
                  .filter(entry -> deleted.stream().noneMatch(each -> each.hides(entry, reader)))
                  .sorted()
                  .toList();
          assertThat(met(memtable, reader, true, () -> {})).as("seed %d", seed).isEqualTo(expected);
          List<Entry> reversed = new ArrayList<>(expected);
          Collections.reverse(reversed);
          assertThat(met(memtable, reader, false, () -> {}))
              .as("seed %d", seed)
              .isEqualTo(reversed);
          long[] last = {sequence};
          Runnable writing =
              () -> {
                last[0] = addSome(memtable, entries, shape, last[0], random);
                if (random.nextInt(4) == 0) {
                  last[0] = deleteSome(memtable, entries, deleted, shape, last[0], random);
                }
              };
          boolean isForward = random.nextBoolean();
          assertThat(met(memtable, reader, isForward, writing))
              .as("seed %d", seed)
              .isEqualTo(isForward ? expected : reversed);
          sequence = last[0];
        }
      }
    }
  }

  private static long addSome(
      Memtable memtable, List<Entry> entries, Shape shape, long sequence, Random random) {
    int count = random.nextInt(random.nextInt(3) == 0 ? 3 : 300);
    for (int i = 1; i <= count; i++) {
      Entry entry = EntryDrawing.entry(shape, sequence + i, random);
      entries.add(entry);
      add(memtable, entry);
    }
    return sequence + count;
  }

  private static long deleteSome(
      Memtable memtable,
      List<Entry> entries,
      List<Deleted> deleted,
      Shape shape,
      long sequence,
      Random random) {
    byte[] a = EntryDrawing.keyNear(entries, shape, random);
    byte @Nullable [] b =
        random.nextInt(4) == 0 ? null : EntryDrawing.keyNear(entries, shape, random);
    int order = b == null ? -1 : Arrays.compareUnsigned(a, b);
    if (order == 0) {
      b = null;
    }
    byte[] from = b != null && order > 0 ? b : a;
    byte @Nullable [] to = b != null && order > 0 ? a : b;
    memtable.deleteRange(from, to, sequence + 1);
    memtable.showRangeDeletes();
    deleted.add(new Deleted(from, to, sequence + 1));
    return sequence + 1;
  }

  /** What a reader meets; in the middle of it something else is done. */
  private static List<Entry> met(
      Memtable memtable, long reader, boolean isForward, Runnable meanwhile) {
    List<Entry> met = new ArrayList<>();
    int steps = 0;
    try (EntryIterator masked =
        new MaskedIterator(memtable.iterator(), List.of(), memtable.tombstonePlace(), reader)) {
      boolean on = isForward ? masked.seekToFirst() : masked.seekToLast();
      while (on) {
        Entry entry = Entry.at(masked);
        if (entry.sequence() <= reader) {
          met.add(entry);
        }
        if (steps < 150 && steps++ % 50 == 1) {
          meanwhile.run();
        }
        on = isForward ? masked.next() : masked.previous();
      }
    }
    return met;
  }

  @Test
  void oneWithRangeTombstonesAloneIsNotEmpty() {
    Memtable memtable = new Memtable(MIB);
    memtable.showRangeDeletes();
    assertThat(memtable.isEmpty()).isTrue();
    memtable.deleteRange(new byte[0], null, 7);
    memtable.showRangeDeletes();
    assertThat(memtable.isEmpty()).isFalse();
    assertThat(memtable.entries()).isZero();
    assertThat(memtable.maxSequence()).isEqualTo(7);
  }

  @Test
  void rangeTombstonesTakeMemoryAndFillIt() {
    MemtableMemory memory = new MemtableMemory(64 * MIB);
    Memtable memtable = new Memtable(8 * MIB, memory);
    long sequence = 0;
    while (memtable.hasRoom(100)) {
      byte[] from = String.format("key%06d", sequence).getBytes(US_ASCII);
      byte[] to = Arrays.copyOf(from, from.length + 1);
      long before = memtable.bytesUsed();
      memtable.deleteRange(from, to, ++sequence);
      memtable.showRangeDeletes();
      assertThat(memtable.bytesUsed() - before).isPositive();
      assertThat(memtable.bytesUsed() - before)
          .isLessThanOrEqualTo(Memtable.rangeFootprint(from, to));
    }
    // A megabyte is enough, as each takes time in proportion to those that are there.
    long bytes = Objects.requireNonNull(memtable.rangeTombstones()).bytes();
    assertThat(bytes).isBetween(MIB, MIB + 200);
    assertThat(sequence).isBetween(5_000L, 20_000L);
    assertThat(memory.used()).isEqualTo(bytes);
    add(memtable, put("a", ++sequence)); // of the same batch
    assertThat(memory.used()).isEqualTo(memtable.allocatedBytes()).isGreaterThan(MIB + 200);
    memtable.release();
    assertThat(memory.used()).isZero();
  }

  @Test
  void aMemtableWithoutEntriesHasNoneToShow() {
    Memtable memtable = new Memtable(MIB);
    Lookup lookup = new Lookup();
    try (EntryIterator iterator = memtable.iterator()) {
      byte[] key = {1};
      assertThat(iterator.valid()).isFalse();
      assertThat(iterator.seekToFirst()).isFalse();
      assertThat(iterator.seekToLast()).isFalse();
      assertThat(iterator.seek(key, 0, 1, Long.MAX_VALUE)).isFalse();
      assertThat(iterator.seekBefore(key, 0, 1)).isFalse();
      assertThat(memtable.get(key, 0, 1, Trailer.MAX_SEQUENCE, lookup)).isFalse();
      add(memtable, put("a", 1));
      assertThat(iterator.seekToLast()).isTrue();
    }
  }
}
