package io.sifr.internal.sst;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/** What an iterator has to do, done over a sorted list in the most obvious way. */
final class ListIterator implements EntryIterator {
  /** Bytes before key, so that an offset of 0 is never right by accident. */
  private static final int KEY_OFFSET = 3;

  private final List<Entry> entries;
  private int at = -1;

  ListIterator(List<Entry> entries) {
    this.entries = entries;
  }

  private boolean moveTo(int place) {
    at = place;
    return valid();
  }

  @Override
  public boolean seekToFirst() {
    return moveTo(0);
  }

  @Override
  public boolean seekToLast() {
    return moveTo(entries.size() - 1);
  }

  @Override
  public boolean seek(byte[] key, int offset, int length, long trailer) {
    byte[] wanted = Arrays.copyOfRange(key, offset, offset + length);
    int place = 0;
    while (place < entries.size()) {
      Entry entry = entries.get(place);
      int order = Arrays.compareUnsigned(entry.key(), wanted);
      if (order > 0 || (order == 0 && entry.trailer() <= trailer)) {
        break;
      }
      place++;
    }
    return moveTo(place);
  }

  @Override
  public boolean seekBefore(byte[] key, int offset, int length) {
    byte[] wanted = Arrays.copyOfRange(key, offset, offset + length);
    int place = entries.size() - 1;
    while (place >= 0 && Arrays.compareUnsigned(entries.get(place).key(), wanted) >= 0) {
      place--;
    }
    return moveTo(place);
  }

  @Override
  public boolean next() {
    return moveTo(at + 1);
  }

  @Override
  public boolean previous() {
    return moveTo(at - 1);
  }

  @Override
  public boolean valid() {
    return at >= 0 && at < entries.size();
  }

  @Override
  public byte[] keyArray() {
    byte[] key = entries.get(at).key();
    byte[] array = new byte[KEY_OFFSET + key.length + 1];
    Arrays.fill(array, (byte) 'x');
    System.arraycopy(key, 0, array, KEY_OFFSET, key.length);
    return array;
  }

  @Override
  public int keyOffset() {
    return KEY_OFFSET;
  }

  @Override
  public int keyLength() {
    return entries.get(at).key().length;
  }

  @Override
  public long trailer() {
    return entries.get(at).trailer();
  }

  @Override
  public int valueLength() {
    return value(at).length;
  }

  @Override
  public void copyValue(byte[] target, int offset) {
    byte[] value = value(at);
    System.arraycopy(value, 0, target, offset, value.length);
  }

  @Override
  public ByteBuffer value() {
    return ByteBuffer.wrap(value(at)).asReadOnlyBuffer();
  }

  private byte[] value(int place) {
    Entry entry = entries.get(place);
    return entry.kind() == EntryKind.DELETE ? Bytes.EMPTY : entry.value();
  }

  @Override
  public void close() {}
}
