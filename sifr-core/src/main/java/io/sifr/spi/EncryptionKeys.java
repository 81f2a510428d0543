package io.sifr.spi;

import static com.google.common.base.Preconditions.checkArgument;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys with which the files of a store are encrypted, see {@link
 * io.sifr.Store.Builder#encryption}. Each has a number, which stands in the files that are
 * encrypted with it; the keys themselves are in no file, and it is up to the program where it keeps
 * them.
 *
 * <p>To <em>rotate</em> keys, {@link #current} returns another number from some moment on, also
 * while the store is open. New files are encrypted with the new key then; those of other keys are
 * rewritten by compactions in the background. As long as there are such files, see {@link
 * io.sifr.event.Metric#OTHER_KEY_BYTES}, or backups of them, {@link #key} has to know the old key.
 * A number stands for the same key for ever.
 *
 * <p>Called by any thread, for each file that is begun or opened and every few seconds, so it
 * should be fast. What it throws is thrown to whoever needs the file, and flushes and compactions
 * are tried again; keys are asked for once each and kept in memory as long as the store is open.
 */
public interface EncryptionKeys {
  /** No keys: nothing is encrypted, and what is cannot be read. */
  EncryptionKeys NONE = of(Map.of(), 0);

  /** Bytes of a key. */
  int KEY_BYTES = 32;

  /** The largest number of a key. */
  int MOST = 0xFFFF;

  /**
   * Number of the key for files that are begun from now on, 1 to {@value #MOST}; 0: they are not
   * encrypted, and what is encrypted is decrypted by the same rewriting.
   */
  int current();

  /**
   * A key.
   *
   * @param number 1 to {@value #MOST}
   * @return its {@value #KEY_BYTES} bytes, which should be random; copied by the caller. Null if
   *     there is no such key
   */
  byte @Nullable [] key(int number);

  /** One key, under number 1. */
  static EncryptionKeys of(byte[] key) {
    return of(Map.of(1, key), 1);
  }

  /**
   * Several keys.
   *
   * @param keys by number; copied
   * @param current the one for new files; 0: these are not encrypted
   * @throws IllegalArgumentException when a number is not within 1 to {@value #MOST}, a key has not
   *     {@value #KEY_BYTES} bytes, or there is none of the number {@code current}
   */
  static EncryptionKeys of(Map<Integer, byte[]> keys, int current) {
    keys.forEach(
        (number, key) -> {
          checkArgument(
              number >= 1 && number <= MOST, "key number %s; allowed: 1 to %s", number, MOST);
          checkArgument(
              key.length == KEY_BYTES,
              "key %s has %s bytes; a key has %s",
              number,
              key.length,
              KEY_BYTES);
        });
    checkArgument(
        current == 0 || keys.containsKey(current),
        "the current key is number %s, and there are keys %s",
        current,
        keys.keySet());
    Map<Integer, byte[]> known = new HashMap<>();
    keys.forEach((number, key) -> known.put(number, key.clone()));
    return new EncryptionKeys() {
      @Override
      public int current() {
        return current;
      }

      @Override
      public byte @Nullable [] key(int number) {
        byte[] key = known.get(number);
        return key == null ? null : key.clone();
      }

      @Override
      public String toString() {
        return "keys " + known.keySet() + ", current " + current;
      }
    };
  }
}
