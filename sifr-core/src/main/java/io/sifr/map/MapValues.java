package io.sifr.map;

import java.util.AbstractCollection;
import java.util.Iterator;
import java.util.Map;
import java.util.Spliterator;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The values of a map in the order of their keys, as a live view. */
final class MapValues<V> extends AbstractCollection<V> {
  private final ConcurrentMap<?, V> map;
  private final Supplier<Iterator<V>> iterators;

  /**
   * @param iterators make iterators over the values of the map
   */
  MapValues(ConcurrentMap<?, V> map, Supplier<Iterator<V>> iterators) {
    this.map = map;
    this.iterators = iterators;
  }

  @Override
  public Iterator<V> iterator() {
    return iterators.get();
  }

  @Override
  public Spliterator<V> spliterator() {
    return MapSpliterator.ofValues(iterator());
  }

  @Override
  public int size() {
    return map.size();
  }

  @Override
  public boolean isEmpty() {
    return map.isEmpty();
  }

  @Override
  public boolean removeIf(Predicate<? super V> filter) {
    boolean removed = false;
    for (Map.Entry<?, V> entry : map.entrySet()) {
      removed |= filter.test(entry.getValue()) && map.remove(entry.getKey(), entry.getValue());
    }
    return removed;
  }

  @Override
  public void clear() {
    map.clear();
  }
}
