package io.sifr.map;

import io.sifr.Database;
import io.sifr.Index;
import io.sifr.IndexCursor;
import io.sifr.KeyRange;
import io.sifr.spi.Codec;
import io.sifr.spi.IndexExtractor;
import io.sifr.spi.OrderedCodec;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * An index of a map: finds entries of a {@link SifrMap} by objects that a function says of them.
 *
 * <pre>{@code
 * MapIndex<String, Long, User> byCity =
 *     MapIndex.of("byCity", Codecs.strings(), Codecs.longs(), USERS,
 *         (id, user) -> List.of(user.city()));
 * Store store = Store.builder(directory).indexExtractor(byCity.extractor()).open();
 * Database users =
 *     store.openOrCreateDatabase(
 *         "users", DatabaseOptions.builder().index(byCity.name(), byCity.extractor()).build());
 * SifrMap.over(users, Codecs.longs(), USERS).put(1L, ada);
 * List<Map.Entry<Long, User>> found = byCity.get(users, "London");
 * }</pre>
 *
 * <p>Thread-safe, if its codecs are and its function is. All methods that read throw what those of
 * {@link Index} throw.
 *
 * @param <I> the type of the index keys
 * @param <K> the type of the map's keys
 * @param <V> the type of its values
 */
public final class MapIndex<I, K, V> {
  private final String name;
  private final OrderedCodec<I> indexKeys;
  private final OrderedCodec<K> keys;
  private final Codec<V> values;
  private final IndexExtractor extractor;

  private MapIndex(
      String name,
      OrderedCodec<I> indexKeys,
      OrderedCodec<K> keys,
      Codec<V> values,
      BiFunction<? super K, ? super V, ? extends Collection<? extends I>> function) {
    this.name = Objects.requireNonNull(name, "name");
    this.indexKeys = Objects.requireNonNull(indexKeys, "indexKeys");
    this.keys = Objects.requireNonNull(keys, "keys");
    this.values = Objects.requireNonNull(values, "values");
    this.extractor = new Extractor(Objects.requireNonNull(function, "function"));
  }

  /**
   * An index.
   *
   * @param name its name, and that of its extractor
   * @param indexKeys encodes what entries are found by, so that its order is kept
   * @param keys encodes the keys of the map
   * @param values encodes its values
   * @param function says by what an entry is found, see {@link IndexExtractor}
   * @param <I> the type of the index keys
   * @param <K> the type of the map's keys
   * @param <V> the type of its values
   */
  public static <I, K, V> MapIndex<I, K, V> of(
      String name,
      OrderedCodec<I> indexKeys,
      OrderedCodec<K> keys,
      Codec<V> values,
      BiFunction<? super K, ? super V, ? extends Collection<? extends I>> function) {
    return new MapIndex<>(name, indexKeys, keys, values, function);
  }

  /** Its name. */
  public String name() {
    return name;
  }

  /** To be registered with the store, and named by the options of the map's database. */
  public IndexExtractor extractor() {
    return extractor;
  }

  private final class Extractor implements IndexExtractor {
    private final BiFunction<? super K, ? super V, ? extends Collection<? extends I>> function;

    Extractor(BiFunction<? super K, ? super V, ? extends Collection<? extends I>> function) {
      this.function = function;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Collection<byte[]> indexKeys(byte[] key, byte[] value) {
      List<byte[]> encoded = new ArrayList<>();
      for (I each : function.apply(keys.decode(key), values.decode(value))) {
        encoded.add(indexKeys.encode(each));
      }
      return encoded;
    }
  }

  /** The entries with an index key, in the order of their keys. */
  public List<Map.Entry<K, V>> get(Database database, I indexKey) {
    byte[] encoded = indexKeys.encode(indexKey);
    return found(database, KeyRange.between(encoded, true, encoded, true));
  }

  /**
   * The entries with index keys of a range, in their order.
   *
   * @param from the first index key; null: the first of all
   * @param to the index key after the last one; null: there is none
   */
  public List<Map.Entry<K, V>> between(Database database, @Nullable I from, @Nullable I to) {
    KeyRange first = from == null ? KeyRange.all() : KeyRange.atLeast(indexKeys.encode(from));
    return found(database, to == null ? first : first.and(KeyRange.lessThan(indexKeys.encode(to))));
  }

  private List<Map.Entry<K, V>> found(Database database, KeyRange range) {
    List<Map.Entry<K, V>> found = new ArrayList<>();
    try (IndexCursor cursor = Index.of(database, name).cursor(range)) {
      while (cursor.next()) {
        found.add(
            new SimpleImmutableEntry<>(keys.decode(cursor.key()), values.decode(cursor.value())));
      }
    }
    return found;
  }

  @Override
  public String toString() {
    return "MapIndex[" + name + "]";
  }
}
