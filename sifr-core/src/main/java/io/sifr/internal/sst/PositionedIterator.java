package io.sifr.internal.sst;

import io.sifr.internal.entry.ForwardIterator;

/** Base of iterators that hold their current key. */
abstract class PositionedIterator implements ForwardIterator {
  boolean valid;
  byte[] key;
  int keyOffset;
  int keyLength;

  PositionedIterator(byte[] key) {
    this.key = key;
  }

  /** Moves to a key. Returns true. */
  final boolean positionAt(byte[] array, int offset, int length) {
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

  static IllegalStateException notPositioned() {
    return new IllegalStateException("the iterator is not positioned on an entry");
  }

  final void requireValid() {
    if (!valid) {
      throw notPositioned();
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
