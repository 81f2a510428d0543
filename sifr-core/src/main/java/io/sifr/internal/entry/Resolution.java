package io.sifr.internal.entry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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

  /**
   * Versions of a key that do not settle it, newest first, joined as far as their kind can. Two are
   * joined when each of them consists of as many as the other, as a binary counter carries: so what
   * is joined again and again grows twice as long each time, and of n versions log n are kept.
   * Reused; not thread-safe.
   */
  static final class Operands {
    private final List<Operand> operands = new ArrayList<>();
    private boolean joins = true;
    private long bytes;

    /**
     * One or several versions.
     *
     * @param trailer that of the newest of them
     * @param level of 2^level versions; what could not be joined has any
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared as a record
    record Operand(EntryKind kind, long trailer, byte[] value, int level) {}

    /** Newest first. */
    List<Operand> all() {
      return operands;
    }

    boolean isEmpty() {
      return operands.isEmpty();
    }

    /** Bytes of the values that are kept. */
    long bytes() {
      return bytes;
    }

    /** Sequence number of the newest; only when there are some. */
    long newest() {
      return Trailer.sequence(operands.get(0).trailer());
    }

    void clear() {
      operands.clear();
      joins = true;
      bytes = 0;
    }

    /** Joins no more until {@link #clear}. */
    void joinNoMore() {
      joins = false;
    }

    /**
     * Adds the next older version.
     *
     * @throws io.sifr.error.MergeOperatorException when joining fails; it was added nevertheless
     */
    void add(byte[] key, EntryKind kind, long trailer, byte[] value) {
      operands.add(new Operand(kind, trailer, value, 0));
      bytes += value.length;
      while (joins && areOfOneLevel() && joinLast(key)) {}
    }

    /**
     * Joins what is left, whatever it consists of.
     *
     * @throws io.sifr.error.MergeOperatorException when that fails; nothing is missing then
     */
    void joinAll(byte[] key) {
      while (joins && operands.size() > 1 && joinLast(key)) {}
    }

    private boolean areOfOneLevel() {
      int last = operands.size() - 1;
      return last > 0 && operands.get(last).level() == operands.get(last - 1).level();
    }

    private boolean joinLast(byte[] key) {
      int last = operands.size() - 1;
      Operand older = operands.get(last);
      Operand newer = operands.get(last - 1);
      byte[] both =
          older.kind() == newer.kind()
              ? older.kind().combine(key, older.value(), newer.value())
              : null;
      if (both == null) {
        joinNoMore();
        return false;
      }
      operands.remove(last);
      operands.set(last - 1, new Operand(newer.kind(), newer.trailer(), both, newer.level() + 1));
      bytes += both.length - older.value().length - newer.value().length;
      return true;
    }

    /**
     * What the key comes to.
     *
     * @param base what the versions before these come to, null for none
     * @throws io.sifr.error.MergeOperatorException when it is not known
     */
    byte @Nullable [] over(byte[] key, byte @Nullable [] base) {
      byte[] result = base;
      for (int i = operands.size() - 1; i >= 0; i--) {
        result = operands.get(i).kind().resolve(key, operands.get(i).value(), result);
      }
      return result;
    }
  }
}
