package io.sifr.internal.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.entry.EntryKinds.MergeKind;
import io.sifr.internal.entry.Resolution.Operands;
import io.sifr.spi.MergeOperator;
import io.sifr.testing.Entry;
import io.sifr.testing.ListEntryIterator;
import io.sifr.testing.TestOperators;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JoinedVersionsTest {
  private static final int SEQUENCES = 5;
  private static final byte[] KEY = {1};
  private static final Entry OLDER_PLACE = Entry.of(KEY, 0, EntryKind.PUT, new byte[] {99});
  private static final long[] NO_SNAPSHOTS = {};

  private static EntryKinds kinds(MergeOperator operator) {
    return EntryKinds.STANDARD.with(new MergeKind("some", operator.name(), operator));
  }

  private static final EntryKinds JOINING = kinds(TestOperators.CHAIN);
  private static final EntryKind MERGE = JOINING.merge();

  /**
   * All sets of versions with sequence numbers 1 to 5, all snapshots, the key in an older place or
   * not, operands that can be joined and others: every reader finds afterwards what it found
   * before.
   */
  @Test
  void changesNothingForAnyReader() {
    List<EntryKind> all = List.of(EntryKind.PUT, EntryKind.DELETE, MERGE);
    for (int versions = 0; versions < Math.pow(1 + all.size(), SEQUENCES); versions++) {
      List<Entry> entries = new ArrayList<>();
      int rest = versions;
      for (int sequence = SEQUENCES; sequence > 0; sequence--) {
        int digit = rest % (1 + all.size());
        if (digit != 0) {
          entries.add(Entry.of(KEY, sequence, all.get(digit - 1), new byte[] {(byte) sequence}));
        }
        rest /= 1 + all.size();
      }
      for (int bits = 0; bits < 1 << (SEQUENCES + 1); bits++) {
        int set = bits;
        long[] snapshots =
            LongStream.rangeClosed(0, SEQUENCES).filter(s -> (set >> s & 1) != 0).toArray();
        for (boolean inOlderPlace : new boolean[] {false, true}) {
          check(JOINING, entries, snapshots, inOlderPlace);
          check(kinds(TestOperators.CHAIN_ONE_BY_ONE), entries, snapshots, inOlderPlace);
        }
      }
    }
  }

  private static void check(
      EntryKinds kinds, List<Entry> entries, long[] snapshots, boolean inOlderPlace) {
    List<Entry> written = written(kinds, entries, snapshots, inOlderPlace);
    List<Long> readers = new ArrayList<>(LongStream.of(snapshots).boxed().toList());
    readers.add(Trailer.MAX_SEQUENCE);
    for (long reader : readers) {
      assertThat(found(kinds, written, reader, inOlderPlace))
          .as("%s at %s of %s, %s", entries, reader, Arrays.toString(snapshots), inOlderPlace)
          .isEqualTo(found(kinds, entries, reader, inOlderPlace));
    }
  }

  private static List<Entry> written(
      EntryKinds kinds, List<Entry> entries, long[] snapshots, boolean inOlderPlace) {
    List<Entry> written = new ArrayList<>();
    OlderSources older = (key, offset, length) -> inOlderPlace;
    VersionFilter filter = new VersionFilter(kinds, snapshots, older, null);
    JoinedVersions joined =
        new JoinedVersions(kinds, snapshots, older, entry -> written.add(Entry.at(entry)));
    int given = 0;
    ListEntryIterator iterator = new ListEntryIterator(entries);
    for (boolean more = iterator.seekToFirst(); more; more = iterator.next()) {
      boolean keep =
          filter.keep(
              iterator.keyArray(), iterator.keyOffset(), iterator.keyLength(), iterator.trailer());
      if (filter.isFirstOfKey()) {
        joined.endKey();
      }
      if (keep) {
        joined.add(iterator, iterator.trailer());
        given++;
      }
    }
    joined.endKey();
    assertThat(joined.takeAbsorbed()).isEqualTo(given - written.size());
    assertThat(written).isSorted();
    return written;
  }

  private static byte @Nullable [] found(
      EntryKinds kinds, List<Entry> entries, long reader, boolean inOlderPlace) {
    Resolution resolution = new Resolution(kinds, KEY, 0, 1);
    boolean more = true;
    for (Entry entry : entries) {
      if (more && entry.sequence() <= reader) {
        more = resolution.add(entry.trailer(), entry.value());
      }
    }
    if (more && inOlderPlace) {
      resolution.add(OLDER_PLACE.trailer(), OLDER_PLACE.value());
    }
    return resolution.value();
  }

  private static Entry operand(int sequence) {
    return Entry.of(KEY, sequence, MERGE, new byte[] {(byte) sequence});
  }

  @Test
  void operandsWithNothingBelowThemBecomeAPut() {
    assertThat(written(JOINING, List.of(operand(3), operand(2)), NO_SNAPSHOTS, false))
        .containsExactly(Entry.of(KEY, 3, EntryKind.PUT, new byte[] {2, 3}));
  }

  @Test
  void withSomethingBelowThemTheyBecomeOneOperand() {
    assertThat(written(JOINING, List.of(operand(3), operand(2)), NO_SNAPSHOTS, true))
        .containsExactly(Entry.of(KEY, 3, MERGE, new byte[] {2, 3}));
  }

  @Test
  void withASnapshotBetweenThemTheyStayApart() {
    List<Entry> four = List.of(operand(4), operand(3), operand(2), operand(1));
    assertThat(written(JOINING, four, new long[] {2}, true))
        .containsExactly(
            Entry.of(KEY, 4, MERGE, new byte[] {3, 4}), Entry.of(KEY, 2, MERGE, new byte[] {1, 2}));
  }

  @Test
  void withoutAnOperatorNothingIsJoinedAndNothingLost() {
    EntryKinds missing = EntryKinds.STANDARD.with(new MergeKind("some", "missing", null));
    Entry put = Entry.of(KEY, 1, EntryKind.PUT, new byte[] {1});
    List<Entry> all = List.of(operand(3), operand(2), put);
    assertThat(written(missing, all, NO_SNAPSHOTS, false)).isEqualTo(all);
    assertThat(written(missing, all.subList(0, 2), NO_SNAPSHOTS, true))
        .isEqualTo(all.subList(0, 2));
  }

  @Test
  void whenTheOperatorFailsTheyStayAsTheyAre() {
    TestOperators.Failing failing = new TestOperators.Failing();
    Entry put = Entry.of(KEY, 1, EntryKind.PUT, new byte[] {1});
    List<Entry> all = List.of(operand(3), operand(2), put);
    failing.fails = true;
    assertThat(written(kinds(failing), all, NO_SNAPSHOTS, false)).isEqualTo(all);
    failing.fails = false;
    assertThat(written(kinds(failing), all, NO_SNAPSHOTS, false))
        .containsExactly(Entry.of(KEY, 3, EntryKind.PUT, new byte[] {1, 2, 3}));
  }

  /** Each operand is copied some twenty times at most, not once for each that follows. */
  @Test
  void manyAreJoinedInPairsOfOneSize() {
    int count = 1 << 12;
    Counting counting = new Counting();
    List<Entry> all = new ArrayList<>();
    Random random = new Random(1);
    for (int i = count; i > 0; i--) {
      byte[] value = new byte[100];
      random.nextBytes(value);
      all.add(Entry.of(KEY, i, MERGE, value));
    }
    List<Entry> written = written(kinds(counting), all, NO_SNAPSHOTS, true);
    assertThat(written).hasSize(1);
    assertThat(counting.bytes).isLessThan(20L * 100 * count);
    Operands operands = new Operands();
    EntryKind kind = kinds(TestOperators.CHAIN).merge();
    for (Entry entry : all.subList(1, count)) {
      operands.add(KEY, kind, entry.trailer(), entry.value());
    }
    assertThat(operands.all()).hasSize(12);
  }

  private static final class Counting implements MergeOperator {
    private long bytes;

    @Override
    public String name() {
      return "counting";
    }

    @Override
    public byte[] merge(byte[] key, byte @Nullable [] existing, byte[] operand) {
      return combine(key, existing == null ? new byte[0] : existing, operand);
    }

    @Override
    public byte[] combine(byte[] key, byte[] older, byte[] newer) {
      byte[] both = Arrays.copyOf(older, older.length + newer.length);
      System.arraycopy(newer, 0, both, older.length, newer.length);
      bytes += both.length;
      return both;
    }
  }
}
