package io.sifr.testing;

import io.sifr.internal.entry.EntryIterator;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * An iterator over a sorted list, as simple as can be. It hands out arrays that are overwritten at
 * the next move, so that who holds on to them longer than allowed is found out.
 */
public final class ListEntryIterator implements EntryIterator {
  private static final int KEY_OFFSET = 3;

  private final List<Entry> entries;
  private int at = -1;
  private byte[] shownKey = new byte[0];
  private byte[] shownValue = new byte[0];
  private boolean closed;
  private int steps;

  /** An iterator over entries in internal order. */
  public ListEntryIterator(List<Entry> entries) {
    this.entries = entries;
  }

  @Override
  public boolean seekToFirst() {
    return standAt(0);
  }

  @Override
  public boolean seekToLast() {
    return standAt(entries.size() - 1);
  }

  @Override
  public boolean seek(byte[] key, int offset, int length, long trailer) {
    byte[] target = Arrays.copyOfRange(key, offset, offset + length);
    int i = 0;
    while (i < entries.size() && isBefore(entries.get(i), target, trailer)) {
      i++;
    }
    return standAt(i);
  }

  private static boolean isBefore(Entry entry, byte[] key, long trailer) {
    int order = Arrays.compareUnsigned(entry.key(), key);
    return order < 0 || (order == 0 && entry.trailer() > trailer);
  }

  @Override
  public boolean seekBefore(byte[] key, int offset, int length) {
    byte[] target = Arrays.copyOfRange(key, offset, offset + length);
    int i = entries.size() - 1;
    while (i >= 0 && Arrays.compareUnsigned(entries.get(i).key(), target) >= 0) {
      i--;
    }
    return standAt(i);
  }

  @Override
  public boolean next() {
    steps++;
    return standAt(checked() + 1);
  }

  @Override
  public boolean previous() {
    steps++;
    return standAt(checked() - 1);
  }

  /** How often it was moved by one entry. */
  public int steps() {
    return steps;
  }

  private boolean standAt(int index) {
    Arrays.fill(shownKey, (byte) 0xEE);
    Arrays.fill(shownValue, (byte) 0xEE);
    at = index < entries.size() ? index : -1;
    if (at >= 0) {
      byte[] key = entries.get(at).key();
      shownKey = new byte[KEY_OFFSET + key.length + 1];
      System.arraycopy(key, 0, shownKey, KEY_OFFSET, key.length);
      shownValue = entries.get(at).value().clone();
    }
    return valid();
  }

  private int checked() {
    if (!valid()) {
      throw new AssertionError("the iterator stands on no entry");
    }
    return at;
  }

  @Override
  public boolean valid() {
    return at >= 0;
  }

  @Override
  public byte[] keyArray() {
    checked();
    return shownKey;
  }

  @Override
  public int keyOffset() {
    return KEY_OFFSET;
  }

  @Override
  public int keyLength() {
    return entries.get(checked()).key().length;
  }

  @Override
  public long trailer() {
    return entries.get(checked()).trailer();
  }

  @Override
  public int valueLength() {
    return entries.get(checked()).value().length;
  }

  @Override
  public void copyValue(byte[] target, int offset) {
    System.arraycopy(shownValue, 0, target, offset, valueLength());
  }

  @Override
  public ByteBuffer value() {
    checked();
    return ByteBuffer.wrap(shownValue).asReadOnlyBuffer();
  }

  @Override
  public void close() {
    closed = true;
    at = -1;
  }

  /** Whether it was closed. */
  public boolean isClosed() {
    return closed;
  }
}
