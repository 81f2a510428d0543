package io.sifr.internal.entry;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the versions of a key. It is given the versions a reader may see, newest first, and says
 * after each whether older ones matter.
 *
 * <p>Nearly always the newest version is a put or a tombstone and {@linkplain #isPlain plain}: then
 * no resolution object is needed at all. For one key and one thread.
 */
public final class Resolution {
  private final EntryKinds kinds;
  private final byte[] keyArray;
  private final int keyOffset;
  private final int keyLength;
  private final Operands operands = new Operands();
  private byte @Nullable [] key;

  /** The value of the version that settles the key; null as well as long as there is none. */
  private byte @Nullable [] base;

  /**
   * Creates a resolution without any version.
   *
   * @param keyArray holds the key, and must not be changed meanwhile
   */
  public Resolution(EntryKinds kinds, byte[] keyArray, int keyOffset, int keyLength) {
    this.kinds = kinds;
    this.keyArray = keyArray;
    this.keyOffset = keyOffset;
    this.keyLength = keyLength;
  }

  /** Whether a version is a put or a tombstone, so that it alone is the answer. */
  public static boolean isPlain(long trailer) {
    return Trailer.kind(trailer) <= EntryKind.CODE_OF_DELETE;
  }

  /** Whether a version hides all older ones of its key. */
  public static boolean settles(EntryKinds kinds, long trailer) {
    return isPlain(trailer) || kinds.ofCode(Trailer.kind(trailer)).settles();
  }

  /**
   * Adds the next older version.
   *
   * @param value its value; the resolution keeps it
   * @return whether still older versions matter
   * @throws io.sifr.error.MergeOperatorException when the versions cannot be resolved
   */
  public boolean add(long trailer, byte[] value) {
    EntryKind kind = kinds.ofCode(Trailer.kind(trailer));
    if (kind.settles()) {
      base = kind.resolve(key(), value, null);
      return false;
    }
    operands.add(key(), kind, trailer, value);
    return true;
  }

  /**
   * The resolved value, once no further version matters or there is none; null for no value.
   *
   * @throws io.sifr.error.MergeOperatorException when the versions cannot be resolved
   */
  public byte @Nullable [] value() {
    return operands.isEmpty() ? base : operands.over(key(), base);
  }

  private byte[] key() {
    byte[] known = key;
    if (known == null) {
      known = Arrays.copyOfRange(keyArray, keyOffset, keyOffset + keyLength);
      key = known;
    }
    return known;
  }
}
