package io.sifr.map;

import com.google.common.collect.ForwardingNavigableMap;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.Spliterator;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The live views of a map: its keys, values and entries. Where the views of any map would do
 * something in two steps these do it in one, since others may change the map between two.
 */
final class MapViews<K, V> extends ForwardingNavigableMap<K, V> {
  private final ConcurrentNavigableMap<K, V> map;

  MapViews(ConcurrentNavigableMap<K, V> map) {
    this.map = map;
  }

  @Override
  protected NavigableMap<K, V> delegate() {
    return map;
  }

  /**
   * @param iterators make iterators over the keys of the map
   */
  NavigableSet<K> keys(Supplier<Iterator<K>> iterators) {
    return new StandardNavigableKeySet() {
      @Override
      public Iterator<K> iterator() {
        return iterators.get();
      }

      @Override
      public Spliterator<K> spliterator() {
        return MapSpliterator.ofKeys(iterator(), comparator());
      }

      @Override
      public boolean remove(@Nullable Object key) {
        return map.remove(key) != null;
      }
    };
  }

  /**
   * @param iterators make iterators over the values of the map
   */
  Collection<V> values(Supplier<Iterator<V>> iterators) {
    return new StandardValues() {
      @Override
      public Iterator<V> iterator() {
        return iterators.get();
      }

      @Override
      public Spliterator<V> spliterator() {
        return MapSpliterator.ofValues(iterator());
      }

      @Override
      public boolean removeIf(Predicate<? super V> filter) {
        return map.entrySet().removeIf(entry -> filter.test(entry.getValue()));
      }
    };
  }

  /**
   * @param iterators make iterators over the entries of the map
   */
  Set<Map.Entry<K, V>> entries(Supplier<Iterator<Map.Entry<K, V>>> iterators) {
    return new StandardEntrySet() {
      @Override
      public Iterator<Map.Entry<K, V>> iterator() {
        return iterators.get();
      }

      @Override
      public Spliterator<Map.Entry<K, V>> spliterator() {
        return MapSpliterator.ofEntries(iterator());
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
        return other instanceof Map.Entry<?, ?> entry
            && map.remove(entry.getKey(), entry.getValue());
      }

      @Override
      public boolean removeIf(Predicate<? super Map.Entry<K, V>> filter) {
        boolean removed = false;
        for (Map.Entry<K, V> entry : this) {
          removed |= filter.test(entry) && map.remove(entry.getKey(), entry.getValue());
        }
        return removed;
      }
    };
  }
}
