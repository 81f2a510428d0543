package io.sifr.leveldb.importer.source;

import io.sifr.importer.SourceException;
import java.util.Arrays;

/**
 * One write of a key: a value, or that it was deleted.
 *
 * @param key the user's key
 * @param sequence the higher, the newer
 * @param isDeletion whether the key was deleted; the value is empty then
 * @param value the value
 */
@SuppressWarnings("ArrayRecordComponent") // compared by compareTo only
public record Entry(byte[] key, long sequence, boolean isDeletion, byte[] value)
    implements Comparable<Entry> {
  private static final int DELETION = 0;
  private static final int VALUE = 1;
  private static final byte[] NOTHING = {};

  /** A put. */
  public static Entry put(byte[] key, long sequence, byte[] value) {
    return new Entry(key, sequence, false, value);
  }

  /** A delete. */
  public static Entry delete(byte[] key, long sequence) {
    return new Entry(key, sequence, true, NOTHING);
  }

  /** Whether the number that is stored with entries means a deletion. */
  public static boolean isDeletion(int type, Fields fields) throws SourceException {
    if (type != DELETION && type != VALUE) {
      throw fields.damaged("an entry of the type " + type + ", which LevelDB does not have");
    }
    return type == DELETION;
  }

  /** Reads a key of a table: the user's, then sequence and type in eight bytes. */
  public static Entry ofInternalKey(byte[] bytes, int length, byte[] value, Fields fields)
      throws SourceException {
    int keyLength = length - Long.BYTES;
    if (keyLength < 0) {
      throw fields.damaged("a key of " + length + " bytes, which has no room for its sequence");
    }
    long tag = 0;
    for (int i = Long.BYTES - 1; i >= 0; i--) {
      tag = (tag << Byte.SIZE) | (bytes[keyLength + i] & 0xff);
    }
    boolean isDeletion = isDeletion((int) (tag & 0xff), fields);
    return new Entry(Arrays.copyOf(bytes, keyLength), tag >>> Byte.SIZE, isDeletion, value);
  }

  /** Keys in ascending order of their unsigned bytes, and of a key the newest first. */
  @Override
  public int compareTo(Entry other) {
    int order = Arrays.compareUnsigned(key, other.key);
    return order != 0 ? order : Long.compare(other.sequence, sequence);
  }

  /** Whether both are of the same key. */
  public boolean isOfKeyOf(Entry other) {
    return Arrays.equals(key, other.key);
  }
}
