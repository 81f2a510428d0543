package io.sifr.internal.entry;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.SifrException;
import io.sifr.internal.entry.range.KeyStretch;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.memtable.Memtable;
import io.sifr.testing.Entry;
import io.sifr.testing.ListEntryIterator;
import io.sifr.testing.Padded;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** That it hides the right entries is tested with {@link VisibleIteratorTest}. */
class MaskedIteratorTest {
  private static final int KEYS = 100_000;

  private static byte[] key(int number) {
    return ("key" + Padded.number(number, 7)).getBytes(US_ASCII);
  }

  /** An iterator that counts what it is asked to do. */
  private static EntryIterator counted(EntryIterator source, Map<String, Integer> calls) {
    return (EntryIterator)
        Proxy.newProxyInstance(
            EntryIterator.class.getClassLoader(),
            new Class<?>[] {EntryIterator.class},
            (proxy, method, arguments) -> {
              calls.merge(method.getName(), 1, Integer::sum);
              return method.invoke(source, arguments);
            });
  }

  @Test
  void aDeletedRangeOfManyKeysIsPassedInASeek() {
    Memtable old = new Memtable(64 << 20);
    for (int i = 0; i < KEYS; i++) {
      byte[] key = key(i);
      old.add(Trailer.of(i + 1, EntryKind.PUT), key, 0, key.length, key, 0, 0);
    }
    RangeTombstones hole =
        RangeTombstones.of(key(10), key(KEYS / 2), KEYS + 1)
            .with(key(KEYS / 2), key(KEYS - 10), KEYS + 2); // a second part of it
    Map<String, Integer> calls = new TreeMap<>();
    EntryIterator masked =
        new MaskedIterator(
            counted(old.iterator(), calls), List.of(hole), null, Trailer.MAX_SEQUENCE);

    List<Integer> met = new ArrayList<>();
    for (boolean on = masked.seekToFirst(); on; on = masked.next()) {
      met.add((int) Trailer.sequence(masked.trailer()) - 1);
    }
    assertThat(met).hasSize(20).contains(0, 9, KEYS - 10, KEYS - 1);
    assertThat(calls.get("next")).isLessThan(40);
    assertThat(calls.get("seek")).isEqualTo(1);

    int back = 0;
    for (boolean on = masked.seekToLast(); on; on = masked.previous()) {
      back++;
    }
    assertThat(back).isEqualTo(20);
    assertThat(calls.get("previous")).isLessThan(40);
    assertThat(calls.get("seekBefore")).isEqualTo(1);
  }

  /** Of its own place only what is newer than the tombstone is met. */
  @Test
  void whatItsOwnPlaceHasDeletedIsPassedInAFewSeeks() {
    Memtable memtable = new Memtable(64 << 20);
    long sequence = 0;
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < KEYS; i++) {
        byte[] key = key(i);
        memtable.add(Trailer.of(++sequence, EntryKind.PUT), key, 0, key.length, key, 0, 0);
      }
      memtable.deleteRange(key(10), key(KEYS - 10), ++sequence);
      memtable.showRangeDeletes();
    }
    for (int i = KEYS / 4; i < KEYS; i += KEYS / 4) {
      byte[] key = key(i);
      memtable.add(Trailer.of(++sequence, EntryKind.PUT), key, 0, key.length, key, 0, 0);
    }
    Map<String, Integer> calls = new TreeMap<>();
    EntryIterator masked =
        new MaskedIterator(
            counted(memtable.iterator(), calls), List.of(), memtable.tombstonePlace(), sequence);

    List<Long> met = new ArrayList<>();
    for (boolean on = masked.seekToFirst(); on; on = masked.next()) {
      met.add(Trailer.sequence(masked.trailer()));
    }
    assertThat(met).hasSize(2 * 20 + 3).contains(sequence - 2, sequence - 1, sequence);
    assertThat(moves(calls)).isLessThan(200);

    calls.clear();
    int back = 0;
    for (boolean on = masked.seekToLast(); on; on = masked.previous()) {
      back++;
    }
    assertThat(back).isEqualTo(2 * 20 + 3);
    assertThat(moves(calls)).isLessThan(200);
  }

  private static int moves(Map<String, Integer> calls) {
    return calls.entrySet().stream()
        .filter(of -> of.getKey().startsWith("next") || of.getKey().startsWith("prev"))
        .mapToInt(Map.Entry::getValue)
        .sum();
  }

  private static final class Unreadable extends SifrException {
    private static final long serialVersionUID = 1L;

    Unreadable() {
      super("unreadable", null);
    }
  }

  /** The tombstones of a place cannot be read for keys from 5 on and before 7. */
  private static long readable(
      byte[] key, int offset, int length, long atMost, boolean exactly, KeyStretch around) {
    int order = key[offset];
    if (order < 5) {
      around.before(new byte[] {5});
      return 0;
    }
    around.notBefore(new byte[] {5});
    if (order < 7) {
      around.before(new byte[] {7});
      throw new Unreadable();
    }
    around.notBefore(new byte[] {7});
    return 0;
  }

  @Test
  void whereTombstonesCannotBeReadItSaysSoWhenItsEntryIsAccessed() {
    List<Entry> entries = new ArrayList<>();
    for (byte i = 0; i < 10; i++) {
      entries.add(Entry.of(new byte[] {i}, 1, EntryKind.PUT, new byte[0]));
    }
    EntryIterator masked =
        new MaskedIterator(
            new ListEntryIterator(entries),
            List.of(MaskedIteratorTest::readable),
            null,
            Trailer.MAX_SEQUENCE);

    assertThat(masked.seek(new byte[] {4}, 0, 1, Trailer.seek(9))).isTrue();
    assertThat(masked.trailer()).isPositive();
    assertThat(masked.next()).isTrue();
    assertThat(masked.keyArray()[masked.keyOffset()]).isEqualTo((byte) 5);
    assertThatThrownBy(masked::trailer).isInstanceOf(Unreadable.class);
    assertThat(masked.next()).isTrue();
    assertThatThrownBy(masked::trailer).isInstanceOf(Unreadable.class);
    assertThat(masked.next()).isTrue();
    assertThat(masked.trailer()).isPositive();
    assertThat(masked.previous()).isTrue();
    assertThatThrownBy(masked::trailer).isInstanceOf(Unreadable.class);
  }

  /** An entry of its own place that cannot be accessed is hidden by a place above all the same. */
  @Test
  void whatIsCoveredIsNotAccessed() {
    EntryIterator unusable =
        new ListEntryIterator(
            List.of(
                Entry.of(new byte[] {1}, 1, EntryKind.PUT, new byte[0]),
                Entry.of(new byte[] {2}, 1, EntryKind.PUT, new byte[0])));
    Map<String, Integer> calls = new TreeMap<>();
    RangeTombstones all = RangeTombstones.of(new byte[0], null, 5);

    EntryIterator masked = new MaskedIterator(counted(unusable, calls), List.of(all), null, 9);

    assertThat(masked.seekToFirst()).isFalse();
    assertThat(masked.valid()).isFalse();
    assertThat(calls).doesNotContainKey("trailer");
    assertThat(Arrays.asList(masked.seekToLast(), masked.valid())).containsOnly(false);
  }
}
