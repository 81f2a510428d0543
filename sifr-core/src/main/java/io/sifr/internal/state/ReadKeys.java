package io.sifr.internal.state;

import io.sifr.internal.forest.KeySpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A sample of the keys of reads, drawn in proportion to what each read has wasted. A new key takes
 * the place of any of the others, so that the sample follows what is read now. Takes no memory
 * before the first key. Thread-safe.
 */
final class ReadKeys {
  private static final int MOST = 128;

  /** Of each so many wasted bytes about one key is kept. */
  private static final int BYTES_PER_KEY = 128;

  /** Of longer keys only the beginning is kept. */
  private static final int MOST_KEY_BYTES = 64;

  private volatile @Nullable AtomicReferenceArray<byte[]> keys;

  /** Draws whether the key of a read is kept. */
  void add(byte[] key, int offset, int length, long wastedBytes) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    if (random.nextInt(BYTES_PER_KEY) < wastedBytes) {
      int end = offset + Math.min(length, MOST_KEY_BYTES);
      array().set(random.nextInt(MOST), Arrays.copyOfRange(key, offset, end));
    }
  }

  private AtomicReferenceArray<byte[]> array() {
    AtomicReferenceArray<byte[]> known = keys;
    return known == null ? newArray() : known;
  }

  private synchronized AtomicReferenceArray<byte[]> newArray() {
    AtomicReferenceArray<byte[]> known = keys;
    if (known == null) {
      known = new AtomicReferenceArray<>(MOST);
      keys = known;
    }
    return known;
  }

  /** The keys, ascending; with duplicates if one is read often. */
  List<byte[]> sorted() {
    AtomicReferenceArray<byte[]> known = keys;
    List<byte[]> sorted = new ArrayList<>();
    for (int i = 0; known != null && i < MOST; i++) {
      byte[] key = known.get(i);
      if (key != null) {
        sorted.add(key);
      }
    }
    sorted.sort(Arrays::compareUnsigned);
    return sorted;
  }

  /** Forgets the keys of a span. */
  void forget(KeySpan span) {
    AtomicReferenceArray<byte[]> known = keys;
    for (int i = 0; known != null && i < MOST; i++) {
      byte[] key = known.get(i);
      if (key != null && span.contains(key, key)) {
        known.set(i, null);
      }
    }
  }
}
