package io.sifr.internal.entry;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the versions of a key. It is given the versions a reader may see, newest first, and
 * tells after each whether older ones matter.
 *
 * <p>Nearly always the newest version is a put or a tombstone and {@linkplain #isPlain plain}: then
 * no resolution object is needed at all. For one key and one thread.
 */
public final class Resolution {
  private final EntryKinds kinds;
  private final List<EntryKind> kindsSeen = new ArrayList<>();
  private final List<byte[]> values = new ArrayList<>();

  /** Creates a resolution without any version. */
  public Resolution(EntryKinds kinds) {
    this.kinds = kinds;
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
   */
  public boolean add(long trailer, byte[] value) {
    EntryKind kind = kinds.ofCode(Trailer.kind(trailer));
    kindsSeen.add(kind);
    values.add(value);
    return !kind.settles();
  }

  /** The resolved value, once no further version matters or there is none; null for no value. */
  public byte @Nullable [] value() {
    byte[] result = null;
    for (int i = values.size() - 1; i >= 0; i--) {
      result = kindsSeen.get(i).resolve(values.get(i), result);
    }
    return result;
  }
}
