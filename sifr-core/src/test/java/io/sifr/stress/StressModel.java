package io.sifr.stress;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.testing.Padded;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * What a store may hold while several threads write to it. Each key has one writer, which writes
 * version after version; what a version is, a value or a deletion, follows from key and number. So
 * all that need be known to judge an answer is which versions had been written before the question
 * and which had begun to be written before the answer.
 *
 * <p>Every write goes to all databases in one batch. Thread-safe.
 */
final class StressModel {
  /** All of them hold the same versions. */
  static final List<String> DATABASES = List.of("left", "right");

  private static final int DELETED_ONE_IN = 4;
  private static final int LARGE_ONE_IN = 500;
  private static final int HEAD_BYTES = 2 * Integer.BYTES;

  private final int keys;
  private final AtomicIntegerArray begun;
  private final AtomicIntegerArray written;

  StressModel(int keys) {
    this.keys = keys;
    this.begun = new AtomicIntegerArray(keys);
    this.written = new AtomicIntegerArray(keys);
  }

  /** Versions that some keys in a row may have in a state of the store. */
  static final class Window {
    private final int firstKey;
    private final int[] oldest;
    private final int[] newest;

    private Window(int firstKey, int[] oldest, int[] newest) {
      this.firstKey = firstKey;
      this.oldest = oldest;
      this.newest = newest;
    }

    int firstKey() {
      return firstKey;
    }

    int endKey() {
      return firstKey + oldest.length;
    }

    int oldest(int key) {
      return oldest[key - firstKey];
    }

    int newest(int key) {
      return newest[key - firstKey];
    }

    /** It has been seen which one it is. */
    void narrow(int key, int version) {
      oldest[key - firstKey] = version;
      newest[key - firstKey] = version;
    }
  }

  /** How many keys there are. Their order is that of their numbers. */
  int keys() {
    return keys;
  }

  byte[] key(int number) {
    return ("key-" + Padded.number(number, 9)).getBytes(StandardCharsets.US_ASCII);
  }

  int number(byte[] key) {
    return Integer.parseInt(new String(key, 4, key.length - 4, StandardCharsets.US_ASCII));
  }

  /** To be called by the key's writer alone. */
  int begin(int key) {
    return begun.incrementAndGet(key);
  }

  /** The version that was begun has been written. */
  void confirm(int key) {
    written.set(key, begun.get(key));
  }

  /** What a version is; null for a deletion. */
  byte @Nullable [] value(int key, int version) {
    int hash = hash(key, version);
    if (version == 0 || hash % DELETED_ONE_IN == 0) {
      return null;
    }
    int bytes = hash % LARGE_ONE_IN == 1 ? 6000 : HEAD_BYTES + hash % 150;
    byte[] value = new byte[bytes];
    Arrays.fill(value, (byte) hash);
    ByteBuffer.wrap(value).putInt(key).putInt(version);
    return value;
  }

  private static int hash(int key, int version) {
    long mixed = (key * 0x9E3779B97F4A7C15L + version) * 0xBF58476D1CE4E5B9L;
    return (int) (mixed >>> 33);
  }

  /** The versions that had been written. To be asked before the question. */
  int[] oldest(int firstKey, int count) {
    int[] versions = new int[count];
    Arrays.setAll(versions, i -> written.get(firstKey + i));
    return versions;
  }

  /** With those that had begun to be written. To be asked after the question. */
  Window window(int firstKey, int[] oldest) {
    int[] newest = new int[oldest.length];
    Arrays.setAll(newest, i -> begun.get(firstKey + i));
    return new Window(firstKey, oldest, newest);
  }

  /**
   * Checks an answer.
   *
   * @param answer the value; null when the key had none
   */
  void check(String who, Window window, int key, byte @Nullable [] answer) {
    int oldest = window.oldest(key);
    int newest = window.newest(key);
    if (answer == null) {
      for (int version = oldest; version <= newest; version++) {
        if (value(key, version) == null) {
          return;
        }
      }
    } else if (answer.length >= HEAD_BYTES) {
      int version = ByteBuffer.wrap(answer).getInt(Integer.BYTES);
      if (version >= oldest && version <= newest && Arrays.equals(answer, value(key, version))) {
        return;
      }
    }
    throw new AssertionError(
        who
            + ": key "
            + key
            + " is "
            + text(answer)
            + ", but one of the versions "
            + oldest
            + " to "
            + newest
            + " counts");
  }

  private static String text(byte @Nullable [] value) {
    return value == null
        ? "nothing"
        : value.length < HEAD_BYTES
            ? value.length + " bytes"
            : "version "
                + ByteBuffer.wrap(value).getInt(Integer.BYTES)
                + " of key "
                + ByteBuffer.wrap(value).getInt();
  }

  static void createDatabases(Store store) {
    for (String name : DATABASES) {
      Database created = store.openOrCreateDatabase(name);
      if (!created.name().equals(name)) {
        throw new AssertionError(created + " was to be " + name);
      }
    }
  }

  /** The databases of a store. */
  static List<Database> databases(Store store) {
    return DATABASES.stream().map(store::database).toList();
  }
}
