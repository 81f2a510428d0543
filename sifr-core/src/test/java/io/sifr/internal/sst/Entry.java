package io.sifr.internal.sst;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/** An entry as tests write it down; equal when key, sequence number, kind and value are. */
@SuppressWarnings("ArrayRecordComponent") // equals and hashCode below look into the arrays
record Entry(byte[] key, long sequence, EntryKind kind, byte[] value) implements Comparable<Entry> {

  static Entry put(String key, long sequence, String value) {
    return new Entry(ascii(key), sequence, EntryKind.PUT, ascii(value));
  }

  static Entry delete(String key, long sequence) {
    return new Entry(ascii(key), sequence, EntryKind.DELETE, Bytes.EMPTY);
  }

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** The entry that an iterator stands on, copied. */
  static Entry of(EntryIterator at) {
    byte[] value = new byte[at.valueLength() + 2];
    at.copyValue(value, 1);
    value = Arrays.copyOfRange(value, 1, value.length - 1);
    int keyEnd = at.keyOffset() + at.keyLength();
    byte[] key = Arrays.copyOfRange(at.keyArray(), at.keyOffset(), keyEnd);
    return new Entry(key, Trailer.sequence(at.trailer()), Trailer.kind(at.trailer()), value);
  }

  long trailer() {
    return Trailer.of(sequence, kind);
  }

  /** Internal order. */
  @Override
  public int compareTo(Entry other) {
    int order = Arrays.compareUnsigned(key, other.key);
    return order != 0 ? order : Long.compare(other.trailer(), trailer());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Entry that
        && Arrays.equals(key, that.key)
        && trailer() == that.trailer()
        && Arrays.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return Objects.hash(Arrays.hashCode(key), sequence, kind, Arrays.hashCode(value));
  }

  @Override
  public String toString() {
    return new String(key, 0, Math.min(40, key.length), StandardCharsets.ISO_8859_1)
        + "@"
        + sequence
        + " "
        + kind
        + " "
        + value.length;
  }
}
