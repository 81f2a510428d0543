package io.sifr.internal.entry.range;

import io.sifr.internal.util.Bytes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The neighbours of a key for which an answer that was found for it holds as well. Narrowed again
 * and again; its arrays are those of others. Not thread-safe.
 */
public final class KeyStretch {
  private byte[] from = Bytes.EMPTY;
  private byte @Nullable [] to;

  public KeyStretch() {}

  /** Widens it to all keys. */
  public void reset() {
    from = Bytes.EMPTY;
    to = null;
  }

  /** Narrows it to keys at or after that one. */
  public void notBefore(byte[] first) {
    if (Arrays.compareUnsigned(first, from) > 0) {
      from = first;
    }
  }

  /** Narrows it to keys before that one. */
  public void before(byte[] end) {
    byte[] present = to;
    if (present == null || Arrays.compareUnsigned(end, present) < 0) {
      to = end;
    }
  }

  /** Narrows it to keys of another one. */
  public void narrowTo(KeyStretch other) {
    notBefore(other.from);
    byte[] end = other.to;
    if (end != null) {
      before(end);
    }
  }

  /** The first key. */
  public byte[] from() {
    return from;
  }

  /** The key after the last one; null: there is none. */
  public byte @Nullable [] to() {
    return to;
  }

  /** Whether a key is not too large for it. */
  public boolean endsAfter(byte[] key, int offset, int length) {
    byte[] end = to;
    return end == null || Bytes.compare(key, offset, length, end, 0, end.length) < 0;
  }

  /** Whether a key is not too small for it. */
  public boolean beginsAtOrBefore(byte[] key, int offset, int length) {
    return Bytes.compare(key, offset, length, from, 0, from.length) >= 0;
  }
}
