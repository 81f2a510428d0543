package io.sifr.testing;

import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.ForwardIterator;
import io.sifr.internal.entry.Trailer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;

/** An entry as an object, for models that tests compare with. Its order is the internal order. */
public final class Entry implements Comparable<Entry> {
  private static final Comparator<Entry> INTERNAL_ORDER =
      Comparator.comparing(Entry::key, Arrays::compareUnsigned)
          .thenComparing(Entry::trailer, Comparator.reverseOrder());

  private final byte[] key;
  private final long trailer;
  private final byte[] value;

  private Entry(byte[] key, long trailer, byte[] value) {
    this.key = key;
    this.trailer = trailer;
    this.value = value;
  }

  /** An entry; a tombstone has no value, whatever is given. */
  public static Entry of(byte[] key, long sequence, EntryKind kind, byte[] value) {
    return new Entry(
        key, Trailer.of(sequence, kind), kind == EntryKind.DELETE ? new byte[0] : value);
  }

  /** A copy of the entry on which the iterator stands. */
  public static Entry at(ForwardIterator iterator) {
    byte[] value = new byte[iterator.valueLength()];
    iterator.copyValue(value, 0);
    int from = iterator.keyOffset();
    byte[] key = Arrays.copyOfRange(iterator.keyArray(), from, from + iterator.keyLength());
    return new Entry(key, iterator.trailer(), value);
  }

  public byte[] key() {
    return key;
  }

  public long trailer() {
    return trailer;
  }

  public long sequence() {
    return Trailer.sequence(trailer);
  }

  public boolean isTombstone() {
    return Trailer.isTombstone(trailer);
  }

  public byte[] value() {
    return value;
  }

  @Override
  public int compareTo(Entry other) {
    return INTERNAL_ORDER.compare(this, other);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Entry entry
        && compareTo(entry) == 0
        && Arrays.equals(value, entry.value);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(key) * 31 + Long.hashCode(trailer);
  }

  @Override
  public String toString() {
    String shown = HexFormat.of().formatHex(key, 0, Math.min(key.length, 40));
    return shown + "@" + sequence() + (isTombstone() ? "†" : "=" + value.length + " bytes");
  }
}
