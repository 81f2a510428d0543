package io.sifr.map;

import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Spliterator;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The entries of a map, as a live view. */
final class MapEntries<K, V> extends AbstractSet<Map.Entry<K, V>> {
  private final ConcurrentMap<K, V> map;
  private final Supplier<Iterator<Map.Entry<K, V>>> iterators;

  /**
   * @param iterators make iterators over the entries of the map
   */
  MapEntries(ConcurrentMap<K, V> map, Supplier<Iterator<Map.Entry<K, V>>> iterators) {
    this.map = map;
    this.iterators = iterators;
  }

  @Override
  public Iterator<Map.Entry<K, V>> iterator() {
    return iterators.get();
  }

  @Override
  public Spliterator<Map.Entry<K, V>> spliterator() {
    return MapSpliterator.ofEntries(iterator());
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
  public boolean contains(@Nullable Object other) {
    if (!(other instanceof Map.Entry<?, ?> entry)) {
      return false;
    }
    V value = map.get(entry.getKey());
    return value != null && value.equals(entry.getValue());
  }

  @Override
  public boolean remove(@Nullable Object other) {
    return other instanceof Map.Entry<?, ?> entry && map.remove(entry.getKey(), entry.getValue());
  }

  @Override
  public boolean removeIf(Predicate<? super Map.Entry<K, V>> filter) {
    boolean removed = false;
    for (Map.Entry<K, V> entry : this) {
      removed |= filter.test(entry) && map.remove(entry.getKey(), entry.getValue());
    }
    return removed;
  }

  @Override
  public void clear() {
    map.clear();
  }
}
