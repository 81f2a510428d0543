package io.sifr.internal.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.testing.Entry;
import io.sifr.testing.TestKinds;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class VersionFilterTest {
  private static final int SEQUENCES = 5;
  private static final List<EntryKind> KINDS =
      List.of(EntryKind.PUT, EntryKind.DELETE, TestKinds.APPEND);
  private static final byte[] KEY = {1};
  private static final Entry OLDER_PLACE = Entry.of(KEY, 0, EntryKind.PUT, new byte[] {99});

  /**
   * All sets of versions with sequence numbers 1 to 5, all snapshots from 0 to 5, the key in an
   * older place or not: every reader finds after filtering what it found before, and nothing is
   * kept that need not be.
   */
  @Test
  void changesNothingForAnyReaderAndKeepsNoMore() {
    for (int versions = 0; versions < Math.pow(1 + KINDS.size(), SEQUENCES); versions++) {
      List<Entry> entries = entries(versions);
      for (int bits = 0; bits < 1 << (SEQUENCES + 1); bits++) {
        long[] snapshots = snapshots(bits);
        for (boolean inOlderPlace : new boolean[] {false, true}) {
          List<Entry> kept = filtered(entries, snapshots, inOlderPlace);
          check(entries, snapshots, inOlderPlace, kept);
        }
      }
    }
  }

  /** Newest first. Base-four digits: no version with that sequence number, or one of that kind. */
  private static List<Entry> entries(int versions) {
    List<Entry> entries = new ArrayList<>();
    int rest = versions;
    for (int sequence = SEQUENCES; sequence > 0; sequence--) {
      int digit = rest % (1 + KINDS.size());
      if (digit != 0) {
        EntryKind kind = KINDS.get(digit - 1);
        entries.add(Entry.of(KEY, sequence, kind, new byte[] {(byte) sequence}));
      }
      rest /= 1 + KINDS.size();
    }
    return entries;
  }

  private static long[] snapshots(int bits) {
    return LongStream.rangeClosed(0, SEQUENCES).filter(s -> (bits >> s & 1) != 0).toArray();
  }

  private static List<Entry> filtered(List<Entry> entries, long[] snapshots, boolean inOlderPlace) {
    VersionFilter filter =
        new VersionFilter(TestKinds.ALL, snapshots, (key, offset, length) -> inOlderPlace, null);
    return entries.stream().filter(entry -> keep(filter, entry)).toList();
  }

  private static boolean keep(VersionFilter filter, Entry entry) {
    return filter.keep(entry.key(), 0, entry.key().length, entry.trailer());
  }

  private static void check(
      List<Entry> entries, long[] snapshots, boolean inOlderPlace, List<Entry> kept) {
    String situation =
        entries + ", snapshots " + LongStream.of(snapshots).boxed().toList() + ", " + inOlderPlace;
    List<Long> readers = new ArrayList<>(LongStream.of(snapshots).boxed().toList());
    readers.add(Trailer.MAX_SEQUENCE);
    for (long reader : readers) {
      assertThat(found(kept, reader, inOlderPlace))
          .describedAs("%s at %d", situation, reader)
          .isEqualTo(found(entries, reader, inOlderPlace));
    }
    long hidden = Trailer.MAX_SEQUENCE + 1;
    for (Entry entry : entries) {
      long hiddenFrom = hidden;
      boolean seen = readers.stream().anyMatch(s -> entry.sequence() <= s && s < hiddenFrom);
      hidden = Resolution.settles(TestKinds.ALL, entry.trailer()) ? entry.sequence() : hidden;
      boolean deletesNothing =
          entry.isTombstone() && !inOlderPlace && readers.get(0) >= entry.sequence();
      assertThat(kept.contains(entry))
          .describedAs("%s: %s", situation, entry)
          .isEqualTo(seen && !deletesNothing);
    }
  }

  /** What the key comes to for a reader. */
  private static byte @Nullable [] found(List<Entry> entries, long reader, boolean inOlderPlace) {
    Resolution resolution = new Resolution(TestKinds.ALL, new byte[1], 0, 1);
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

  @Test
  void decidesEveryKeyForItself() {
    VersionFilter filter =
        new VersionFilter(
            EntryKinds.STANDARD, new long[] {4}, (key, offset, length) -> key[offset] == 2, null);
    assertThat(keep(filter, put(new byte[0], 9))).isTrue();
    assertThat(keep(filter, put(new byte[0], 4))).isTrue();
    assertThat(keep(filter, put(new byte[0], 3))).isFalse();
    assertThat(keep(filter, put(new byte[] {0}, 3))).isTrue();
    assertThat(keep(filter, put(new byte[] {0}, 2))).isFalse();
    assertThat(keep(filter, Entry.of(new byte[] {1}, 4, EntryKind.DELETE, KEY))).isFalse();
    assertThat(keep(filter, Entry.of(new byte[] {2}, 4, EntryKind.DELETE, KEY))).isTrue();
    assertThat(keep(filter, Entry.of(new byte[] {3}, 5, EntryKind.DELETE, KEY))).isTrue();
  }

  @Test
  void asksAboutTombstonesOnlyAndAtMostOncePerKey() {
    List<Integer> asked = new ArrayList<>();
    VersionFilter filter =
        new VersionFilter(
            EntryKinds.STANDARD,
            new long[] {7, 9},
            (key, offset, length) -> {
              asked.add((int) key[offset]);
              return true;
            },
            null);
    for (byte key = 1; key <= 3; key++) {
      for (int sequence = 12; sequence > 0; sequence--) {
        EntryKind kind = key == 2 ? EntryKind.DELETE : EntryKind.PUT;
        Entry entry = Entry.of(new byte[] {key}, sequence, kind, KEY);
        assertThat(keep(filter, entry)).isEqualTo(sequence == 12 || sequence == 9 || sequence == 7);
      }
    }
    assertThat(asked).containsExactly(2);
  }

  /** A version goes with a range tombstone over it as with a newer version. */
  @Test
  void rangeTombstonesHideOlderVersions() {
    RangeTombstones ranges = RangeTombstones.of(new byte[] {2}, new byte[] {4}, 7);
    for (long[] snapshots : List.of(new long[] {}, new long[] {4}, new long[] {7})) {
      VersionFilter filter =
          new VersionFilter(EntryKinds.STANDARD, snapshots, (key, offset, length) -> true, ranges);
      for (byte key = 1; key <= 4; key++) {
        boolean isCovered = key == 2 || key == 3;
        assertThat(keep(filter, put(new byte[] {key}, 8))).isTrue();
        assertThat(keep(filter, put(new byte[] {key}, 6)))
            .isEqualTo(snapshots.length > 0 && snapshots[0] == 7 && !isCovered);
        assertThat(keep(filter, put(new byte[] {key}, 5))).isFalse();
        assertThat(keep(filter, put(new byte[] {key}, 4)))
            .isEqualTo(snapshots.length > 0 && snapshots[0] == 4);
      }
    }
    VersionFilter unseen =
        new VersionFilter(EntryKinds.STANDARD, new long[0], (key, offset, length) -> true, ranges);
    assertThat(keep(unseen, put(new byte[] {1}, 6))).isTrue();
    assertThat(keep(unseen, put(new byte[] {2}, 6))).isFalse();
    assertThat(keep(unseen, put(new byte[] {3}, 8))).isTrue();
    assertThat(keep(unseen, put(new byte[] {4}, 6))).isTrue();
  }

  @Test
  void refusesSnapshotsOutOfOrder() {
    assertThatThrownBy(
            () ->
                new VersionFilter(
                    EntryKinds.STANDARD, new long[] {3, 2}, (key, offset, length) -> true, null))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static Entry put(byte[] key, long sequence) {
    return Entry.of(key, sequence, EntryKind.PUT, KEY);
  }
}
