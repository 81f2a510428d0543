package io.sifr.map;

import java.util.Comparator;
import java.util.Iterator;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The entries of an iterator, for streams. It does not know their number: counting would read all
 * keys first, and a stream that was given a number fails when it meets another one, as it does once
 * others change the map.
 */
final class MapSpliterator<T> extends Spliterators.AbstractSpliterator<T> {
  private static final int ALWAYS = ORDERED | NONNULL | CONCURRENT;

  private final Iterator<T> iterator;
  private final @Nullable Comparator<? super T> order;

  private MapSpliterator(
      Iterator<T> iterator, int characteristics, @Nullable Comparator<? super T> order) {
    super(Long.MAX_VALUE, ALWAYS | characteristics);
    this.iterator = iterator;
    this.order = order;
  }

  /**
   * @param order null for the natural order
   */
  static <K> Spliterator<K> ofKeys(Iterator<K> keys, @Nullable Comparator<? super K> order) {
    return new MapSpliterator<>(keys, DISTINCT | SORTED, order);
  }

  static <E> Spliterator<E> ofEntries(Iterator<E> entries) {
    return new MapSpliterator<>(entries, DISTINCT, null);
  }

  static <V> Spliterator<V> ofValues(Iterator<V> values) {
    return new MapSpliterator<>(values, 0, null);
  }

  @Override
  public boolean tryAdvance(Consumer<? super T> action) {
    boolean hasNext = iterator.hasNext();
    if (hasNext) {
      action.accept(iterator.next());
    }
    return hasNext;
  }

  @Override
  public @Nullable Comparator<? super T> getComparator() {
    if (!hasCharacteristics(SORTED)) {
      throw new IllegalStateException("not sorted");
    }
    return order;
  }
}
