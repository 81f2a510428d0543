package io.sifr.map;

import com.google.common.collect.Iterators;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.spi.Codec;
import io.sifr.spi.OrderedCodec;
import java.util.AbstractMap;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableSet;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A database as a sorted map of objects. It is a view that holds nothing: all changes are at once
 * in the database, and those that others make there are in the map.
 *
 * <pre>{@code
 * SifrMap<String, Long> prices =
 *     SifrMap.over(store.database(), Codecs.strings(), Codecs.longs());
 * prices.merge("apple", 5L, Long::sum);
 * }</pre>
 *
 * <p>It is ordered by the bytes of the keys; {@link OrderedCodec#comparator} says what order of
 * objects that is. Neither keys nor values are null. A key or value whose bytes are too long is
 * refused with an {@link IllegalArgumentException}; all methods throw what those of {@link
 * Database} throw.
 *
 * <p>Outside of its bounds a part of a map ({@code subMap}, {@code headMap}, {@code tailMap}) has
 * nothing: reads find nothing there, and {@code remove}, {@code replace} and {@code
 * computeIfPresent} do nothing, as those of a {@link java.util.TreeMap} ({@link
 * java.util.concurrent.ConcurrentSkipListMap} has {@code replace} throw). What would put a key
 * there is refused with an {@link IllegalArgumentException}, and so is a part of a part that begins
 * or ends outside.
 *
 * <p>Thread-safe. All methods that change one key are atomic, those with a function ({@code
 * compute}, {@code merge}, …) as well: the function may be called several times if others change
 * the key meanwhile. Writes have the durability of the store. Iterators and bulk methods are weakly
 * consistent, as those of {@link java.util.concurrent.ConcurrentSkipListMap}: they never throw a
 * {@link java.util.ConcurrentModificationException}, and may or may not see what changes after they
 * began. They need not be closed. An entry of {@link #entrySet} writes through with {@link
 * java.util.Map.Entry#setValue}; other entries are immutable.
 *
 * <p>A read or write costs as much as that of the database, and encoding; methods that return the
 * value before, as {@code put} does, read it. {@link #size} reads all keys, {@link #containsValue}
 * all entries. {@link #clear}, also of a part of the map, is one write: {@link
 * Database#deleteRange}.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class SifrMap<K, V> extends AbstractMap<K, V> implements ConcurrentNavigableMap<K, V> {
  private final Database database;
  private final OrderedCodec<K> keys;
  private final Codec<V> values;
  private final MapRange range;
  private final boolean descending;

  private SifrMap(
      Database database,
      OrderedCodec<K> keys,
      Codec<V> values,
      MapRange range,
      boolean descending) {
    this.database = database;
    this.keys = keys;
    this.values = values;
    this.range = range;
    this.descending = descending;
  }

  /**
   * The map of all that a database holds. Whatever is there must have been encoded by these codecs.
   *
   * @param keys encodes keys so that their order is kept
   * @param values encodes values
   * @param <K> the type of the keys
   * @param <V> the type of the values
   */
  public static <K, V> SifrMap<K, V> over(
      Database database, OrderedCodec<K> keys, Codec<V> values) {
    return new SifrMap<>(
        Objects.requireNonNull(database, "database"),
        Objects.requireNonNull(keys, "keys"),
        Objects.requireNonNull(values, "values"),
        MapRange.ALL,
        false);
  }

  @SuppressWarnings("unchecked") // an object of another class is refused by the codec
  private byte[] encodedKey(@Nullable Object key) {
    return keys.encode((K) Objects.requireNonNull(key, "key"));
  }

  /** The bytes of a key that is to be written. */
  private byte[] keyInRange(K key) {
    return inRange(encodedKey(key));
  }

  private byte[] inRange(byte[] key) {
    if (!range.contains(key)) {
      throw new IllegalArgumentException("the key lies outside of this part of the map");
    }
    return key;
  }

  /** The bytes of the value of a key; outside of this part of the map there is none. */
  private byte @Nullable [] stored(byte[] key) {
    return range.contains(key) ? database.get(key) : null;
  }

  private byte[] encodedValue(V value) {
    return values.encode(Objects.requireNonNull(value, "value"));
  }

  private @Nullable V decoded(byte @Nullable [] value) {
    return value == null ? null : values.decode(value);
  }

  @Override
  public @Nullable V get(@Nullable Object key) {
    return decoded(stored(encodedKey(key)));
  }

  @Override
  public boolean containsKey(@Nullable Object key) {
    byte[] encoded = encodedKey(key);
    return range.contains(encoded) && database.contains(encoded);
  }

  @Override
  public boolean containsValue(@Nullable Object value) {
    return Iterators.contains(valueIterator(), Objects.requireNonNull(value, "value"));
  }

  @CanIgnoreReturnValue
  @Override
  public @Nullable V put(K key, V value) {
    return decoded(database.getAndPut(keyInRange(key), encodedValue(value)));
  }

  @CanIgnoreReturnValue
  @Override
  public @Nullable V putIfAbsent(K key, V value) {
    return decoded(database.putIfAbsent(keyInRange(key), encodedValue(value)));
  }

  @CanIgnoreReturnValue
  @Override
  public @Nullable V remove(@Nullable Object key) {
    byte[] encoded = encodedKey(key);
    return range.contains(encoded) ? decoded(database.getAndDelete(encoded)) : null;
  }

  @CanIgnoreReturnValue
  @Override
  public boolean remove(@Nullable Object key, @Nullable Object value) {
    byte[] encoded = encodedKey(key);
    return value != null && changeIfEqual(encoded, value, null);
  }

  @CanIgnoreReturnValue
  @Override
  public boolean replace(K key, V oldValue, V newValue) {
    Objects.requireNonNull(oldValue, "oldValue");
    return changeIfEqual(encodedKey(key), oldValue, encodedValue(newValue));
  }

  /** Values are compared as objects: equal ones need not have the same bytes. */
  private boolean changeIfEqual(byte[] key, Object expected, byte @Nullable [] changed) {
    while (true) {
      byte[] current = stored(key);
      if (current == null || !expected.equals(values.decode(current))) {
        return false;
      }
      if (database.compareAndSet(key, current, changed)) {
        return true;
      }
    }
  }

  @CanIgnoreReturnValue
  @Override
  public @Nullable V replace(K key, V value) {
    byte[] encoded = encodedKey(key);
    byte[] changed = encodedValue(value);
    while (true) {
      byte[] current = stored(encoded);
      if (current == null || database.compareAndSet(encoded, current, changed)) {
        return decoded(current);
      }
    }
  }

  @CanIgnoreReturnValue
  @Override
  public @Nullable V compute(
      K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
    Objects.requireNonNull(function, "function");
    return change(key, value -> function.apply(key, value));
  }

  @CanIgnoreReturnValue
  @Override
  public @Nullable V computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
    Objects.requireNonNull(function, "function");
    return change(key, value -> value == null ? null : function.apply(key, value));
  }

  @CanIgnoreReturnValue
  @Override
  public @Nullable V merge(
      K key, V other, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
    Objects.requireNonNull(other, "other");
    Objects.requireNonNull(function, "function");
    return change(key, value -> value == null ? other : function.apply(value, other));
  }

  /** A change of a value; null stands for none. */
  private interface Change<V> {
    @Nullable V of(@Nullable V value);
  }

  /** Changes a value until nobody else has changed it meanwhile. */
  private @Nullable V change(K key, Change<V> change) {
    byte[] encoded = encodedKey(key);
    while (true) {
      byte[] current = stored(encoded);
      V changed = change.of(decoded(current));
      if (current == null && changed == null) {
        return null;
      }
      byte[] bytes = changed == null ? null : values.encode(changed);
      if (database.compareAndSet(inRange(encoded), current, bytes)) {
        return changed;
      }
    }
  }

  /** Removes all entries, of a part of a map those of the part: {@link Database#deleteRange}. */
  @Override
  public void clear() {
    database.deleteRange(range.keys());
  }

  /**
   * The number of entries, {@link Integer#MAX_VALUE} if there are more. Reads all keys. See {@link
   * Database#estimate} for a number at once.
   */
  @Override
  public int size() {
    return (int) Math.min(Integer.MAX_VALUE, database.count(range.keys()));
  }

  @Override
  public boolean isEmpty() {
    return edgeKey(range.keys(), false) == null;
  }

  /** The first or the last key of a range. */
  private @Nullable K edgeKey(KeyRange part, boolean isLast) {
    try (Cursor cursor = database.cursor(part)) {
      return (isLast ? cursor.last() : cursor.first()) ? keys.decode(cursor.key()) : null;
    }
  }

  /** The entry of {@link #edgeKey}. */
  private Map.@Nullable Entry<K, V> edge(KeyRange part, boolean isLast) {
    io.sifr.Entry found = found(part, isLast);
    return found == null ? null : decoded(found);
  }

  private io.sifr.@Nullable Entry found(KeyRange part, boolean isLast) {
    return isLast ? database.lastEntry(part) : database.firstEntry(part);
  }

  private Map.Entry<K, V> decoded(io.sifr.Entry entry) {
    return new SimpleImmutableEntry<>(keys.decode(entry.key()), values.decode(entry.value()));
  }

  /** What in the order of this map comes before a key, or up to it. */
  private KeyRange head(K key, boolean inclusive) {
    byte[] encoded = encodedKey(key);
    return descending ? range.after(encoded, inclusive) : range.before(encoded, inclusive);
  }

  /** What in the order of this map comes after a key, or from it on. */
  private KeyRange tail(K key, boolean inclusive) {
    byte[] encoded = encodedKey(key);
    return descending ? range.before(encoded, inclusive) : range.after(encoded, inclusive);
  }

  @Override
  public Map.@Nullable Entry<K, V> lowerEntry(K key) {
    return edge(head(key, false), !descending);
  }

  @Override
  public @Nullable K lowerKey(K key) {
    return edgeKey(head(key, false), !descending);
  }

  @Override
  public Map.@Nullable Entry<K, V> floorEntry(K key) {
    return edge(head(key, true), !descending);
  }

  @Override
  public @Nullable K floorKey(K key) {
    return edgeKey(head(key, true), !descending);
  }

  @Override
  public Map.@Nullable Entry<K, V> ceilingEntry(K key) {
    return edge(tail(key, true), descending);
  }

  @Override
  public @Nullable K ceilingKey(K key) {
    return edgeKey(tail(key, true), descending);
  }

  @Override
  public Map.@Nullable Entry<K, V> higherEntry(K key) {
    return edge(tail(key, false), descending);
  }

  @Override
  public @Nullable K higherKey(K key) {
    return edgeKey(tail(key, false), descending);
  }

  @Override
  public Map.@Nullable Entry<K, V> firstEntry() {
    return edge(range.keys(), descending);
  }

  @Override
  public Map.@Nullable Entry<K, V> lastEntry() {
    return edge(range.keys(), !descending);
  }

  @Override
  public K firstKey() {
    return existing(edgeKey(range.keys(), descending));
  }

  @Override
  public K lastKey() {
    return existing(edgeKey(range.keys(), !descending));
  }

  private static <K> K existing(@Nullable K key) {
    if (key == null) {
      throw new NoSuchElementException("the map is empty");
    }
    return key;
  }

  @CanIgnoreReturnValue
  @Override
  public Map.@Nullable Entry<K, V> pollFirstEntry() {
    return poll(descending);
  }

  @CanIgnoreReturnValue
  @Override
  public Map.@Nullable Entry<K, V> pollLastEntry() {
    return poll(!descending);
  }

  private Map.@Nullable Entry<K, V> poll(boolean isLast) {
    while (true) {
      io.sifr.Entry found = found(range.keys(), isLast);
      if (found == null || database.compareAndSet(found.key(), found.value(), null)) {
        return found == null ? null : decoded(found);
      }
    }
  }

  @Override
  public @Nullable Comparator<? super K> comparator() {
    Comparator<? super K> order = keys.comparator();
    Comparator<? super K> unlessNatural = order.equals(Comparator.naturalOrder()) ? null : order;
    return descending ? Collections.reverseOrder(unlessNatural) : unlessNatural;
  }

  @Override
  public SifrMap<K, V> descendingMap() {
    return new SifrMap<>(database, keys, values, range, !descending);
  }

  @Override
  public SifrMap<K, V> subMap(K fromKey, boolean fromInclusive, K toKey, boolean toInclusive) {
    return part(encodedKey(fromKey), fromInclusive, encodedKey(toKey), toInclusive);
  }

  @Override
  public SifrMap<K, V> headMap(K toKey, boolean inclusive) {
    return part(null, true, encodedKey(toKey), inclusive);
  }

  @Override
  public SifrMap<K, V> tailMap(K fromKey, boolean inclusive) {
    return part(encodedKey(fromKey), inclusive, null, true);
  }

  private SifrMap<K, V> part(
      byte @Nullable [] from, boolean fromInclusive, byte @Nullable [] to, boolean toInclusive) {
    MapRange part =
        descending
            ? range.part(to, toInclusive, from, fromInclusive)
            : range.part(from, fromInclusive, to, toInclusive);
    return new SifrMap<>(database, keys, values, part, descending);
  }

  @Override
  public SifrMap<K, V> subMap(K fromKey, K toKey) {
    return subMap(fromKey, true, toKey, false);
  }

  @Override
  public SifrMap<K, V> headMap(K toKey) {
    return headMap(toKey, false);
  }

  @Override
  public SifrMap<K, V> tailMap(K fromKey) {
    return tailMap(fromKey, true);
  }

  @Override
  public NavigableSet<K> keySet() {
    return navigableKeySet();
  }

  @Override
  public NavigableSet<K> navigableKeySet() {
    return new MapViews<>(this).keys(this::keyIterator);
  }

  @Override
  public NavigableSet<K> descendingKeySet() {
    return descendingMap().navigableKeySet();
  }

  @Override
  public Set<Map.Entry<K, V>> entrySet() {
    return new MapViews<>(this).entries(this::entryIterator);
  }

  @Override
  public Collection<V> values() {
    return new MapViews<>(this).values(this::valueIterator);
  }

  private Iterator<K> keyIterator() {
    return new MapIterator<>(database, range, descending, false) {
      @Override
      K element(byte[] key, byte[] value) {
        return keys.decode(key);
      }
    };
  }

  private Iterator<V> valueIterator() {
    return new MapIterator<>(database, range, descending, true) {
      @Override
      V element(byte[] key, byte[] value) {
        return values.decode(value);
      }
    };
  }

  private Iterator<Map.Entry<K, V>> entryIterator() {
    return new MapIterator<>(database, range, descending, true) {
      @Override
      Map.Entry<K, V> element(byte[] key, byte[] value) {
        return new WritableEntry(key, keys.decode(key), values.decode(value));
      }
    };
  }

  /** An entry that writes through. It shows the value that was read or that it wrote. */
  private final class WritableEntry extends SimpleEntry<K, V> {
    private static final long serialVersionUID = 1L;

    private final transient byte[] encodedKey;

    WritableEntry(byte[] encodedKey, K key, V value) {
      super(key, value);
      this.encodedKey = encodedKey;
    }

    @Override
    public V setValue(V value) {
      database.put(encodedKey, encodedValue(value));
      return super.setValue(value);
    }
  }
}
