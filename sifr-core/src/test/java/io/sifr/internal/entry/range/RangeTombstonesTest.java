package io.sifr.internal.entry.range;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.RangeTombstones.Fragment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RangeTombstonesTest {
  private static final long NEWEST = Trailer.MAX_SEQUENCE;

  private static byte[] key(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static RangeTombstones of(String from, @Nullable String to, long sequence) {
    return RangeTombstones.of(key(from), to == null ? null : key(to), sequence);
  }

  private static RangeTombstones with(
      RangeTombstones before, String from, @Nullable String to, long sequence) {
    return before.with(key(from), to == null ? null : key(to), sequence);
  }

  private static long covering(RangeTombstones tombstones, byte[] key, long atMost) {
    byte[] array = new byte[key.length + 9]; // the key is a part of an array
    Arrays.fill(array, (byte) 7);
    System.arraycopy(key, 0, array, 3, key.length);
    return tombstones.newestCovering(array, 3, key.length, atMost);
  }

  @Test
  void aTombstoneCoversItsFirstKeyAndNotItsEnd() {
    RangeTombstones one = of("b", "d", 5);

    assertThat(covering(one, key("az"), NEWEST)).isZero();
    assertThat(covering(one, key("b"), NEWEST)).isEqualTo(5);
    assertThat(covering(one, key("czzzzzzzzzzzzzzzzz"), NEWEST)).isEqualTo(5);
    assertThat(covering(one, key("d"), NEWEST)).isZero();
    assertThat(one.first()).isEqualTo(key("b"));
    assertThat(one.end()).isEqualTo(key("d"));
  }

  @Test
  void oneWithoutAnEndCoversEverythingAfterIt() {
    RangeTombstones one = of("", null, 5);

    assertThat(covering(one, key(""), NEWEST)).isEqualTo(5);
    assertThat(covering(one, new byte[] {-1, -1}, NEWEST)).isEqualTo(5);
    assertThat(one.end()).isNull();
  }

  @Test
  void aReaderSeesNoneThatIsNewerThanIt() {
    RangeTombstones two = with(of("a", "m", 5), "c", "z", 9);

    assertThat(covering(two, key("d"), 9)).isEqualTo(9);
    assertThat(covering(two, key("d"), 8)).isEqualTo(5);
    assertThat(covering(two, key("d"), 4)).isZero();
    assertThat(covering(two, key("n"), 8)).isZero();
  }

  @Test
  void overlappingOnesAreCutAtEachOthersEnds() {
    RangeTombstones three = with(with(of("b", "f", 1), "d", null, 2), "a", "d", 3);

    assertThat(three)
        .hasToString("[\"a\", \"b\")[3] [\"b\", \"d\")[3, 1] [\"d\", \"f\")[2, 1] [\"f\", )[2]");
  }

  @Test
  void oneThatWasCutIsWholeAgainWhenItsPartsAreMerged() {
    RangeTombstones whole = with(of("a", "f", 1), "c", null, 2);
    RangeTombstones left = whole.clipped(null, key("d"));
    RangeTombstones right = whole.clipped(key("d"), null);

    assertThat(left).hasToString("[\"a\", \"c\")[1] [\"c\", \"d\")[2, 1]");
    assertThat(right).hasToString("[\"d\", \"f\")[2, 1] [\"f\", )[2]");
    assertThat(RangeTombstones.merged(List.of(right, left))).hasToString(whole.toString());
    assertThat(RangeTombstones.merged(List.of())).isNull();
  }

  @Test
  void whatLiesOutsideIsClippedAway() {
    RangeTombstones two = with(of("b", "c", 1), "m", "p", 2);

    assertThat(two.clipped(key("c"), key("m"))).isNull();
    assertThat(two.clipped(null, key("b"))).isNull();
    assertThat(two.clipped(key("p"), null)).isNull();
    assertThat(two.clipped(key("n"), key("n"))).isNull();
    assertThat(two.clipped(key("a"), key("z"))).isSameAs(two);
    assertThat(of("b", null, 1).clipped(null, key("x"))).hasToString("[\"b\", \"x\")[1]");
  }

  @Test
  void whatIsNotInOrderIsRefused() {
    RangeTombstones one = of("b", "d", 5);

    assertThatThrownBy(() -> of("b", "b", 1)).hasMessage("no key from \"b\" to \"b\"");
    assertThatThrownBy(() -> with(one, "x", "a", 6)).hasMessage("no key from \"x\" to \"a\"");
    assertThatThrownBy(() -> of("b", "d", 0)).hasMessageContaining("[0]");
    assertThatThrownBy(() -> RangeTombstones.of(List.of())).hasMessage("no fragment");
    assertThatThrownBy(() -> fragments(2, 3)).hasMessageContaining("[2, 3]");
    assertThatThrownBy(() -> fragments()).hasMessageContaining("without");
    List<Fragment> overlapping =
        List.of(
            new Fragment(key("a"), key("c"), new long[] {1}),
            new Fragment(key("b"), key("d"), new long[] {1}));
    assertThatThrownBy(() -> RangeTombstones.of(overlapping)).hasMessageContaining("\"b\"");
    List<Fragment> afterTheEnd =
        List.of(
            new Fragment(key("a"), null, new long[] {1}),
            new Fragment(key("b"), key("d"), new long[] {1}));
    assertThatThrownBy(() -> RangeTombstones.of(afterTheEnd)).hasMessageContaining("overlaps");
  }

  private static RangeTombstones fragments(long... sequences) {
    return RangeTombstones.of(List.of(new Fragment(key("a"), null, sequences)));
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Tombstone(byte[] from, byte @Nullable [] to, long sequence) {
    boolean covers(byte[] key) {
      return Arrays.compareUnsigned(from, key) <= 0
          && (to == null || Arrays.compareUnsigned(key, to) < 0);
    }
  }

  /** Whatever is added, clipped and merged, and read again from its fragments: as a list has it. */
  @Test
  void saysWhatAListOfTombstonesSays() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      String where = "seed " + seed + " round " + round;
      int alphabet = 1 + random.nextInt(4);
      List<Tombstone> list = new ArrayList<>();
      List<RangeTombstones> places = new ArrayList<>();
      for (int i = 1 + random.nextInt(4); i > 0; i--) {
        List<Tombstone> of = new ArrayList<>();
        RangeTombstones place = place(1 + random.nextInt(12), alphabet, list, of, random);
        check(where, place, of, alphabet, random);
        places.add(place);
      }
      RangeTombstones all = RangeTombstones.merged(places);
      assertThat(all).as(where).isNotNull();
      check(where, all, list, alphabet, random);
      assertThat(RangeTombstones.of(all.fragments())).as(where).hasToString(all.toString());
      assertThat(RangeTombstones.of(all.fragments()).bytes()).as(where).isEqualTo(all.bytes());

      byte[] cut = drawnKey(alphabet, random);
      List<RangeTombstones> parts = new ArrayList<>();
      addIfAny(parts, all.clipped(null, cut));
      addIfAny(parts, all.clipped(cut, null));
      assertThat(RangeTombstones.merged(parts)).as(where).hasToString(all.toString());
      byte[] to = drawnKey(alphabet, random);
      List<Tombstone> within = new ArrayList<>();
      for (Tombstone tombstone : list) {
        byte[] from = largest(tombstone.from, cut);
        byte[] end =
            tombstone.to == null || Arrays.compareUnsigned(to, tombstone.to) < 0
                ? to
                : tombstone.to;
        if (Arrays.compareUnsigned(from, end) < 0) {
          within.add(new Tombstone(from, end, tombstone.sequence));
        }
      }
      check(where, all.clipped(cut, to), within, alphabet, random);
    }
  }

  private static void addIfAny(List<RangeTombstones> to, @Nullable RangeTombstones some) {
    if (some != null) {
      to.add(some);
    }
  }

  private static byte[] largest(byte[] a, byte[] b) {
    return Arrays.compareUnsigned(a, b) > 0 ? a : b;
  }

  private static RangeTombstones place(
      int count, int alphabet, List<Tombstone> list, List<Tombstone> of, Random random) {
    RangeTombstones place = null;
    while (of.size() < count) {
      byte[] from = drawnKey(alphabet, random);
      byte[] to = random.nextInt(6) == 0 ? null : drawnKey(alphabet, random);
      if (to == null || Arrays.compareUnsigned(from, to) < 0) {
        long sequence = list.size() + 1L;
        place =
            place == null ? RangeTombstones.of(from, to, sequence) : place.with(from, to, sequence);
        list.add(new Tombstone(from, to, sequence));
        of.add(new Tombstone(from, to, sequence));
      }
    }
    assertThat(place).isNotNull();
    return place;
  }

  /** Short keys, of bytes that may be negative, many of them with a long prefix in common. */
  private static byte[] drawnKey(int alphabet, Random random) {
    int prefix = random.nextInt(3) == 0 ? 10 : 0;
    byte[] key = new byte[prefix + random.nextInt(4)];
    for (int i = prefix; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(alphabet) - 1);
    }
    return key;
  }

  private static long oldestHiding(List<Tombstone> list, byte[] key, long sequence) {
    return list.stream()
        .filter(tombstone -> tombstone.covers(key) && tombstone.sequence > sequence)
        .mapToLong(Tombstone::sequence)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  private static long covering(List<Tombstone> list, byte[] key) {
    return list.stream().filter(tombstone -> tombstone.covers(key)).count();
  }

  private static void check(
      String where,
      @Nullable RangeTombstones tombstones,
      List<Tombstone> expected,
      int alphabet,
      Random random) {
    assertThat(tombstones == null).as(where).isEqualTo(expected.isEmpty());
    if (tombstones == null) {
      return;
    }
    for (int i = 0; i < 50; i++) {
      byte[] key = drawnKey(alphabet, random);
      long atMost = random.nextBoolean() ? NEWEST : random.nextInt(50);
      long newest =
          expected.stream()
              .filter(tombstone -> tombstone.covers(key) && tombstone.sequence <= atMost)
              .mapToLong(Tombstone::sequence)
              .max()
              .orElse(0);
      assertThat(covering(tombstones, key, atMost))
          .as(() -> where + " key " + Arrays.toString(key) + " at " + atMost + ": " + tombstones)
          .isEqualTo(newest);
    }
    for (int i = 0; i < 20; i++) {
      byte[] key = drawnKey(alphabet, random);
      byte[] last = largest(key, drawnKey(alphabet, random));
      long sequence = random.nextInt(30);
      String of = where + " key " + Arrays.toString(key) + " at " + sequence;
      long hiding = oldestHiding(expected, key, sequence);
      assertThat(tombstones.oldestHiding(key, 0, key.length, sequence)).as(of).isEqualTo(hiding);
      byte[] covered = tombstones.firstCovered(key);
      assertThat(Arrays.equals(covered, key)).as(of).isEqualTo(covering(expected, key) > 0);
      // All that changes from the first key to the last changes where a tombstone begins or ends.
      long all = hiding;
      for (Tombstone tombstone : expected) {
        for (byte[] change : List.of(tombstone.from, tombstone.to == null ? key : tombstone.to)) {
          if (Arrays.compareUnsigned(key, change) <= 0
              && Arrays.compareUnsigned(change, last) <= 0) {
            all = Math.max(all, oldestHiding(expected, change, sequence));
          }
        }
      }
      assertThat(tombstones.hidingAll(key, last, sequence))
          .as(of + " to " + Arrays.toString(last))
          .isEqualTo(all);
    }
    assertThat(tombstones.oldest())
        .as(where)
        .isEqualTo(expected.stream().mapToLong(Tombstone::sequence).min().orElseThrow());
    assertThat(tombstones.newest())
        .as(where)
        .isEqualTo(expected.stream().mapToLong(Tombstone::sequence).max().orElseThrow());
    List<Fragment> fragments = tombstones.fragments();
    assertThat(tombstones.first()).as(where).isEqualTo(fragments.get(0).from());
    assertThat(tombstones.end()).as(where).isEqualTo(fragments.get(fragments.size() - 1).to());
    int[] inSequences =
        fragments.stream().mapToInt(fragment -> fragment.sequences().length).toArray();
    assertThat(Arrays.stream(inSequences).sum()).as(where).isGreaterThanOrEqualTo(1);
  }
}
