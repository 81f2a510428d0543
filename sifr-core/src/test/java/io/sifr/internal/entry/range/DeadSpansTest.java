package io.sifr.internal.entry.range;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.MaskedIterator;
import io.sifr.internal.entry.VisibleIterator;
import io.sifr.testing.Entry;
import io.sifr.testing.ListEntryIterator;
import io.sifr.testing.Padded;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DeadSpansTest {
  private static final int KEYS = 40;

  private static byte[] key(int number) {
    return Padded.number(number, 5).getBytes(UTF_8);
  }

  private static long at(DeadSpans spans, int number, long sequence) {
    byte[] key = key(number);
    return spans.newestCovering(key, 0, key.length, sequence, true, new KeyStretch());
  }

  @Test
  void aReaderSeesWhatOlderOnesHaveFound() {
    DeadSpans spans = DeadSpans.NONE.and(key(3), key(7), 10);
    assertThat(at(spans, 2, 20)).isZero();
    assertThat(at(spans, 3, 20)).isEqualTo(11);
    assertThat(at(spans, 6, 11)).isEqualTo(11);
    assertThat(at(spans, 7, 20)).isZero();
    assertThat(at(spans, 5, 10)).isEqualTo(11);
    assertThat(at(spans, 5, 9)).isZero();
    assertThat(spans.above(10).isEmpty()).isFalse();
    assertThat(spans.above(11).isEmpty()).isTrue();
    assertThat(spans.notAbove(11).isEmpty()).isFalse();
    assertThat(spans.in(key(0), key(3)).isEmpty()).isTrue();
    assertThat(spans.in(key(7), null).isEmpty()).isTrue();
    assertThat(spans.in(key(6), null).isEmpty()).isFalse();
  }

  @Test
  void theyAreRangeTombstonesBetweenWhatIsOlderAndTheNewestWrite() {
    DeadSpans spans =
        DeadSpans.NONE.and(key(3), key(7), 10).and(key(7), key(8), 12).and(key(9), null, 20);
    assertThat(String.valueOf(spans.asTombstones(9, 15)))
        .isEqualTo("[\"00003\", \"00007\")[10] [\"00007\", \"00008\")[12] [\"00009\", )[15]");
    assertThat(String.valueOf(spans.asTombstones(10, 11)))
        .isEqualTo("[\"00007\", \"00008\")[11] [\"00009\", )[11]");
    assertThat(String.valueOf(spans.asTombstones(4, 5)))
        .isEqualTo("[\"00003\", \"00008\")[5] [\"00009\", )[5]");
    assertThat(spans.asTombstones(20, 20)).isNull();
    assertThat(DeadSpans.NONE.asTombstones(0, 20)).isNull();
  }

  /** What is said of a key is what some reader has found, and of its neighbours, too. */
  @Test
  void whatIsSaidWasFound() {
    for (long seed = 1; seed <= 10; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      DeadSpans spans = DeadSpans.NONE;
      boolean[][] found = new boolean[KEYS][100];
      for (int i = 0; i < 60; i++) {
        int from = random.nextInt(KEYS);
        int to = random.nextInt(4) == 0 ? KEYS : from + 1 + random.nextInt(KEYS - from);
        int sequence = 1 + random.nextInt(98);
        spans = spans.and(key(from), to == KEYS ? null : key(to), sequence);
        for (int key = from; key < to; key++) {
          found[key][sequence] = true;
        }
        assertThat(spans.size()).isLessThanOrEqualTo(DeadSpans.MOST_SPANS);
        checkAt(spans, found, random.nextInt(100), "seed " + seed + ", span " + i);
      }
    }
  }

  private static void checkAt(DeadSpans spans, boolean[][] found, long sequence, String situation) {
    for (int number = 0; number < KEYS; number++) {
      byte[] key = key(number);
      KeyStretch around = new KeyStretch();
      long below = spans.newestCovering(key, 0, key.length, sequence, true, around);
      assertThat(below).as(situation).isLessThanOrEqualTo(sequence + 1);
      assertThat(below == 0 || found[number][(int) below - 1]).as(situation).isTrue();
      for (int other = 0; other < KEYS; other++) {
        byte[] beside = key(other);
        if (around.beginsAtOrBefore(beside, 0, beside.length)
            && around.endsAfter(beside, 0, beside.length)) {
          assertThat(at(spans, other, sequence)).as(situation).isEqualTo(below);
        }
      }
    }
  }

  private static @Nullable String found(VisibleIterator iterator, boolean on) {
    return on ? new String(iterator.keyArray(), 0, iterator.keyLength(), UTF_8) : null;
  }

  @Test
  void whatOneCursorHasSteppedOverTheNextOnePasses() {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      boolean isLive = i < 100 || i >= 900;
      entries.add(Entry.of(key(i), 1 + i, isLive ? EntryKind.PUT : EntryKind.DELETE, new byte[0]));
    }
    LearnedSpans learned = new LearnedSpans();
    for (boolean forward : new boolean[] {true, false, true, false}) {
      boolean isFirst = learned.get().isEmpty();
      ListEntryIterator source = new ListEntryIterator(entries);
      DeadSpans known = learned.get().above(1000);
      VisibleIterator iterator =
          new VisibleIterator(
              EntryKinds.STANDARD,
              new MaskedIterator(source, List.of(known), null, 2000),
              2000,
              null,
              null,
              learned);
      byte[] target = forward ? key(500) : key(400);
      String key =
          forward
              ? found(iterator, iterator.seek(target, 0, target.length))
              : found(iterator, iterator.seekBefore(target, 0, target.length));
      assertThat(key).isEqualTo(forward ? "00900" : "00099");
      key = found(iterator, forward ? iterator.previous() : iterator.next());
      assertThat(key).isEqualTo(forward ? "00099" : "00900");
      assertThat(source.steps() > 500).isEqualTo(isFirst);
    }
    assertThat(at(learned.get(), 99, 5000)).isZero();
    assertThat(at(learned.get(), 100, 5000)).isPositive();
    assertThat(at(learned.get(), 899, 5000)).isPositive();
    assertThat(at(learned.get(), 900, 5000)).isZero();
  }
}
