package io.sifr.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.Trailer;
import io.sifr.testing.EntryDrawing.Shape;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Compares iterators with a sorted list of what they should meet. */
public final class IterationCheck {
  private IterationCheck() {}

  /** All entries from the first to the last. */
  public static List<Entry> forward(EntryIterator iterator) {
    List<Entry> met = new ArrayList<>();
    for (boolean on = iterator.seekToFirst(); on; on = iterator.next()) {
      met.add(Entry.at(iterator));
    }
    return met;
  }

  /** All entries from the first to the last, iterated from the last to the first. */
  public static List<Entry> backward(EntryIterator iterator) {
    List<Entry> met = new ArrayList<>();
    for (boolean on = iterator.seekToLast(); on; on = iterator.previous()) {
      met.add(Entry.at(iterator));
    }
    Collections.reverse(met);
    return met;
  }

  /**
   * Moves at random and looks every time whether the iterator stands where a plain list iterator
   * would.
   */
  public static void atRandom(
      EntryIterator iterator, List<Entry> expected, Shape shape, int moves, long seed) {
    Random random = new Random(seed);
    ListEntryIterator model = new ListEntryIterator(expected);
    for (int i = 0; i < moves; i++) {
      String move = move(iterator, model, expected, shape, random);
      assertThat(iterator.valid())
          .describedAs("seed %d, move %d: %s", seed, i, move)
          .isEqualTo(model.valid());
      if (model.valid()) {
        Entry entry = Entry.at(iterator);
        assertThat(entry)
            .describedAs("seed %d, move %d: %s", seed, i, move)
            .isEqualTo(Entry.at(model));
        assertThat(iterator.value())
            .describedAs("seed %d, move %d: %s", seed, i, move)
            .isEqualTo(ByteBuffer.wrap(entry.value()));
      }
    }
  }

  private static String move(
      EntryIterator iterator,
      EntryIterator model,
      List<Entry> expected,
      Shape shape,
      Random random) {
    int choice = random.nextInt(20);
    if (choice < 15 && model.valid()) {
      boolean on = choice < 8 ? iterator.next() : iterator.previous();
      assertThat(on).isEqualTo(choice < 8 ? model.next() : model.previous());
      return choice < 8 ? "next" : "previous";
    }
    byte[] key = EntryDrawing.keyNear(expected, shape, random);
    if (choice % 4 == 0) {
      assertThat(iterator.seekToFirst()).isEqualTo(model.seekToFirst());
      return "seekToFirst";
    }
    if (choice % 4 == 1) {
      assertThat(iterator.seekToLast()).isEqualTo(model.seekToLast());
      return "seekToLast";
    }
    if (choice % 4 == 2) {
      long trailer = Trailer.of(random.nextInt(expected.size() + 2), random.nextBoolean() ? 15 : 0);
      assertThat(iterator.seek(key, 0, key.length, trailer))
          .isEqualTo(model.seek(key, 0, key.length, trailer));
      return "seek";
    }
    assertThat(iterator.seekBefore(key, 0, key.length))
        .isEqualTo(model.seekBefore(key, 0, key.length));
    return "seekBefore";
  }
}
