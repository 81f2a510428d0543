package io.sifr.internal.entry;

import static com.google.common.base.Preconditions.checkArgument;

import io.sifr.internal.entry.range.RangeTombstones;
import org.jspecify.annotations.Nullable;

/**
 * The operation of a write on its key, and its meaning for reads, flushes and compactions. Log,
 * memtable and SSTs are independent of it: they only store its four-bit code and a value of any
 * length. {@link EntryKinds} lists the kinds of a store. Immutable.
 */
public abstract class EntryKind {
  /** Width of a code in bits. */
  public static final int BITS = 4;

  /**
   * The code of a range delete among the operations of a log. No entry is of this kind: memtables
   * and SSTs hold {@link RangeTombstones}.
   */
  public static final int CODE_OF_RANGE_DELETE = 2;

  private static final int LAST_CODE = (1 << BITS) - 2;

  public static final int CODE_OF_PUT = 0;

  public static final int CODE_OF_DELETE = 1;

  /** The key has a value. */
  public static final EntryKind PUT =
      new EntryKind(CODE_OF_PUT, "put") {
        @Override
        public byte[] resolve(byte[] key, byte[] value, byte @Nullable [] older) {
          return value;
        }
      };

  /** A tombstone: the key has no value, whatever older versions say. */
  public static final EntryKind DELETE =
      new EntryKind(CODE_OF_DELETE, "delete") {
        @Override
        public boolean allows(int valueLength) {
          return valueLength == 0;
        }

        @Override
        public byte @Nullable [] resolve(byte[] key, byte[] value, byte @Nullable [] older) {
          return null;
        }
      };

  private final int code;
  private final String name;

  /**
   * A kind.
   *
   * @param code 0 to {@value #LAST_CODE}: SSTs have one more, in four bits, which is never 0
   * @param name in lower case
   */
  protected EntryKind(int code, String name) {
    checkArgument(code >= 0 && code <= LAST_CODE, "the code of %s is %s", name, code);
    this.code = code;
    this.name = name;
  }

  /** The number of this kind in files and in {@link Trailer}. */
  public final int code() {
    return code;
  }

  /** Whether such an entry may have a value of that length. */
  public boolean allows(int valueLength) {
    return true;
  }

  /** Whether such a version settles its key, so that older versions do not matter. */
  public boolean settles() {
    return true;
  }

  /**
   * Resolves a key at such a version.
   *
   * @param key the key; not to be changed
   * @param value of the version; not to be changed
   * @param older the value that the older versions resolve to, null for none; always null when this
   *     kind {@link #settles}
   * @return null when the key has no value
   * @throws io.sifr.error.MergeOperatorException when it cannot be resolved
   */
  public abstract byte @Nullable [] resolve(byte[] key, byte[] value, byte @Nullable [] older);

  /**
   * Joins the values of two such versions of a key, neighbours that do not settle it.
   *
   * @return the value of one version that has the effect of both; null when they cannot be joined
   * @throws io.sifr.error.MergeOperatorException the same, because something has failed
   */
  public byte @Nullable [] combine(byte[] key, byte[] older, byte[] newer) {
    return null;
  }

  /** The name. */
  @Override
  public final String toString() {
    return name;
  }
}
