package io.sifr.internal.sst.format;

import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.Bytes.VarInts;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The property of an SST that contains its range tombstones, fragment by fragment:
 *
 * <pre>
 * varint   bytes of the first key
 *          the first key
 * varint   bytes of the key after the last one; 0 if there is none
 *          that key
 * varint   number of sequence numbers, at least 1
 * varint   the largest sequence number
 * varint   of each other one, how much smaller it is than the one before
 * </pre>
 */
public final class RangeTombstoneField {
  /** A key may be the successor of the longest key where tombstones were clipped. */
  private static final int MAX_BOUND_BYTES = EntryLimits.MAX_KEY_BYTES + 1;

  private RangeTombstoneField() {}

  /** Encodes tombstones, whose sequence numbers are those in the file. */
  public static byte[] encode(RangeTombstones tombstones) {
    List<RangeTombstones.Fragment> fragments = tombstones.fragments();
    int most = 0;
    for (RangeTombstones.Fragment fragment : fragments) {
      byte[] to = fragment.to();
      most +=
          3 * VarInts.MAX_INT_BYTES
              + fragment.from().length
              + (to == null ? 0 : to.length)
              + fragment.sequences().length * VarInts.MAX_LONG_BYTES;
    }
    ByteBuffer encoded = ByteBuffer.allocate(most);
    for (RangeTombstones.Fragment fragment : fragments) {
      byte[] to = fragment.to();
      put(encoded, fragment.from());
      put(encoded, to == null ? Bytes.EMPTY : to);
      VarInts.put(encoded, fragment.sequences().length);
      long before = 0;
      for (long sequence : fragment.sequences()) {
        VarInts.put(encoded, Math.abs(sequence - before));
        before = sequence;
      }
    }
    byte[] bytes = new byte[encoded.position()];
    encoded.flip().get(bytes);
    return bytes;
  }

  private static void put(ByteBuffer encoded, byte[] key) {
    VarInts.put(encoded, key.length);
    encoded.put(key);
  }

  /**
   * Decodes tombstones.
   *
   * @param encoded the field, from position to limit
   * @param baseSequence is added to their sequence numbers
   * @throws IllegalArgumentException when they are malformed, or there are none
   * @throws java.nio.BufferUnderflowException when they are truncated
   */
  public static RangeTombstones decode(ByteBuffer encoded, long baseSequence) {
    List<RangeTombstones.Fragment> fragments = new ArrayList<>();
    while (encoded.hasRemaining()) {
      byte[] from = key(encoded);
      byte[] to = key(encoded);
      fragments.add(
          new RangeTombstones.Fragment(from, orNone(to), sequences(encoded, baseSequence)));
    }
    return RangeTombstones.of(fragments);
  }

  /** No range ends before the empty key. */
  private static byte @Nullable [] orNone(byte[] to) {
    return to.length == 0 ? null : to;
  }

  private static byte[] key(ByteBuffer encoded) {
    int length = VarInts.getInt(encoded);
    if (length > MAX_BOUND_BYTES || length > encoded.remaining()) {
      throw new IllegalArgumentException("a range tombstone with a key of " + length + " bytes");
    }
    byte[] key = new byte[length];
    encoded.get(key);
    return key;
  }

  private static long[] sequences(ByteBuffer encoded, long baseSequence) {
    int count = VarInts.getInt(encoded);
    if (count > encoded.remaining()) {
      throw new IllegalArgumentException(count + " sequence numbers of a range tombstone");
    }
    long[] sequences = new long[count];
    for (int i = 0; i < count; i++) {
      long number = VarInts.getLong(encoded);
      sequences[i] = i == 0 ? baseSequence + number : sequences[i - 1] - number;
      if (number < 0 || sequences[i] > Trailer.MAX_SEQUENCE) {
        throw new IllegalArgumentException("a range tombstone with an invalid sequence number");
      }
    }
    return sequences;
  }
}
