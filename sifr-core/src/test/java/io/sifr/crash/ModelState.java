package io.sifr.crash;

import io.sifr.Cursor;
import io.sifr.KeyRange;
import io.sifr.Store;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a store holds at one moment: database → number of the key → number of the write whose value
 * it has. Keys and values are functions of these numbers. Immutable.
 */
record ModelState(Map<String, Map<Integer, Integer>> databases) {
  /** Numbers of keys are smaller. */
  static final int KEYS = 144;

  /** Numbers from {@link #KEYS} on, of keys so long that few edits fill a manifest. */
  static final int HUGE_KEYS = 4;

  private static final int HUGE_KEY_BYTES = 60_000;

  /** Keys whose numbers differ by this are of one kind: they begin alike. */
  static final int KINDS_OF_KEYS = 4;

  /** Values of most writes are not longer. */
  private static final int USUAL_VALUE_BYTES = 560;

  /** One write in so many has a value that fills several pages. */
  private static final int LARGE_ONE_IN = 30;

  private static final int LARGE_VALUE_BYTES = 7000;

  private static final Map<ByteBuffer, Integer> NUMBER_OF_KEY = new HashMap<>();

  static {
    for (int key = 0; key < KEYS + HUGE_KEYS; key++) {
      NUMBER_OF_KEY.put(ByteBuffer.wrap(key(key)), key);
    }
  }

  /** A new store. */
  static final ModelState EMPTY = new ModelState(Map.of(Store.DEFAULT_DATABASE, Map.of()));

  /** The empty key, keys that share long prefixes, keys that are prefixes of others. */
  static byte[] key(int number) {
    if (number >= KEYS) {
      return ("h".repeat(HUGE_KEY_BYTES) + number).getBytes(StandardCharsets.US_ASCII);
    }
    String text =
        switch (number % KINDS_OF_KEYS) {
          case 0 -> "k".repeat(number / KINDS_OF_KEYS);
          case 1 -> "user-of-the-store-with-a-long-name-" + number;
          default -> "key" + number;
        };
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** The value of a write; it tells the number of the write. */
  static byte[] value(int write) {
    Random random = new Random(write);
    int most = random.nextInt(LARGE_ONE_IN) == 0 ? LARGE_VALUE_BYTES : USUAL_VALUE_BYTES;
    byte[] value = new byte[Integer.BYTES + random.nextInt(most)];
    random.nextBytes(value);
    ByteBuffer.wrap(value).putInt(0, write);
    return value;
  }

  /** Everything in a store. Fails when it holds a key or a value that nobody ever wrote. */
  static ModelState of(Store store) {
    Map<String, Map<Integer, Integer>> databases = new TreeMap<>();
    for (String name : store.databaseNames()) {
      Map<Integer, Integer> content = new TreeMap<>();
      try (Cursor cursor = store.database(name).cursor()) {
        while (cursor.next()) {
          Integer key = NUMBER_OF_KEY.get(ByteBuffer.wrap(cursor.key()));
          byte[] value = cursor.value();
          int write = value.length < Integer.BYTES ? -1 : ByteBuffer.wrap(value).getInt(0);
          if (key == null || !Arrays.equals(value, value(write))) {
            throw new AssertionError(name + " holds what nobody wrote, key number " + key);
          }
          content.put(key, write);
        }
      }
      databases.put(name, content);
    }
    return new ModelState(databases);
  }

  /** With another value of a key; null deletes it. */
  ModelState with(String database, int key, @Nullable Integer write) {
    Map<Integer, Integer> content = new TreeMap<>(databases.getOrDefault(database, Map.of()));
    if (write == null) {
      content.remove(key);
    } else {
      content.put(key, write);
    }
    return with(database, content);
  }

  /** Without the keys of a range. */
  ModelState withoutRange(String database, KeyRange range) {
    Map<Integer, Integer> content = new TreeMap<>(databases.getOrDefault(database, Map.of()));
    content.keySet().removeIf(key -> range.contains(key(key)));
    return with(database, content);
  }

  /** With another content of a database. */
  ModelState with(String database, Map<Integer, Integer> content) {
    Map<String, Map<Integer, Integer>> changed = new TreeMap<>(databases);
    changed.put(database, content);
    return new ModelState(changed);
  }

  /** Without a database. */
  ModelState without(String database) {
    Map<String, Map<Integer, Integer>> changed = new TreeMap<>(databases);
    changed.remove(database);
    return new ModelState(changed);
  }
}
