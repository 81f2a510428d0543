package io.sifr.internal.sst;

import io.sifr.internal.entry.EntryIterator;

/** Base of iterators that hold their current key. */
abstract class StandingIterator implements EntryIterator {
  boolean valid;
  byte[] key;
  int keyOffset;
  int keyLength;

  StandingIterator(byte[] key) {
    this.key = key;
  }

  /** Moves to a key. Returns true. */
  final boolean standOn(byte[] array, int offset, int length) {
    key = array;
    keyOffset = offset;
    keyLength = length;
    valid = true;
    return true;
  }

  /** Becomes invalid. Returns false. */
  final boolean leave() {
    valid = false;
    return false;
  }

  static IllegalStateException notThere() {
    return new IllegalStateException("the iterator is not positioned on an entry");
  }

  final void requireValid() {
    if (!valid) {
      throw notThere();
    }
  }

  @Override
  public final boolean valid() {
    return valid;
  }

  @Override
  public final byte[] keyArray() {
    return key;
  }

  @Override
  public final int keyOffset() {
    return keyOffset;
  }

  @Override
  public final int keyLength() {
    return keyLength;
  }
}
