package io.sifr.internal.engine.index;

import com.google.common.collect.RangeSet;
import com.google.common.collect.TreeRangeSet;
import io.sifr.error.DuplicateIndexKeyException;
import io.sifr.internal.util.Key;
import io.sifr.internal.util.KeyText;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a database with unique indexes as a batch leaves them: the last write to a key
 * counts. Not thread-safe.
 */
final class WrittenKeys {
  /** The last value of each key; without one, the key was deleted. */
  private final Map<Key, Value> keys = new TreeMap<>();

  private final RangeSet<Key> deleted = TreeRangeSet.create();

  /**
   * A value.
   *
   * @param bytes null: there is none
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  private record Value(byte @Nullable [] bytes) {}

  /** A key was put. */
  void put(byte[] key, byte[] value) {
    keys.put(Key.of(key), new Value(value));
  }

  /** A key was deleted. */
  void delete(byte[] key) {
    keys.put(Key.of(key), new Value(null));
  }

  /** All keys of a range were deleted. */
  void deleteRange(byte[] from, byte @Nullable [] to) {
    keys.keySet().removeIf(Key.range(from, to));
    deleted.add(Key.range(from, to));
  }

  /** Whether the batch says what a key has. */
  boolean decides(byte[] key) {
    Key asked = Key.of(key);
    return keys.containsKey(asked) || deleted.contains(asked);
  }

  /**
   * The keys that entries get in a unique index, each with the entry's key.
   *
   * @throws DuplicateIndexKeyException when two get one
   */
  Map<Key, byte[]> indexKeys(OpenIndex index) {
    Map<Key, byte[]> found = new TreeMap<>();
    each(
        (key, value) -> {
          for (byte[] indexKey : index.keysOf(key, value)) {
            byte[] other = found.put(Key.of(indexKey), key);
            if (other != null && other != key) {
              throw duplicate(index, indexKey, key, other);
            }
          }
        });
    return found;
  }

  private void each(BiConsumer<byte[], byte[]> use) {
    keys.forEach(
        (key, value) -> {
          byte[] bytes = value.bytes;
          if (bytes != null) {
            use.accept(key.bytes(), bytes);
          }
        });
  }

  static DuplicateIndexKeyException duplicate(
      OpenIndex index, byte[] indexKey, byte[] key, byte[] other) {
    return new DuplicateIndexKeyException(
        index.options().name(),
        indexKey,
        other,
        "unique "
            + index
            + ": "
            + KeyText.of(indexKey)
            + " is that of "
            + KeyText.of(other)
            + ", so it cannot be that of "
            + KeyText.of(key));
  }
}
