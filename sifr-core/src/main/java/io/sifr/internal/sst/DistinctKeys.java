package io.sifr.internal.sst;

import io.sifr.internal.entry.ForwardIterator;
import java.util.Arrays;

/** The distinct user keys of an SST, in order. Used by one thread. */
public final class DistinctKeys implements AutoCloseable {
  private final ForwardIterator entries;
  private byte[] key = new byte[64];
  private int length = -1;

  /**
   * Iterates from the first key on.
   *
   * @param entries not positioned yet; closed with this
   */
  public DistinctKeys(ForwardIterator entries) {
    this.entries = entries;
  }

  /**
   * Moves to the next key. Returns whether there is one.
   *
   * @throws io.sifr.error.CorruptionException when its block is damaged
   */
  public boolean next() {
    boolean more = length < 0 ? entries.seekToFirst() : entries.next();
    while (more && isLast()) {
      more = entries.next();
    }
    if (more) {
      remember();
    }
    return more;
  }

  private boolean isLast() {
    int from = entries.keyOffset();
    int to = from + entries.keyLength();
    return length >= 0 && Arrays.equals(key, 0, length, entries.keyArray(), from, to);
  }

  private void remember() {
    length = entries.keyLength();
    if (length > key.length) {
      key = new byte[2 * length];
    }
    System.arraycopy(entries.keyArray(), entries.keyOffset(), key, 0, length);
  }

  /** The array that begins with the key; changed by the next move. */
  public byte[] array() {
    return key;
  }

  /** Bytes of the key. */
  public int length() {
    return length;
  }

  @Override
  public void close() {
    entries.close();
  }
}
