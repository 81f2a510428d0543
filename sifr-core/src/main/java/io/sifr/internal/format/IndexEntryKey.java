package io.sifr.internal.format;

import static com.google.common.base.Preconditions.checkArgument;

import io.sifr.internal.entry.EntryLimits;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The keys of an index's entries. Each is the index key, in which a zero is followed by 255, then a
 * zero and a one, then the key of the entry that the index finds: so they are ordered by index key,
 * and by key if that is the same. The key of one zero, before all of them, has the state of the
 * index; see {@code src-docs/format/manifest.md}.
 */
public final class IndexEntryKey {
  /** Size of the longest index key. */
  public static final int MAX_INDEX_KEY_BYTES = 1 << 14;

  private static final int END_BYTES = 2;
  private static final byte ESCAPED = -1;
  private static final byte END = 1;

  private IndexEntryKey() {}

  /** The key under which the state of the index is. */
  public static byte[] ofState() {
    return new byte[1];
  }

  /** The first key that an entry may have. */
  public static byte[] first() {
    return new byte[] {0, END};
  }

  /** Whether a key may be that of an entry. */
  public static boolean isOne(byte[] key) {
    return endOf(key) >= 0;
  }

  /**
   * The key of an entry.
   *
   * @throws IllegalArgumentException when the index key is too long, or both together are
   */
  public static byte[] of(byte[] indexKey, byte[] key) {
    checkArgument(
        indexKey.length <= MAX_INDEX_KEY_BYTES,
        "the index key has %s bytes; allowed: up to %s",
        indexKey.length,
        MAX_INDEX_KEY_BYTES);
    int bytes = escapedBytes(indexKey) + END_BYTES + key.length;
    checkArgument(
        bytes <= EntryLimits.MAX_KEY_BYTES,
        "index key and key take %s bytes together; allowed: up to %s",
        bytes,
        EntryLimits.MAX_KEY_BYTES);
    byte[] entry = new byte[bytes];
    int end = escape(indexKey, entry);
    System.arraycopy(key, 0, entry, end, key.length);
    return entry;
  }

  /** The first key that an entry with that index key, or a larger one, may have. */
  public static byte[] firstOf(byte[] indexKey) {
    byte[] bound = new byte[escapedBytes(indexKey) + END_BYTES];
    var unused = escape(indexKey, bound);
    return bound;
  }

  /** The key after the last one that an entry with that index key may have. */
  public static byte[] after(byte[] indexKey) {
    byte[] bound = firstOf(indexKey);
    bound[bound.length - 1]++;
    return bound;
  }

  private static int escapedBytes(byte[] indexKey) {
    int bytes = indexKey.length;
    for (byte each : indexKey) {
      bytes += each == 0 ? 1 : 0;
    }
    return bytes;
  }

  private static int escape(byte[] indexKey, byte[] target) {
    int to = 0;
    for (byte each : indexKey) {
      target[to++] = each;
      if (each == 0) {
        target[to++] = ESCAPED;
      }
    }
    target[to++] = 0;
    target[to++] = END;
    return to;
  }

  /** Where the end of the index key begins; -1 if there is none. */
  private static int endOf(byte[] entry) {
    for (int i = 0; i + 1 < entry.length; i++) {
      if (entry[i] == 0) {
        if (entry[i + 1] == END) {
          return i;
        }
        if (entry[i + 1] != ESCAPED) {
          return -1;
        }
        i++;
      }
    }
    return -1;
  }

  /** The key of the entry that the index finds; null if it is no entry's. */
  public static byte @Nullable [] keyOf(byte[] entry) {
    int end = endOf(entry);
    return end < 0 ? null : Arrays.copyOfRange(entry, end + END_BYTES, entry.length);
  }

  /** The index key; null if it is no entry's. */
  public static byte @Nullable [] indexKeyOf(byte[] entry) {
    int end = endOf(entry);
    if (end < 0) {
      return null;
    }
    byte[] indexKey = new byte[end];
    int length = 0;
    for (int i = 0; i < end; i++) {
      indexKey[length++] = entry[i];
      i += entry[i] == 0 ? 1 : 0;
    }
    return Arrays.copyOf(indexKey, length);
  }
}
